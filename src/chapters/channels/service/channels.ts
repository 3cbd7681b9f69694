// Channels: lists, own ones, subscriptions, votes and grants (spec 3.4 and 4.3; decision 0415). The library keeps and
// signs; the network is asked for what is not known here.

import { AppError } from '../../../base/errors.ts'
import type { ChannelLibrary, ListedChannel, ListedGrant } from '../ports/channel-library.ts'
import type { ChannelNetwork, NetworkStanding } from '../ports/channel-network.ts'
import type { ChannelId } from '../wire/types.ts'
import type { ChannelChange, ChannelModeName, ChannelsService } from './channels-api.ts'

/** A channel that is not known here is looked for so long (decisions part 3). */
export const FIND_MS = 30_000
/** Channels looked for at a time. */
const MAX_FINDS = 16

/** What services of channels need of the node. */
export interface ChannelsDeps {
  /** Opens the catalogue when it is first asked for. AppErrors NotReady, StateUnreadable, DiskFull, DiskError. */
  library(): Promise<ChannelLibrary>
  network(): ChannelNetwork
  standing(): NetworkStanding
  /** The setting general.family_filter. */
  familyFilter(): boolean
}

/** Channels: lists, own ones, subscriptions, votes and grants (spec 3.4 and 4.3; decision 0415). */
export class Channels implements ChannelsService {
  readonly #deps: ChannelsDeps
  #finds = 0

  constructor(deps: ChannelsDeps) {
    this.#deps = deps
  }

  async discovered(unfiltered: boolean): Promise<ListedChannel[]> {
    return (await this.#deps.library()).discovered(hides(this.#deps, unfiltered))
  }

  standing(): NetworkStanding {
    return this.#deps.standing()
  }

  async popular(limit: number): Promise<ListedChannel[]> {
    const all = await this.discovered(false)
    return all
      .toSorted((a, b) => b.votes - a.votes || b.modified - a.modified || b.torrents - a.torrents)
      .slice(0, limit)
  }

  async subscribed(): Promise<ListedChannel[]> {
    return (await this.#deps.library()).subscribed()
  }

  async channel(cid: string): Promise<ListedChannel> {
    return (await this.#deps.library()).channel(cid)
  }

  async create(name: string, description: string, mode: ChannelModeName): Promise<ListedChannel> {
    checkName(name)
    return (await this.#deps.library()).create(name, description, mode)
  }

  async change(cid: string, change: ChannelChange): Promise<boolean> {
    if (change.name !== undefined) checkName(change.name)
    const library = await this.#deps.library()
    const { own } = await library.channel(cid)
    if (!own) throw new AppError('NotChannelOwner')
    if (Object.keys(change).length === 0) return false
    await library.change(cid, change)
    return true
  }

  async remove(cid: string): Promise<void> {
    await (await this.#deps.library()).remove(cid)
  }

  async subscribe(cid: string): Promise<void> {
    const library = await this.#deps.library()
    const known = await knownChannel(library, cid)
    if (known === null) await this.#find(cid)
    if (!(await library.subscribe(cid, true))) throw new AppError('AlreadySubscribed')
    // Of an own one all is here.
    if (known?.own !== true) this.#deps.network().hurry(cid as ChannelId)
  }

  /** AppErrors ChannelNotFound, TooManyRequests. */
  async #find(cid: string): Promise<void> {
    if (this.#finds >= MAX_FINDS) throw new AppError('TooManyRequests')
    this.#finds += 1
    try {
      if (!(await this.#deps.network().find(cid as ChannelId, FIND_MS))) throw new AppError('ChannelNotFound')
    } finally {
      this.#finds -= 1
    }
  }

  async unsubscribe(cid: string): Promise<void> {
    if (!(await (await this.#deps.library()).unsubscribe(cid))) throw new AppError('NotSubscribed')
  }

  async callSpam(cid: string, spam: boolean): Promise<void> {
    await (await this.#deps.library()).vote(cid, spam ? -1 : 0)
  }

  async mine(): Promise<ListedChannel> {
    const own = await (await this.#deps.library()).own()
    const first = own.toSorted((a, b) => a.id - b.id)[0]
    if (first === undefined) throw new AppError('ChannelNotFound', 'Your channel has not been created.')
    return first
  }

  async author(): Promise<string> {
    return (await this.#deps.library()).author()
  }

  async grants(cid: string): Promise<ListedGrant[]> {
    return (await this.#deps.library()).grants(cid)
  }

  async grant(cid: string, contributor: string, add: boolean, moderate: boolean): Promise<void> {
    await (await this.#deps.library()).grant(cid, contributor, add, moderate)
  }
}

/** Whether lists leave out what the family filter is for. */
export function hides(deps: Pick<ChannelsDeps, 'familyFilter'>, unfiltered: boolean): boolean {
  return !unfiltered && deps.familyFilter()
}

async function knownChannel(library: ChannelLibrary, cid: string): Promise<ListedChannel | null> {
  try {
    return await library.channel(cid)
  } catch (error) {
    if (error instanceof AppError && error.code === 'ChannelNotFound') return null
    throw error
  }
}

function checkName(name: string): void {
  if (name.trim() === '') throw new AppError('InvalidParameter', 'The name of a channel cannot be empty.')
}
