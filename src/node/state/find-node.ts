// Finds the node that a command is to talk to: its address and its key, from what the command line says, the
// environment, and the state directory, in this order. Nothing is written.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import { readApiKeyFile } from './api-key.ts'
import { notedAddress } from './node-address.ts'
import { SettingsStore } from '../settings/settings-store.ts'
import { coreTable } from '../settings/settings-table.ts'
import { defaultStateDirectory } from './state-directory.ts'

/** What the command line gives; null = nothing. */
export interface NodeChoice {
  readonly url: string | null
  readonly keyFile: string | null
  readonly stateDir: string | null
}

/** Where a node is. */
export interface FoundNode {
  /** `http://host:port`, without a `/` at its end. */
  readonly url: string
  /** '' = none is asked for. */
  readonly key: string
}

/** The node of a choice. AppError BadConfiguration when something that was named cannot be used. */
export async function findNode(choice: NodeChoice): Promise<FoundNode> {
  const env = process.env
  const stateDir = stateDirectoryOf(choice.stateDir)
  const named = choice.url ?? (env['TRIBUTARY_URL'] || null)
  const url = named === null ? null : checkedUrl(named)
  const keyFile = choice.keyFile === null ? null : await readApiKeyFile(choice.keyFile)
  const key = keyFile === null ? (env['CORE_API_KEY'] ?? null) : keyFile.reveal()
  if (url !== null && key !== null) return { url, key }
  const settings = await lookAtSettings(choice.stateDir)
  const { api } = settings.values
  const port = api.http_port > 0 ? api.http_port : 52_194
  const here = notedAddress(stateDir) ?? `http://${reachable(api.http_host)}:${port}`
  return { url: url ?? here, key: key ?? api.key.reveal() }
}

/** The state directory of a command. */
export function stateDirectoryOf(chosen: string | null): string {
  const env = process.env
  return resolve(chosen ?? (env['TRIBUTARY_STATE_DIR'] || defaultStateDirectory(env, homedir())))
}

/** The settings of a state directory, as a start without flags would have them; nothing is written. */
export function lookAtSettings(chosen: string | null): Promise<SettingsStore> {
  return SettingsStore.look({
    stateDir: stateDirectoryOf(chosen),
    stateDirChosen: chosen !== null,
    homeDir: homedir(),
    env: process.env,
    flags: [],
    table: coreTable,
  })
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError('BadConfiguration', `${text} is no http(s) address of a node.`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** An address to connect to, of one to listen at. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** The bytes of a file that a user named. AppError BadConfiguration. */
export function readNamedFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new AppError('BadConfiguration', `${path} cannot be read: ${errorText(error)}.`, { cause: error })
  }
}
