// What settings were changed to, over restarts. Promises settle after the commit and reject as those of
// ports/records.ts.

/** Who changed it: a request, or an edit of the configuration file. */
export type SettingOrigin = 'request' | 'file'

/** A change of one option. */
export interface SettingChange {
  /** `section.option`. */
  readonly option: string
  /** What the configuration file holds from then on, as JSON; `null` = nothing, or a secret. */
  readonly value: string
  readonly origin: SettingOrigin
}

/** A change that was noted. Ids grow; times are milliseconds since 1970. */
export interface NotedSettingChange extends SettingChange {
  readonly id: number
  readonly atMs: number
}

/** The durable history; it keeps the newest 10,000 changes. */
export interface SettingsHistory {
  note(changes: readonly SettingChange[]): Promise<void>
  /** Up to `limit` changes with an id below `before` (null = all), newest first. */
  list(before: number | null, limit: number): Promise<NotedSettingChange[]>
  /** The newest change of every option. */
  latest(): Promise<NotedSettingChange[]>
}
