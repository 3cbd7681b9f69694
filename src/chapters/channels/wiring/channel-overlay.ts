// The overlay of channels in a running node: opened once the overlays run, which it asks for until they do (a port that
// is taken now may be free later), closed with the channels. Until then there is no peer to ask, and nothing else waits
// for it.

import { errorText } from '../../../base/errors.ts'
import { ChannelMesh } from '../network/channel-mesh.ts'
import { MAX_PEERS } from '../network/limits.ts'
import type { Communities } from '../../overlay/core/index.ts'
import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import { type ChannelNetwork, type NetworkStanding, notStanding } from '../ports/channel-network.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../overlay/wire/community-ids.ts'
import { overlaysOff } from '../../overlay/wiring/overlay-switch.ts'
import type { ChannelSettings } from './settings-channels.ts'

/** Nobody is looked for at so many peers, and strangers are refused above so many. */
export const TARGET_PEERS = 30

/** First wait after a start that failed, ms; doubling up to the second. */
const RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000
/** How often a search for a channel looks whether the overlay runs by now. */
const LOOK_MS = 250

/** What it works with. */
export interface ChannelOverlayDeps {
  readonly catalogue: ChannelCatalogue
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  settings(): ChannelSettings
  /** The overlays of the node; starts them. Rejects with AppErrors. */
  readonly overlay: { communities(): Promise<Communities> }
}

/**
 * The overlay of channels in a running node: opened once the overlays run, which it asks for until they do (a port that
 * is taken now may be free later), closed with the channels.
 */
export class ChannelOverlay implements ChannelNetwork {
  readonly #deps: ChannelOverlayDeps
  #mesh: ChannelMesh | null = null
  #timer: Timer | null = null
  #retryMs = RETRY_MS
  #stopped = false
  /** Of the last start, if it failed. */
  #problem = ''

  constructor(deps: ChannelOverlayDeps) {
    this.#deps = deps
  }

  /** The overlay, while it runs. */
  get mesh(): ChannelMesh | null {
    return this.#mesh
  }

  /** Whether it runs, with peers. */
  get hasPeers(): boolean {
    return (this.#mesh?.counts.peers ?? 0) > 0
  }

  /** How it stands now. */
  get standing(): NetworkStanding {
    const setting = this.#forbiddenBy()
    if (setting !== '') return { ...notStanding, state: 'off', setting }
    if (this.#mesh === null)
      return this.#problem === '' ? notStanding : { ...notStanding, state: 'failed', problem: this.#problem }
    const { peers } = this.#mesh.counts
    return { ...notStanding, state: peers > 0 ? 'connected' : 'alone', peers }
  }

  /** Opens it as soon as it can be; never rejects, and is not to be waited for. */
  async start(): Promise<void> {
    const { log } = this.#deps
    if (this.#stopped || this.#off()) return
    try {
      const communities = await this.#deps.overlay.communities()
      if (!this.#isStopped()) this.#open(communities)
    } catch (error) {
      if (this.#isStopped()) return
      const problem = errorText(error)
      // A port stays taken for as long as the other node runs: that is no news each minute.
      if (problem !== this.#problem)
        log.warn('the overlay of channels could not be started; it will be tried again', { error: problem })
      this.#problem = problem
      this.#timer = this.#deps.clock.after(this.#retryMs, () => void this.start())
      this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2)
    }
  }

  async find(channel: Parameters<ChannelNetwork['find']>[0], limitMs: number): Promise<boolean> {
    const { clock } = this.#deps
    const endMs = clock.now() + limitMs
    while (this.#mesh === null && !this.#stopped && !this.#off() && clock.now() + LOOK_MS < endMs)
      await new Promise<void>(resolve => clock.after(LOOK_MS, resolve))
    return (await this.#mesh?.find(channel, endMs - clock.now())) ?? false
  }

  async search(...asked: Parameters<ChannelNetwork['search']>): Promise<void> {
    await this.#mesh?.search(...asked)
  }

  hurry(channel: Parameters<ChannelNetwork['hurry']>[0]): void {
    this.#mesh?.hurry(channel)
  }

  /** Ends it; the overlays are not its to stop. */
  stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    this.#mesh?.close()
    this.#mesh = null
    return Promise.resolve()
  }

  #open(communities: Communities): void {
    const { settings, catalogue, clock, random, log } = this.#deps
    const communityId = communityIdBytes(COMMUNITY_IDS.channels) ?? new Uint8Array(20)
    const limits = { targetPeers: TARGET_PEERS, maxPeers: MAX_PEERS }
    const community = communities.open({ communityId, name: 'ChannelCommunity', ...limits })
    this.#mesh = new ChannelMesh({
      community,
      catalogue,
      clock,
      random,
      log,
      discovers: () => settings().allchannel_community.enabled,
      answersSearches: () => settings().search_community.enabled,
    })
    log.info('the overlay of channels is open')
  }

  #off(): boolean {
    return this.#forbiddenBy() !== ''
  }

  /** The setting; empty: none. */
  #forbiddenBy(): string {
    const settings = this.#deps.settings()
    const overlays = overlaysOff(settings)
    return overlays !== '' || settings.channel_community.enabled ? overlays : 'channel_community.enabled'
  }

  /** After a promise: the field may have changed, which the compiler does not see. */
  #isStopped(): boolean {
    return this.#stopped
  }
}
