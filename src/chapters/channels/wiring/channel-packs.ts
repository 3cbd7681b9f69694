// Channels by DHT and BitTorrent alone, put together: heads in the DHT, packs as hidden torrents of the engine. Works
// with the overlay off; with it, packs are what new subscribers of large channels begin with.

import { HeadKeeper } from '../network/head-keeper.ts'
import { PackKeeper } from '../network/pack-keeper.ts'
import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { PackTorrents } from '../ports/pack-torrents.ts'
import type { ChannelNetwork } from '../ports/channel-network.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { ChannelId } from '../wire/types.ts'
import type { EngineParts } from '../../../node/engine/engine-parts.ts'
import type { ChannelSettings } from './settings-channels.ts'

/** What they need of the node. */
export interface ChannelPacksParts {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly engine: Pick<EngineParts, 'items'>
  readonly packs: PackTorrents
  readonly catalogue: ChannelCatalogue
  settings(): ChannelSettings
  /** Whether records come by the overlay of channels too. */
  overlay(): boolean
}

/**
 * Channels by DHT and BitTorrent alone, put together: heads in the DHT, packs as hidden torrents of the engine. start()
 * once, stop() once.
 */
export class ChannelPacks implements ChannelNetwork {
  /** Null: there is no DHT. */
  readonly heads: HeadKeeper | null
  readonly packs: PackKeeper

  constructor(parts: ChannelPacksParts) {
    const { clock, random, log, engine, catalogue } = parts
    const { items } = engine
    const intervalMs = (): number => parts.settings().updates.interval * 60_000
    this.heads = items === null ? null : new HeadKeeper({ clock, random, log, items, catalogue, intervalMs })
    this.packs = new PackKeeper({
      clock,
      random,
      log,
      catalogue,
      packs: parts.packs,
      overlay: () => parts.overlay(),
      lookForHead: channel => this.heads?.hurry(channel),
    })
  }

  /** Goes on with the channels that are own or subscribed. */
  async start(): Promise<void> {
    await Promise.all([this.packs.start(), this.heads?.start()])
  }

  /** Settles when nothing is under way. */
  async stop(): Promise<void> {
    await Promise.all([this.packs.stop(), this.heads?.stop()])
  }

  /** Looks in the DHT for a channel that is not known here: see ChannelNetwork.find. */
  find(channel: ChannelId, limitMs: number): Promise<boolean> {
    return this.heads?.find(channel, limitMs) ?? Promise.resolve(false)
  }

  /** The DHT knows no words. */
  search(): Promise<void> {
    return Promise.resolve()
  }

  /** Its head is asked for again, its pack looked at. */
  hurry(channel: ChannelId): void {
    this.heads?.hurry(channel)
    this.packs.hurry(channel)
  }
}
