// The key of the control interface: made once, kept in the configuration file, switched off only on purpose and only
// where no other machine can reach the node.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { BlockList, isIP } from 'node:net'
import { Secret } from '../../base/secret.ts'
import { AppError, errorText } from '../../base/errors.ts'

/** Bytes of a made key; written as twice as many hexadecimal digits. */
const KEY_BYTES = 32

/** A new key, 64 hexadecimal digits. */
export function makeApiKey(): string {
  return randomBytes(KEY_BYTES).toString('hex')
}

/** Reads a key from a file (--api-key-file): its first line. AppError BadConfiguration when there is none. */
export async function readApiKeyFile(path: string): Promise<Secret> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new AppError('BadConfiguration', `The key file ${path} cannot be read: ${errorText(error)}`, { cause: error })
  }
  const key = text.split('\n', 1)[0]?.trim() ?? ''
  if (key === '') throw new AppError('BadConfiguration', `The key file ${path} has no key on its first line.`)
  return new Secret(key)
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** True for an address that only this machine can reach. */
export function isLoopback(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Where the interface listens, as the settings have it. */
export interface ListenSettings {
  readonly http_enabled: boolean
  readonly http_host: string
  readonly https_enabled: boolean
  readonly https_host: string
}

/** What is wrong with key and addresses (a sentence); null when nothing is. */
export function listenProblem(key: Secret, api: ListenSettings): string | null {
  if (!api.http_enabled && !api.https_enabled) return 'One of api.http_enabled and api.https_enabled must be true.'
  const hosts = {
    http_host: api.http_enabled ? api.http_host : null,
    https_host: api.https_enabled ? api.https_host : null,
  }
  for (const [option, host] of Object.entries(hosts)) {
    const problem = host === null ? null : keyProblem(key, host, option)
    if (problem !== null) return `The setting api.key ${problem}.`
  }
  return null
}

/** What is wrong with this pair of key and bind address (completes "api.key ..."); null when nothing is. */
export function keyProblem(key: Secret, host: string, option = 'http_host'): string | null {
  if (!key.isEmpty || isLoopback(host)) return null
  return `may be empty only when api.${option} is a loopback address (it is ${host})`
}
