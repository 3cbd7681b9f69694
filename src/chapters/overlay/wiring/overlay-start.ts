// The running overlay: key, port, overlays, circuits, made in order when they are needed and stopped in reverse. Loaded
// then, not before: a node without anonymous downloads has none of this in memory.

import { makeDeferred } from '../../../base/deferred.ts'
import { errorText } from '../../../base/errors.ts'
import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import { localInterfaces } from '../../../io/net/multicast.ts'
import type { NetworkStack } from '../../../io/net/network-stack.ts'
import { makeOverlayCrypto } from '../io/overlay-crypto.ts'
import {
  type Communities,
  type Community,
  type CommunityOptions,
  type OverlayDht,
  Overlays,
  type SignatureCheck,
} from '../core/index.ts'
import { SealPool } from '../sealing/seal-pool.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { OverlayCrypto, OverlayKeyPair } from '../ports/overlay-crypto.ts'
import type { OverlayFacts } from '../ports/overlay-facts.ts'
import type { NodeValues } from '../../../ports/records.ts'
import type { Random } from '../../../ports/random.ts'
import { openOverlayKey } from './overlay-key.ts'
import type { CircuitsFacts } from './overlay-nothing.ts'
import { overlaysOptions, portSetting } from './overlay-options.ts'
import { noRider, type OverlayRider, type RiderMaker } from './overlay-rider.ts'
import { OverlayPeers, type SavedOverlayPeers } from './overlay-peers.ts'
import type { OverlaySettings } from './settings-overlay.ts'

/** Overlays whose peers are remembered. */
const MAX_KNOWN_OVERLAYS = 8

/** What the overlay is made from. */
export interface OverlayStartDeps {
  readonly stateDir: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly stack: NetworkStack
  readonly values: NodeValues
  /** What makes that which runs on it; null: nothing does. */
  readonly rider: (() => Promise<RiderMaker>) | null
}

/** It runs until stop(). */
export interface RunningOverlay {
  /** What runs on it; whether settings allow it is the caller's to ask. */
  readonly rider: OverlayRider
  /** Further overlays of the node. */
  readonly communities: Communities
  /** The DHT of the overlays, and what their signatures are checked with. */
  readonly dht: OverlayDht
  readonly check: SignatureCheck
  readonly facts: OverlayFacts
  /**
   * Circuits and overlays end, peers are saved; what takes longer than `deadlineMs` is given up. Nothing is sent after
   * it.
   */
  stop(deadlineMs: number): Promise<void>
}

/** Starts it. AppErrors PortTaken, SourceFailed, StateUnreadable, DiskFull, DiskError. */
export async function startOverlay(settings: OverlaySettings, deps: OverlayStartDeps): Promise<RunningOverlay> {
  const { clock, random, log, stack, stateDir, values } = deps
  const crypto = makeOverlayCrypto(random)
  const pair = await openOverlayKey(stateDir, crypto)
  const pool = new SealPool({}, { crypto, random, log })
  const overlays = makeOverlays(settings, { clock, random, log, stack, crypto, pool, pair })
  const known = new Map<string, readonly PeerAddress[]>()
  const making = { overlays, crypto, pool, pair, clock, random, log, stack }
  const makeRider = await deps.rider?.()
  const rider = makeRider?.({ ...making, settings, opened: () => askKnown(overlays, known) }) ?? noRider
  const running = { overlays, rider, pool, pair }
  const peers = new OverlayPeers({
    clock,
    log,
    values,
    peers: () => savedPeers(overlays, known),
    askAgain: () => askKnown(overlays, known),
  })
  const saved = await peers.load()
  for (const [id, addresses] of Object.entries(saved)) known.set(id, addresses)
  await startAtPort(overlays, settings, log).catch(async (error: unknown) => {
    // It may be tried again: nothing of this attempt stays.
    await endAll(running)
    throw error
  })
  askKnown(overlays, known)
  peers.start()
  log.info('the overlay has started', { port: overlays.lanAddress?.port, member: memberOf(pair), crypto: crypto.made })
  return {
    rider,
    communities: { open: options => openWithKnown(overlays, options, known) },
    dht: overlays.dht,
    check: checkOf(crypto, pool),
    facts: factsOf(overlays, rider.facts),
    stop: deadlineMs => settledWithin(clock, deadlineMs, Promise.all([peers.stop(), endAll(running)])),
  }
}

/**
 * At the port of the settings, or at a free one where that cannot be had: a second node of this machine has circuits
 * and channels too (decision 0375). Rejects as the first try does when no port of the address can be had.
 */
async function startAtPort(
  overlays: Pick<Overlays, 'start' | 'lanAddress'>,
  settings: OverlaySettings,
  log: Log,
): Promise<void> {
  const { port } = overlaysOptions(settings)
  try {
    await overlays.start()
  } catch (error) {
    if (port === 0) throw error
    await overlays.start(0).catch(() => {
      throw error
    })
    log.warn('the UDP port of the overlay cannot be had; another free one is used until the next start', {
      setting: portSetting(settings),
      port,
      used: overlays.lanAddress?.port,
      error: errorText(error),
    })
  }
}

interface Ending {
  readonly overlays: Overlays
  readonly rider: OverlayRider
  readonly pool: SealPool
  readonly pair: OverlayKeyPair
}

/**
 * Circuits first, so that neighbours hear of it. Nothing is sent from here on, however long the thread takes to end.
 */
async function endAll({ overlays, rider, pool, pair }: Ending): Promise<void> {
  rider.stop()
  await overlays.stop()
  await pool.stop()
  pair.wipe()
}

interface OverlayMaking extends Pick<OverlayStartDeps, 'clock' | 'random' | 'log' | 'stack'> {
  readonly crypto: OverlayCrypto
  readonly pool: SealPool
  readonly pair: OverlayKeyPair
}

function makeOverlays(settings: OverlaySettings, deps: OverlayMaking): Overlays {
  const { clock, random, log, stack, crypto, pool, pair } = deps
  const { place, peers: lane } = stack
  return new Overlays(overlaysOptions(settings), {
    clock,
    random,
    log,
    udp: lane.udp,
    resolver: lane.resolver,
    check: checkOf(crypto, pool),
    identity: { publicKey: pair.publicKey, mid: pair.mid, member: memberOf(pair), sign: bytes => pair.sign(bytes) },
    localIps: () =>
      place === null
        ? localInterfaces(4).map(({ ip }) => ip)
        : place.endpoints().flatMap(({ ip }) => (isV4(ip) ? [ip] : [])),
  })
}

/** In a flood signatures are checked by a thread. */
function checkOf(crypto: OverlayCrypto, pool: SealPool): SignatureCheck {
  return {
    verify: (...asked) => crypto.verify(...asked),
    verifyOrLater: (...asked) => pool.verifyOrLater(...asked),
  }
}

/** Those of the overlays that run, and of others what was known last. */
function savedPeers(overlays: Overlays, known: Map<string, readonly PeerAddress[]>): SavedOverlayPeers {
  for (const { id } of overlays.rows()) {
    const addresses = overlays.addressesOf(id)
    if (addresses.length > 0) known.set(id, addresses)
  }
  return Object.fromEntries([...known].slice(-MAX_KNOWN_OVERLAYS))
}

/** Has the open overlays without peers ask where their peers were at another time. */
function askKnown(overlays: Overlays, known: ReadonlyMap<string, readonly PeerAddress[]>): void {
  for (const [id, addresses] of known) {
    if (overlays.addressesOf(id).length === 0) overlays.askAgain(id, addresses)
  }
}

/** Opens an overlay, and asks where its peers were at another time. */
function openWithKnown(
  overlays: Overlays,
  options: CommunityOptions,
  known: ReadonlyMap<string, readonly PeerAddress[]>,
): Community {
  const community = overlays.open(options)
  overlays.askAgain(community.overlay.id, known.get(community.overlay.id) ?? [])
  return community
}

/** What the overlays tell, with what there is of circuits. */
function factsOf(overlays: Overlays, circuits: CircuitsFacts): OverlayFacts {
  return {
    ...circuits,
    running: true,
    wanAddress: () => textOf(overlays.wanAddress),
    lanAddress: () => textOf(overlays.lanAddress),
    runtimeS: () => overlays.runtimeS,
    overlays: () => overlays.rows(),
  }
}

function textOf(address: PeerAddress | null): string | null {
  return address === null ? null : addressKey(address)
}

function memberOf({ mid }: OverlayKeyPair): string {
  return Buffer.from(mid).toString('hex')
}

function isV4(ip: string): boolean {
  return !ip.includes(':')
}

/** Waits for `work`, but not longer than `deadlineMs`. */
async function settledWithin(clock: Clock, deadlineMs: number, work: Promise<unknown>): Promise<void> {
  const late = makeDeferred<void>()
  const timer = clock.after(deadlineMs, () => late.resolve())
  await Promise.race([work, late.promise])
  timer.cancel()
}
