// The interface of what another chapter runs on the overlays (circuits): shown with them, made only when it is needed.

import type { NetworkStack } from '../../../io/net/network-stack.ts'
import { SharedKey } from '../../../node/shared-parts.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { Overlays } from '../core/index.ts'
import type { OverlayCrypto, OverlayKeyPair } from '../ports/overlay-crypto.ts'
import type { OverlayCryptoPool } from '../ports/overlay-crypto-pool.ts'
import { type CircuitsFacts, noCircuitFacts } from './overlay-nothing.ts'
import type { OverlaySettings } from './settings-overlay.ts'

/** What it is made on. */
export interface RiderDeps {
  readonly settings: OverlaySettings
  readonly overlays: Overlays
  readonly crypto: OverlayCrypto
  readonly pool: Pick<OverlayCryptoPool, 'respond' | 'sealAll' | 'verifyOrLater'>
  readonly pair: OverlayKeyPair
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly stack: NetworkStack
  /** It has opened overlays of its own: their peers of another time are asked. */
  opened(): void
}

/** It, while the overlays run. */
export interface OverlayRider {
  /** What is known of it; nothing before it is opened. */
  readonly facts: CircuitsFacts
  /** Makes it at the first call. */
  open(): void
  /** Ends it, where it was made; the overlays end afterwards. */
  stop(): void
}

/** Makes it, each time the overlays start. */
export type RiderMaker = (deps: RiderDeps) => OverlayRider

/** Loads its maker. */
export const overlayRider = new SharedKey<() => Promise<RiderMaker>>('what runs on the overlays')

/** Nothing runs on them. */
export const noRider: OverlayRider = {
  facts: noCircuitFacts,
  open: () => undefined,
  stop: () => undefined,
}
