// Settings as the interface shows and changes them (spec 2.14 and 4.9; extras in decision 0163 and 0315).

import type { Caller } from '../callers-api.ts'

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Where a value comes from. */
export type SettingSource = 'default' | 'file' | 'environment' | 'flag'

/** One option of GET /settings/effective; values of secrets are null. */
export interface EffectiveSetting {
  /** The value in force, or after the next start. */
  value: Json
  source: SettingSource
  /** In the configuration file; null = it says nothing. */
  stored: Json
  default: Json
  needs_restart: boolean
  /** The value was changed since the start and waits for the next one. */
  restart_pending: boolean
}

/** GET /settings/effective. */
export interface EffectiveSettings {
  /** Path of the configuration file. */
  file: string
  settings: Record<string, Record<string, EffectiveSetting>>
}

/** An entry of GET /settings/history (extra). */
export interface SettingHistoryEntry {
  id: number
  /** Unix time, seconds. */
  time: number
  /** `section.option`. */
  option: string
  /** What the configuration file held from then on; null = nothing, or a secret. */
  value: Json
  /** `file`: it was edited while the node did not run. */
  origin: 'request' | 'file'
}

/** GET and POST /settings. */
export interface SettingsService {
  /** Spec 2.14; secrets as null. */
  read(): { settings: Record<string, Record<string, Json>>; ports: Record<string, number> }
  /**
   * All or nothing, durable when settled. AppErrors InvalidSetting, naming the option; ScopeMissing, PathNotAllowed
   * where the caller may not change it so; StateConflict when another request changed it meanwhile.
   */
  change(body: Json, caller: Caller): Promise<{ modified: boolean; restart_required: string[]; overridden: string[] }>
  /** Each option with where its value comes from. */
  effective(): EffectiveSettings
  /** Changes with an id below `before` (null = all), newest first. AppError NotReady while the store is not open. */
  history(before: number | null, limit: number): Promise<SettingHistoryEntry[]>
  /** JSON schema of the sections, for the documentation. */
  schema(): { [key: string]: Json }
}
