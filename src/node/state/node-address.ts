// Where the node of a state directory listens, for commands that talk to it: a file that is there while it runs.
// Nothing of the node depends on it.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Name of the file in the state directory. */
export const ADDRESS_FILE = 'node.url'

/** Notes where the node listens. A disk that refuses it costs only the commands their convenience. */
export function noteAddress(stateDir: string, baseUrl: string): void {
  try {
    writeFileSync(join(stateDir, ADDRESS_FILE), `${baseUrl}\n`, { mode: 0o600 })
  } catch {
    return
  }
}

/** An address that a browser of this machine can open, of one to listen at. */
export function localAddress(baseUrl: string): string {
  return baseUrl
    .replace(/^(https?:\/\/)0\.0\.0\.0(?=:|$)/, '$1127.0.0.1')
    .replace(/^(https?:\/\/)\[::\](?=:|$)/, '$1[::1]')
}

/** The node does not listen any more. */
export function forgetAddress(stateDir: string): void {
  rmSync(join(stateDir, ADDRESS_FILE), { force: true })
}

/** What noteAddress() wrote last; null when there is none. It may be of a node that was killed. */
export function notedAddress(stateDir: string): string | null {
  try {
    const text = readFileSync(join(stateDir, ADDRESS_FILE), 'utf8').trim()
    return /^https?:\/\/[\w.:[\]-]+$/.test(text) ? text : null
  } catch {
    return null
  }
}
