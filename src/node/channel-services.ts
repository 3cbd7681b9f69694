// Services of channels, there from the first moment; what they work with (channel-parts.ts) is loaded and started when somebody first
// asks for channels, or with the node where there is a catalogue. A node without channels has none of it in memory.

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorText } from '../base/errors.ts'
import { CATALOGUE_FILE_NAME } from '../catalogue/file-name.ts'
import { noChannelNetwork } from '../ports/channel-network.ts'
import type { FeedsService, Services } from '../services/api.ts'
import { ChannelContents } from '../services/channel-contents.ts'
import { ChannelTorrents } from '../services/channel-torrents.ts'
import { Channels } from '../services/channels.ts'
import { ContentSearch } from '../services/content-search.ts'
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

/** See the top of the file. */
export class ChannelServices {
  readonly services: Pick<Services, 'channels' | 'channelContents' | 'search' | 'torrentHealth' | 'feeds'>
  readonly #deps: EarlyChannelDeps
  readonly #search: ContentSearch
  #late: LateChannelDeps | null = null
  #starting: Promise<RunningChannels> | null = null
  #running: RunningChannels | null = null
  #stopped = false

  constructor(deps: EarlyChannelDeps) {
    this.#deps = deps
    const common = {
      library: async () => (await this.open()).library,
      network: () => this.#running?.network ?? noChannelNetwork,
      familyFilter: () => deps.settings().general.family_filter,
    }
    const { events, sources } = deps
    this.#search = new ContentSearch({
      ...common,
      ...{ events, log: deps.log, asksPeers: () => deps.settings().search_community.enabled },
    })
    this.services = {
      channels: new Channels(common),
      channelContents: new ChannelContents({
        ...common,
        torrents: library => new ChannelTorrents({ library, sources }),
      }),
      search: this.#search,
      torrentHealth: { health: async (...asked) => (await this.open()).health.health(...asked) },
      feeds: this.#feeds(),
    }
  }

  /** What runs now; null: nobody has asked for channels yet. Starts nothing. */
  get running(): RunningChannels | null {
    return this.#running
  }

  /** The node has started: channels open when they are asked for, and now where there is a catalogue. Never rejects. */
  async start(late: LateChannelDeps): Promise<void> {
    this.#late = late
    if (!(await exists(join(this.#deps.stateDir, CATALOGUE_FILE_NAME)))) return
    await this.open().catch((error: unknown) =>
      this.#deps.log.error('channels could not be started', { error: errorText(error) }),
    )
  }

  /** Starts them once; a start that failed may be tried again. AppErrors NotReady, StateUnreadable, DiskFull, DiskError. */
  open(): Promise<RunningChannels> {
    const late = this.#late
    if (late === null || this.#stopped) return Promise.reject(new AppError('NotReady'))
    this.#starting ??= this.#make(late).catch((error: unknown) => {
      this.#starting = null
      throw error
    })
    return this.#starting
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
    const { startChannels } = await import('./channel-parts.ts')
    const running = await startChannels({ ...this.#deps, ...late, onLost: () => this.#lost() })
    this.#running = running
    return running
  }

  /** The next request starts them anew. */
  #lost(): void {
    const running = this.#running
    if (running === null || this.#stopped) return
    this.#running = null
    this.#starting = null
    void running.stop(LOST_STOP_MS)
  }

  /** Ends them, also those that are just being started. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true
    this.#search.stop()
    const running = await this.#starting?.catch(() => null)
    this.#running = null
    await running?.stop(deadlineMs)
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
