// The settings in force: flag > environment > file > default. A change is checked whole, made durable in the file, and
// only then are listeners called. Secrets never leave through read().

import { AppError } from '../../base/errors.ts'
import { Secret } from '../../base/secret.ts'
import type { SettingSource } from '../../services/settings/settings-api.ts'
import type { AskedSetting } from '../../services/settings/setting-rights.ts'
import { listenProblem, makeApiKey } from '../state/api-key.ts'
import { ConfigFile, configPath } from './config-file.ts'
import { checkBody, type OptionChange } from './settings-body.ts'
import {
  type Layer,
  makeDefaults,
  readEnvironment,
  readFlags,
  readStored,
  type SettingsOptions,
} from './settings-layers.ts'
import { sameValue, type SettingValue } from './settings-option.ts'
import type { Settings } from './settings-schema.ts'
import type { SettingsTable } from './settings-table.ts'

/** A JSON value as GET /settings answers it. */
export type SettingsJson = Record<string, Record<string, null | boolean | number | string | string[]>>

/** What the sources say of one option. */
export interface OptionLayers {
  /** In force, or after the next start. */
  readonly value: SettingValue
  readonly source: SettingSource
  /** In the file; undefined = nothing. */
  readonly stored: SettingValue | undefined
  readonly default: SettingValue
  /** When the process started. */
  readonly atStart: SettingValue
}

/** What change() did. */
export interface SettingsChange {
  /** `section.option` of every option whose stored value changed. */
  readonly changed: readonly string[]
  /** Those of `changed` that are used only after the next start. */
  readonly restartRequired: readonly string[]
  /** What was asked for and is not in force, also after a restart: a flag or the environment says otherwise. */
  readonly overridden: readonly string[]
}

/** Hears which options changed, and all values as they are now. */
export type SettingsListener = (changed: readonly string[], settings: Settings) => void

/** The one owner of settings. */
export class SettingsStore {
  /** What settings there are. */
  readonly table: SettingsTable
  /** Path of the configuration file, where the key lies. */
  readonly path: string
  /** True when this start made the key. */
  readonly keyIsNew: boolean
  /** What the file holds that no option has, one sentence each. */
  readonly warnings: readonly string[]
  readonly #file: ConfigFile
  readonly #flags: Layer
  readonly #environment: Layer
  readonly #stored: Layer
  readonly #defaults: Layer
  /** The values that this run began with. */
  readonly #atStart: Layer
  readonly #listeners = new Set<SettingsListener>()
  #settings: Settings
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(
    table: SettingsTable,
    file: ConfigFile,
    layers: { flags: Layer; environment: Layer; stored: Layer; defaults: Layer },
    keyIsNew: boolean,
    warnings: readonly string[],
  ) {
    this.table = table
    this.path = file.path
    this.keyIsNew = keyIsNew
    this.warnings = warnings
    this.#file = file
    file.forget()
    this.#flags = layers.flags
    this.#environment = layers.environment
    this.#stored = layers.stored
    this.#defaults = layers.defaults
    this.#settings = this.#build()
    const paths = [...layers.defaults.keys()]
    this.#atStart = new Map(paths.map(path => [path, this.#effective(path) as SettingValue]))
  }

  /**
   * Reads every source; at the first start makes the key and the file.
   * AppError BadConfiguration names the flag, variable or line whose value cannot be used.
   */
  static async open(options: SettingsOptions): Promise<SettingsStore> {
    const { sections } = options.table
    const flags = readFlags(sections, options.flags)
    const environment = readEnvironment(sections, options.env)
    const file = await ConfigFile.open(configPath(options.stateDir))
    const { stored, warnings } = readStored(sections, file)
    const defaults = makeDefaults(options)
    const keyIsNew = !stored.has('api.key') && !flags.has('api.key') && !environment.has('api.key')
    if (keyIsNew) {
      const key = makeApiKey()
      await file.write([['api', 'key', key]])
      stored.set('api.key', new Secret(key))
    }
    const store = new SettingsStore(options.table, file, { flags, environment, stored, defaults }, keyIsNew, warnings)
    const { api } = store.values
    const problem = listenProblem(api.key, api)
    if (problem !== null) throw new AppError('BadConfiguration', problem)
    return store
  }

  /** As open(), but nothing is written: no key is made where there is none. For commands that only read. */
  static async look(options: SettingsOptions): Promise<SettingsStore> {
    const { sections } = options.table
    const flags = readFlags(sections, options.flags)
    const environment = readEnvironment(sections, options.env)
    const file = await ConfigFile.open(configPath(options.stateDir), false)
    const { stored, warnings } = readStored(sections, file)
    return new SettingsStore(
      options.table,
      file,
      { flags, environment, stored, defaults: makeDefaults(options) },
      false,
      warnings,
    )
  }

  /** All effective values, frozen; a new object after every change. */
  get values(): Settings {
    return this.#settings
  }

  /** All that is known of `section.option`. */
  layersOf(path: string): OptionLayers {
    const value = this.#effective(path) as SettingValue
    return {
      value,
      source: this.source(path),
      stored: this.#stored.get(path),
      default: this.#defaults.get(path) as SettingValue,
      atStart: this.#atStart.get(path) as SettingValue,
    }
  }

  /** Where the effective value of `section.option` comes from. */
  source(path: string): SettingSource {
    if (this.#flags.has(path)) return 'flag'
    if (this.#environment.has(path)) return 'environment'
    return this.#stored.has(path) ? 'file' : 'default'
  }

  /** What the flags of this run set, but for secrets. */
  givenFlags(): [path: string, value: Exclude<SettingValue, Secret>][] {
    return [...this.#flags].filter(
      (entry): entry is [string, Exclude<SettingValue, Secret>] => !(entry[1] instanceof Secret),
    )
  }

  /** The effective values for GET /settings: a new object, secrets as null. */
  read(): SettingsJson {
    const json: SettingsJson = {}
    for (const [section, options] of Object.entries(this.table.sections)) {
      const values: SettingsJson[string] = {}
      for (const [option, spec] of Object.entries(options)) {
        const value = this.#effective(`${section}.${option}`)
        values[option] = spec.secret === true ? null : Array.isArray(value) ? [...value] : (value as string)
      }
      json[section] = values
    }
    return json
  }

  /**
   * Takes a body of POST /settings ({section: {option: value}}): all of it or, with AppError InvalidSetting naming the
   * path, nothing. Settles when the file is durable and the listeners were called. Options whose effective value is the
   * given one already, and secrets given as null, are left alone.
   * `judge` is asked first, about all that would change; what it rejects with changes nothing.
   * Other AppErrors: DiskFull, DiskError, BadConfiguration (the file was edited and cannot be read), StateConflict (an
   * option that was not judged would change by now).
   */
  async change(
    body: unknown,
    judge: ((asked: readonly AskedSetting[]) => Promise<void>) | null = null,
  ): Promise<SettingsChange> {
    const asked = this.#asked(body).map(({ path, value }) => ({ path, value, current: this.#effective(path) }))
    // Not in the turn of changes: a disk that is asked about a folder may not answer.
    await judge?.(asked)
    const judged = judge === null ? null : new Set(asked.map(({ path }) => path))
    const run = this.#turn.then(() => this.#change(body, judged))
    this.#turn = run.catch(() => undefined)
    return run
  }

  #asked(body: unknown): OptionChange[] {
    return checkBody(this.table.sections, body).filter(change => !sameValue(change.value, this.#effective(change.path)))
  }

  /** Calls `listener` after every change with the paths whose effective value changed; answers how to end it. */
  onChange(listener: SettingsListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #change(body: unknown, judged: ReadonlySet<string> | null): Promise<SettingsChange> {
    const asked = this.#asked(body)
    if (asked.some(({ path }) => judged?.has(path) === false))
      throw new AppError('StateConflict', 'The settings were changed by somebody else just now: look, and try again.')
    this.#checkKey(asked)
    const overridden = asked.filter(({ path }) => this.#hidden(path)).map(({ path }) => path)
    const changes = asked.filter(({ path, value }) => !this.#hidden(path) || !sameValue(value, this.#stored.get(path)))
    if (changes.length === 0) return { changed: [], restartRequired: [], overridden }
    await this.#file.write(
      changes.map(({ section, option, value }) => [section, option, value instanceof Secret ? value.reveal() : value]),
    )
    for (const { path, value } of changes) this.#stored.set(path, value)
    this.#settings = this.#build()
    const visible = changes.filter(({ path }) => !this.#hidden(path))
    const paths = visible.map(({ path }) => path)
    if (paths.length > 0) for (const listener of [...this.#listeners]) listener(paths, this.#settings)
    return {
      changed: changes.map(({ path }) => path),
      restartRequired: visible.filter(({ spec }) => spec.needsRestart).map(({ path }) => path),
      overridden,
    }
  }

  #checkKey(changes: readonly OptionChange[]): void {
    const wanted = (option: string): SettingValue | undefined =>
      changes.find(change => change.path === `api.${option}`)?.value ?? this.#effective(`api.${option}`)
    const problem = listenProblem(wanted('key') as Secret, {
      http_enabled: wanted('http_enabled') === true,
      http_host: String(wanted('http_host')),
      https_enabled: wanted('https_enabled') === true,
      https_host: String(wanted('https_host')),
    })
    if (problem !== null) throw new AppError('InvalidSetting', problem)
  }

  #hidden(path: string): boolean {
    return this.#flags.has(path) || this.#environment.has(path)
  }

  #effective(path: string): SettingValue | undefined {
    return this.#flags.get(path) ?? this.#environment.get(path) ?? this.#stored.get(path) ?? this.#defaults.get(path)
  }

  #build(): Settings {
    const settings: Record<string, Record<string, unknown>> = {}
    for (const [section, options] of Object.entries(this.table.sections)) {
      const values = Object.keys(options).map(option => [option, this.#effective(`${section}.${option}`)])
      settings[section] = Object.freeze(Object.fromEntries(values) as Record<string, unknown>)
    }
    return Object.freeze(settings) as unknown as Settings
  }
}
