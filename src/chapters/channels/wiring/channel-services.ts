// Services of channels, there from the first moment; what they work with (channel-parts.ts) is loaded and started when
// channels are first asked for, or with the node where there is a catalogue. A node without channels has none of it in
// memory.

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDeferred } from '../../../base/deferred.ts'
import { AppError, errorText } from '../../../base/errors.ts'
import { CATALOGUE_FILE_NAME } from '../catalogue/file-name.ts'
import { madeNote } from '../../../records/database-file.ts'
import { noChannelNetwork, notStanding } from '../ports/channel-network.ts'
import type { FeedsService } from '../feeds/feeds-api.ts'
import type { ChannelRouteServices } from '../service/route-services.ts'
import { ChannelContents } from '../service/channel-contents.ts'
import { ChannelTorrents } from '../service/channel-torrents.ts'
import { Channels } from '../service/channels.ts'
import { ContentSearch } from '../service/content-search.ts'
import { OpenedAtFirstUse } from '../../../node/opened-at-first-use.ts'
import type { ChannelPartsDeps, RunningChannels } from './channel-parts.ts'

/** What is left of channels whose catalogue is gone ends within so long. */
const LOST_STOP_MS = 2000

/** What is there before the engine. */
export type EarlyChannelDeps = Pick<
  ChannelPartsDeps,
  | 'stateDir'
  | 'clock'
  | 'random'
  | 'log'
  | 'version'
  | 'events'
  | 'settings'
  | 'sources'
  | 'policy'
  | 'stack'
  | 'downloads'
>
/** What is there when the node has started. */
export type LateChannelDeps = Omit<ChannelPartsDeps, keyof EarlyChannelDeps | 'onLost'>

/** What is loaded when channels are first asked for. */
export type ChannelStart = Pick<typeof import('./channel-parts.ts'), 'startChannels'>

/**
 * Services of channels, there from the first moment; what they work with (channel-parts.ts) is loaded and started when
 * channels are first asked for, or with the node where there is a catalogue.
 */
export class ChannelServices {
  readonly services: ChannelRouteServices
  readonly #deps: EarlyChannelDeps
  readonly #load: (() => Promise<ChannelStart>) | undefined
  readonly #search: ContentSearch
  readonly #channels = new OpenedAtFirstUse<RunningChannels>()

  /** `load`: what starts channels; tests replace it. */
  constructor(deps: EarlyChannelDeps, load?: () => Promise<ChannelStart>) {
    this.#deps = deps
    this.#load = load
    const common = {
      library: async () => (await this.open()).library,
      network: () => this.running?.network ?? noChannelNetwork,
      familyFilter: () => deps.settings().general.family_filter,
    }
    const { events, sources } = deps
    this.#search = new ContentSearch({
      ...common,
      events,
      log: deps.log,
      asksPeers: () => deps.settings().search_community.enabled,
    })
    this.services = {
      channels: new Channels({ ...common, standing: () => this.running?.standing() ?? notStanding }),
      channelContents: new ChannelContents({
        ...common,
        torrents: library => new ChannelTorrents({ library, sources }),
      }),
      search: this.#search,
      torrentHealth: { health: async (...asked) => (await this.open()).health.health(...asked) },
      feeds: this.#feeds(),
    }
  }

  /** What runs now; null: channels were not asked for yet. Starts nothing. */
  get running(): RunningChannels | null {
    return this.#channels.opened
  }

  /** Channels that are known; 0 while nothing runs. Starts nothing, never rejects. */
  async counted(): Promise<number> {
    const counts = await this.running?.library.counts().catch(() => null)
    return counts?.channels ?? 0
  }

  /** The node has started: channels open when they are asked for, and now where there is a catalogue. Never rejects. */
  async start(late: LateChannelDeps): Promise<void> {
    this.#channels.ready(() => this.#make(late))
    const path = join(this.#deps.stateDir, CATALOGUE_FILE_NAME)
    // One that was made and has gone is trouble, which opening it tells.
    if (!(await exists(path)) && !(await exists(madeNote(path)))) return
    await this.open().catch((error: unknown) =>
      this.#deps.log.error('channels could not be started', { error: errorText(error) }),
    )
  }

  /**
   * Starts them once; a start that failed may be tried again. AppErrors NotReady, StateUnreadable, DiskFull, DiskError.
   */
  open(): Promise<RunningChannels> {
    return this.#channels.open()
  }

  /** Their code is loaded with the rest of channels. */
  #feeds(): FeedsService {
    const feeds = async (): Promise<FeedsService> => (await this.open()).feeds
    return {
      list: async cid => (await feeds()).list(cid),
      add: async (cid, url) => (await feeds()).add(cid, url),
      remove: async (cid, url) => (await feeds()).remove(cid, url),
      recheck: async cid => (await feeds()).recheck(cid),
      channelFeed: async (...asked) => (await feeds()).channelFeed(...asked),
    }
  }

  async #make(late: LateChannelDeps): Promise<RunningChannels> {
    const { startChannels } = await (this.#load?.() ?? import('./channel-parts.ts'))
    let isLost = false
    const onLost = (): void => {
      isLost = true
      // The next request starts them again.
      this.#channels.discard(LOST_STOP_MS)
    }
    const running = await startChannels({ ...this.#deps, ...late, onLost })
    if (!isLost) return running
    await running.stop(LOST_STOP_MS)
    throw new AppError('WorkerLost', 'The catalogue of channels died while it was opened.')
  }

  /** Ends them within `deadlineMs`, also those that are just being started. */
  async stop(deadlineMs: number): Promise<void> {
    this.#search.stop()
    const late = makeDeferred<undefined>()
    const timer = this.#deps.clock.after(deadlineMs, () => late.resolve(undefined))
    await Promise.race([this.#channels.stop(deadlineMs), late.promise])
    timer.cancel()
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
