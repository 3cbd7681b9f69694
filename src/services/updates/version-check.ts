// Looks once a day whether there is a newer version, where the settings name a URL to ask; reports each by one event.
// What fails is tried again later; nothing waits for it.

import { AppError, DecodeError, errorText } from '../../base/errors.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { NodeValues } from '../../ports/records.ts'
import type { SourceFetch } from '../../ports/source-fetch.ts'
import { compareVersions, parseVersion, type Version } from '../../wire/version-text.ts'
import type { EventHub } from '../events/events.ts'

const DAY_MS = 24 * 3600 * 1000
/** The start of a node has other things to do. */
const FIRST_AFTER_MS = 5_000
/** After a failure; doubled up to a day. */
const RETRY_MS = 15 * 60 * 1000
/** The key of the newest version that was reported. */
const TOLD_KEY = 'version-told'

/** What the check needs of the node. */
export interface VersionCheckDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly values: NodeValues
  readonly http: SourceFetch
  /** The version that runs. */
  readonly version: string
  /** The URL to ask; '' = none. Read at each use. */
  url(): string
}

/**
 * Looks once a day whether there is a newer version, where the settings name a URL to ask; reports each by one event.
 */
export class VersionCheck {
  readonly #deps: VersionCheckDeps
  #timer: Timer | null = null
  #url = ''
  #failures = 0
  #asking: AbortController | null = null
  #working: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(deps: VersionCheckDeps) {
    this.#deps = deps
  }

  /** Begins, and follows the settings from then on. */
  settingsChanged(): void {
    const url = this.#deps.url()
    if (this.#stopped || url === this.#url) return
    this.#url = url
    this.#failures = 0
    this.#asking?.abort()
    this.#timer?.cancel()
    if (url !== '') this.#askAfter(FIRST_AFTER_MS)
  }

  /** Gives up what is asked; settles when nothing is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    this.#asking?.abort()
    await this.#working
    await this.#deps.http.close()
  }

  #askAfter(ms: number): void {
    this.#timer = this.#deps.clock.after(ms, () => {
      this.#working = this.#working.then(() => this.#ask())
    })
  }

  /** Never rejects. */
  async #ask(): Promise<void> {
    const url = this.#url
    if (this.#stopped || url === '') return
    const asking = new AbortController()
    this.#asking = asking
    try {
      await this.#tell(await this.#newest(url, asking.signal))
      this.#failures = 0
    } catch (error) {
      this.#failures++
      if (!asking.signal.aborted)
        this.#deps.log.info('the newest version is not known', { host: URL.parse(url)?.host, error: errorText(error) })
    }
    this.#asking = null
    if (this.#stopped || url !== this.#url) return
    const waitMs = this.#failures === 0 ? DAY_MS : Math.min(DAY_MS, RETRY_MS * 2 ** (this.#failures - 1))
    // Nodes that were started together ask at different times.
    this.#askAfter(waitMs * (0.9 + this.#deps.random.below(200) / 1000))
  }

  async #newest(url: string, signal: AbortSignal): Promise<Version> {
    const fetched = await this.#deps.http.fetch(url, signal)
    const version = fetched.kind === 'bytes' ? parseVersion(versionNamed(fetched.bytes)) : null
    if (version === null) throw new DecodeError('the answer names no version')
    return version
  }

  async #tell(newest: Version): Promise<void> {
    const { events, log, values } = this.#deps
    const own = parseVersion(this.#deps.version)
    if (own === null || compareVersions(newest, own) <= 0) return
    const told = parseVersion(Buffer.from((await values.get(TOLD_KEY)) ?? []).toString('utf8'))
    if (told !== null && compareVersions(newest, told) <= 0) return
    events.emit('new_version_available', { version: newest.text })
    log.info('a newer version can be had', { version: newest.text })
    await values.set(TOLD_KEY, Buffer.from(newest.text))
  }
}

/** The version an answer names: as plain text, or in JSON as `version` or `tag_name` (the form of release pages). */
function versionNamed(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8').trim()
  if (!text.startsWith('{')) return text.slice(0, 200)
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new AppError('SourceFailed')
  const { version, tag_name: tag } = value as { version?: unknown; tag_name?: unknown }
  return typeof version === 'string' ? version : typeof tag === 'string' ? tag : ''
}
