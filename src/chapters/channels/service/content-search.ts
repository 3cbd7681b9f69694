// Searching channels and torrents: what is here at once, then what a bounded number of peers answer, each channel and
// torrent once (decision 0416). Results are events.

import { AppError, errorText } from '../../../base/errors.ts'
import type { ChannelLibrary, SearchResults } from '../ports/channel-library.ts'
import type { ChannelNetwork } from '../ports/channel-network.ts'
import type { Log } from '../../../ports/log.ts'
import { type ChannelsDeps, hides } from './channels.ts'
import type { ChannelEventPayloads } from './channel-event-table.ts'
import type { SearchService } from './channels-api.ts'
import type { EventSink } from '../../../services/events/event-table.ts'

/** Results of the own catalogue; results of one search in all: all of them go into the log of events. */
const LOCAL_RESULTS = 100
const MAX_RESULTS = 300
/** Peers that have not answered by then are not waited for. */
const NETWORK_MS = 10_000
/** Searches under way. */
const MAX_SEARCHES = 16
const COMPLETIONS = 10

/** What it needs of the node. */
export interface ContentSearchDeps extends Omit<ChannelsDeps, 'standing'> {
  readonly events: EventSink<ChannelEventPayloads>
  readonly log: Log
  /** The setting search_community.enabled: peers are asked too. */
  asksPeers(): boolean
}

/**
 * Searching channels and torrents: what is here at once, then what a bounded number of peers answer, each channel and
 * torrent once (decision 0416).
 */
export class ContentSearch implements SearchService {
  readonly #deps: ContentSearchDeps
  readonly #running = new Set<Promise<void>>()
  #stopped = false

  constructor(deps: ContentSearchDeps) {
    this.#deps = deps
  }

  async search(text: string): Promise<void> {
    const query = checked(text)
    const library = await this.#deps.library()
    if (this.#stopped) throw new AppError('NotReady')
    if (this.#running.size >= MAX_SEARCHES) throw new AppError('TooManyRequests')
    const running = this.#run(library, this.#deps.network(), query)
      .catch((error: unknown) => this.#deps.log.warn('a search ended early', { error: errorText(error) }))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async completions(text: string): Promise<string[]> {
    const query = checked(text)
    return (await this.#deps.library()).completions(query, COMPLETIONS, hides(this.#deps, false))
  }

  /** Nothing is reported after it. */
  stop(): void {
    this.#stopped = true
  }

  async #run(library: ChannelLibrary, network: ChannelNetwork, query: string): Promise<void> {
    const told = new Set<string>()
    const hide = hides(this.#deps, false)
    const tell = (results: SearchResults): void => this.#tell(query, results, told)
    tell(await library.search(query, LOCAL_RESULTS, hide))
    if (!this.#deps.asksPeers()) return
    const taking: Promise<void>[] = []
    await network.search(query, NETWORK_MS, records => {
      if (told.size < MAX_RESULTS) taking.push(library.takeFound(query, records, hide).then(tell))
    })
    await Promise.all(taking)
  }

  #tell(query: string, { channels, torrents }: SearchResults, told: Set<string>): void {
    const isNew = (name: string): boolean => {
      if (this.#stopped || told.size >= MAX_RESULTS || told.has(name)) return false
      told.add(name)
      return true
    }
    for (const result of channels) {
      if (isNew(`channel ${result.dispersy_cid}`)) {
        this.#deps.events.emit('search_result_channel', { query, result })
      }
    }
    for (const result of torrents) {
      if (isNew(`torrent ${result.infohash}`)) {
        this.#deps.events.emit('search_result_torrent', { query, result })
      }
    }
  }
}

function checked(text: string): string {
  const query = text.trim()
  if (query === '') throw new AppError('InvalidParameter', 'There is nothing to search for.')
  return query
}
