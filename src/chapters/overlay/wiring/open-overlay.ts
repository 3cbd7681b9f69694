// The overlays of a node as other chapters have them.

import type { Kernel, OpenedChapter } from '../../../node/kernel.ts'
import { SharedKey } from '../../../node/shared-parts.ts'
import { startsAtOnce } from './overlay-options.ts'
import { OverlayParts } from './overlay-parts.ts'
import { overlayRider } from './overlay-rider.ts'
import { overlaySettingsOf } from './settings-overlay.ts'

/** The overlays, there when the store is open. */
export const overlayParts = new SharedKey<OverlayParts>('the overlays')

/** Part of the time to stop. */
const STOP_SHARE = 0.15

/**
 * Opens the chapter: the overlays run when another chapter first asks for them, or with the node where the settings say
 * so.
 */
export function openOverlay({ stateDir, clock, random, log, stack, settings, shared }: Kernel): OpenedChapter {
  const now = () => overlaySettingsOf(settings.values)
  return {
    services: {},
    // Overlays end after the engines that use their circuits.
    storeOpened({ values }) {
      const parts = new OverlayParts({
        stateDir,
        values,
        clock,
        random,
        log: log.part('overlay'),
        stack,
        settings: now,
        rider: shared.find(overlayRider),
      })
      shared.offer(overlayParts, parts)
      return limitMs => parts.stop(limitMs * STOP_SHARE)
    },
    network: () => shared.find(overlayParts)?.facts ?? null,
    start: () => shared.take(overlayParts).startIfAsked(startsAtOnce(now())),
    stop: () => Promise.resolve(),
  }
}
