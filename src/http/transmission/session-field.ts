// What a field of the session is: how it is read from settings of this node, and how it changes them.

import type { Json } from '../../services/settings/settings-api.ts'
import type { RpcArguments } from './rpc-arguments.ts'
import type { SettingsSections } from './seen-torrent.ts'

/** Bytes in a kB of the RPC. */
export const KILO = 1000

/** What the fields are read from. */
export interface SessionFacts {
  readonly settings: SettingsSections
  readonly ports: Readonly<Record<string, number>>
  /** Of this node. */
  readonly version: string
  /** Bytes; -1 = not known. */
  readonly freeSpace: number
  /** Path of the configuration file. */
  readonly configFile: string
}

/** One field; without `change` it cannot be changed. */
export interface SessionField {
  readonly value: (facts: SessionFacts) => Json
  /** Puts what the arguments ask for into `into`; it may look at other arguments, and at the present settings. */
  readonly change?: (into: SettingsSections, args: RpcArguments, settings: SettingsSections) => void
}

/** The value of a setting; null = there is none. */
export function option(settings: SettingsSections, section: string, name: string): Json {
  return settings[section]?.[name] ?? null
}

/** A setting that is a number, else `absent`. */
export function numberOf(settings: SettingsSections, section: string, name: string, absent: number): number {
  const value = option(settings, section, name)
  return typeof value === 'number' ? value : absent
}

/** Asks for a value of a setting. */
export function put(into: SettingsSections, section: string, name: string, value: Json): void {
  into[section] = { ...into[section], [name]: value }
}
