// Channels put together: catalogue, network, what feeds them and what looks after them, made in order and stopped in
// reverse. The one place where these meet; loaded when channels are first asked for (channel-services.ts).

import { join } from 'node:path'
import { errorText } from '../../../base/errors.ts'
import { Catalogue } from '../catalogue/catalogue.ts'
import { CATALOGUE_FILE_NAME } from '../catalogue/file-name.ts'
import { joinNetworks } from '../network/joined-networks.ts'
import type { AddressPolicy } from '../../../io/net/address-policy.ts'
import type { NetworkStack } from '../../../io/net/network-stack.ts'
import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { ChannelLibrary } from '../ports/channel-library.ts'
import type { PackTorrents } from '../ports/pack-torrents.ts'
import type { ChannelNetwork, NetworkStanding } from '../ports/channel-network.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { RecordsStore } from '../../../records/records-store.ts'
import type { ChannelEventPayloads } from '../service/channel-event-table.ts'
import { tellChannelEvents } from '../service/channel-events.ts'
import type { FeedsService } from '../feeds/feeds-api.ts'
import { ChannelTorrents, type UriMetainfo } from '../service/channel-torrents.ts'
import type { Downloads } from '../../../services/downloads/downloads.ts'
import type { EventSink } from '../../../services/events/event-table.ts'
import { ChannelOverlay } from './channel-overlay.ts'
import { Feeds } from '../feeds/feeds.ts'
import type { TorrentInfo } from '../../../services/downloads/torrent-info.ts'
import { ChannelPacks } from './channel-packs.ts'
import type { EngineParts } from '../../../node/engine/engine-parts.ts'
import { makeFeedSource } from './feed-http.ts'
import type { OverlayParts } from '../../overlay/wiring/overlay-parts.ts'
import type { TorrentHealthService } from '../health/torrent-health-api.ts'
import type { ChannelSettings } from './settings-channels.ts'
import { StartedParts } from '../../../node/started-parts.ts'
import { startTorrentChecks } from './torrent-checks.ts'

/** What channels are made from. */
export interface ChannelPartsDeps {
  readonly stateDir: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly version: string
  readonly policy: AddressPolicy
  readonly stack: NetworkStack
  readonly events: EventSink<ChannelEventPayloads>
  readonly downloads: Pick<Downloads, 'isAnonymous'>
  /** Torrents behind addresses and magnets. */
  readonly sources: UriMetainfo & Pick<TorrentInfo, 'hiddenFetch'>
  settings(): ChannelSettings
  /** The catalogue's thread is gone: nothing of this can go on. */
  onLost(): void
  readonly engine: EngineParts
  /** Packs of channels in the engine. */
  readonly packs: PackTorrents
  readonly overlay: OverlayParts
  readonly records: RecordsStore
}

/** They run until stop(). */
export interface RunningChannels {
  readonly catalogue: ChannelCatalogue
  readonly library: ChannelLibrary
  readonly network: ChannelNetwork
  /** How the node stands in the overlay of channels now. */
  standing(): NetworkStanding
  readonly health: TorrentHealthService
  readonly feeds: FeedsService
  stop(deadlineMs: number): Promise<void>
}

/** Starts them. AppErrors StateUnreadable, DiskFull, DiskError; then nothing of it runs. */
export async function startChannels(deps: ChannelPartsDeps): Promise<RunningChannels> {
  const started = new StartedParts(deps.log)
  try {
    const { catalogue, library } = await openCatalogue(deps, started)
    const ended = tellChannelEvents(catalogue, deps.events)
    started.add('channel events', () => Promise.resolve(ended()))
    const { network, standing } = await startNetwork(deps, catalogue, started)
    const health = startTorrentChecks(deps, library, started)
    const feeds = await startFeeds(deps, library, started)
    return { catalogue, library, network, standing, health, feeds, stop: deadlineMs => started.stop(deadlineMs) }
  } catch (error) {
    await started.stop(0)
    throw error
  }
}

/** The catalogue's thread. */
async function openCatalogue(
  deps: ChannelPartsDeps,
  started: StartedParts,
): Promise<{ readonly catalogue: ChannelCatalogue; readonly library: ChannelLibrary }> {
  const opened = await Catalogue.open({
    path: join(deps.stateDir, CATALOGUE_FILE_NAME),
    onFatal: error => {
      deps.log.error('the catalogue of channels is lost', { error: errorText(error) })
      deps.onLost()
    },
  })
  started.add('catalogue', deadlineMs => opened.close(deadlineMs))
  return { catalogue: opened.network, library: opened.library }
}

/** The overlay of channels, heads in the DHT, packs. */
async function startNetwork(
  deps: ChannelPartsDeps,
  catalogue: ChannelCatalogue,
  started: StartedParts,
): Promise<Pick<RunningChannels, 'network' | 'standing'>> {
  const { clock, random, engine, packs: torrents, overlay, settings } = deps
  const log = deps.log.part('channels')
  const mesh = new ChannelOverlay({ catalogue, clock, random, log, overlay, settings })
  const packs = new ChannelPacks({
    catalogue,
    clock,
    random,
    log,
    engine,
    packs: torrents,
    settings,
    overlay: () => mesh.hasPeers,
  })
  started.add('packs of channels', () => packs.stop())
  started.add('overlay of channels', () => mesh.stop())
  await packs.start()
  // Not waited for: channels are there at once, peers come when they come.
  void mesh.start()
  return { network: joinNetworks([mesh, packs]), standing: () => mesh.standing }
}

/** Feeds into channels. */
async function startFeeds(
  deps: ChannelPartsDeps,
  library: ChannelLibrary,
  started: StartedParts,
): Promise<FeedsService> {
  const { clock, random, log, sources, records, settings } = deps
  const feeds = new Feeds({
    clock,
    random,
    log: log.part('feeds'),
    library: () => Promise.resolve(library),
    source: makeFeedSource(deps, () => sources.hiddenFetch()),
    torrents: shelf => new ChannelTorrents({ library: shelf, sources }),
    familyFilter: () => settings().general.family_filter,
  })
  started.add('feeds', () => feeds.stop())
  await feeds.start(records.feeds)
  return feeds
}
