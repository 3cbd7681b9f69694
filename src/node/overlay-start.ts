// The running overlay: key, port, overlays, circuits, made in order when somebody needs them and stopped in reverse. Loaded then,
// not before: a node without anonymous downloads has none of this in memory.

import { AppError } from '../base/errors.ts'
import { localInterfaces } from '../io/multicast.ts'
import type { NetworkStack } from '../io/network-stack.ts'
import { makeOverlayCrypto } from '../io/overlay-crypto.ts'
import { Overlays } from '../overlay/index.ts'
import type { Circuits } from '../ports/circuits.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { OverlayCrypto, OverlayKeyPair } from '../ports/overlay-crypto.ts'
import type { OverlayFacts } from '../ports/overlay-facts.ts'
import type { NodeValues } from '../ports/records.ts'
import type { Random } from '../ports/random.ts'
import { COMMUNITY_IDS } from '../wire/overlay/community-ids.ts'
import { openOverlayKey } from './overlay-key.ts'
import { overlaysOptions } from './overlay-options.ts'
import { OverlayPeers } from './overlay-peers.ts'
import type { Settings } from './settings-schema.ts'

/** What the overlay is made from. */
export interface OverlayStartDeps {
  readonly stateDir: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly stack: NetworkStack
  readonly values: NodeValues
}

/** What is known of circuits; the rest of OverlayFacts is of the overlays. */
export type CircuitsFacts = Pick<OverlayFacts, 'circuits' | 'joined' | 'places' | 'traffic' | 'candidates' | 'watch'>

/** It runs until stop(). */
export interface RunningOverlay {
  readonly circuits: Circuits
  readonly facts: OverlayFacts
  /** Circuits and overlays end, peers are saved; what takes longer than `deadlineMs` is given up. Nothing is sent after it. */
  stop(deadlineMs: number): Promise<void>
}

/** Starts it. AppErrors PortTaken, SourceFailed, StateUnreadable, DiskFull, DiskError. */
export async function startOverlay(settings: Settings, deps: OverlayStartDeps): Promise<RunningOverlay> {
  const { clock, random, log, stack, stateDir, values } = deps
  const crypto = makeOverlayCrypto(random)
  const pair = await openOverlayKey(stateDir, crypto)
  const overlays = makeOverlays(settings, { clock, random, log, stack, crypto, pair })
  const peers = new OverlayPeers({ clock, log, values, peers: () => savedPeers(overlays) })
  const saved = await peers.load()
  await overlays.start()
  for (const [id, addresses] of Object.entries(saved)) overlays.askAgain(id, addresses)
  peers.start()
  log.info('the overlay has started', { port: overlays.lanAddress?.port, member: memberOf(pair), crypto: crypto.made })
  return {
    circuits: { lane: () => Promise.reject(new AppError('CircuitsUnavailable')) },
    facts: factsOf(overlays),
    async stop(deadlineMs) {
      await withinMs(clock, deadlineMs, peers.stop())
      await overlays.stop()
      pair.wipe()
    },
  }
}
