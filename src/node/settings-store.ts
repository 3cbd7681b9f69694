// The settings in force: flag > environment > file > default. A change is checked whole, made durable in the file, and
// only then told to listeners. Secrets never leave through read().

import type { Settings } from './settings-schema.ts'

/** A JSON value as GET /settings answers it. */
export type SettingsJson = Record<string, Record<string, null | boolean | number | string | string[]>>

/** Where a value comes from. */
export type SettingSource = 'flag' | 'environment' | 'file' | 'default'

/** What SettingsStore.open() reads. */
export interface SettingsOptions {
  /** Absolute path, made and locked already. */
  readonly stateDir: string
  /** True when --state-dir or TRIBUTARY_STATE_DIR chose it. */
  readonly stateDirChosen: boolean
  /** Absolute path, or null when there is none. */
  readonly homeDir: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  /** Values of flags by `section.option`, as text: --set and the dedicated ones; later entries win. */
  readonly flags: readonly (readonly [path: string, value: string])[]
}

/** What change() did. */
export interface SettingsChange {
  /** `section.option` of every option whose stored value changed. */
  readonly changed: readonly string[]
  /** Those of `changed` that are used only after the next start (or are hidden by a flag or the environment). */
  readonly restartRequired: readonly string[]
}

export type SettingsListener = (changed: readonly string[], settings: Settings) => void
