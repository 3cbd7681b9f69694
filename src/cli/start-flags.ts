// The flags of `start`, and how plain ones are read without the code that reads all commands: that is larger than
// what a start needs of the command line.

import { Secret } from '../base/secret.ts'

/** A pair of --set. */
export type SettingText = readonly [path: string, value: string]

/** As they are given. */
export interface StartFlags {
  readonly stateDir?: string
  readonly port?: string
  readonly host?: string
  readonly apiKey?: string
  readonly apiKeyFile?: string
  readonly logLevel?: string
  readonly set: readonly SettingText[]
}

const NAMES: ReadonlyMap<string, Exclude<keyof StartFlags, 'set'>> = new Map([
  ['--state-dir', 'stateDir'],
  ['--port', 'port'],
  ['--host', 'host'],
  ['--api-key', 'apiKey'],
  ['--api-key-file', 'apiKeyFile'],
  ['--log-level', 'logLevel'],
])

/** Path and value of a `SECTION.OPTION=VALUE`; null: it is none. */
export function settingOf(text: string): SettingText | null {
  const found = /^([a-z][a-z0-9_]*\.[a-z][a-z0-9_]*)=(.*)$/s.exec(text)
  return found === null ? null : [found[1] ?? '', found[2] ?? '']
}

/**
 * The flags behind `start`, where each is a whole name with a value behind it; null: everything else, which the reader
 * of all commands reads or refuses.
 */
export function readPlainFlags(args: readonly string[]): StartFlags | null {
  const flags: { -readonly [Name in keyof StartFlags]: StartFlags[Name] } = { set: [] }
  for (let at = 0; at < args.length; at += 2) {
    const value = args[at + 1]
    if (value === undefined || value === '' || value.startsWith('-')) return null
    const name = NAMES.get(args[at] ?? '')
    const setting = args[at] === '--set' ? settingOf(value) : null
    if (name !== undefined) flags[name] = value
    else if (setting !== null) flags.set = [...flags.set, setting]
    else return null
  }
  return flags.apiKey !== undefined && flags.apiKeyFile !== undefined ? null : flags
}

/** The dedicated flags set options; as the more special ones they win over --set. */
export function settingsOf(flags: StartFlags): [path: string, value: string | Secret][] {
  const dedicated: [string, string | undefined][] = [
    ['api.http_port', flags.port],
    ['api.http_host', flags.host],
    ['api.key', flags.apiKey],
    ['general.log_level', flags.logLevel],
  ]
  const given = [...flags.set, ...dedicated.filter((entry): entry is [string, string] => entry[1] !== undefined)]
  return given.map(([path, value]) => [path, path === 'api.key' ? new Secret(value) : value])
}
