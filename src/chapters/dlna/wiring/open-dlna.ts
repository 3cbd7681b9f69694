// The media server of a node: off until the settings want it, and nothing of it loaded before.

import type { Kernel, OpenedChapter } from '../../../node/kernel.ts'
import type { DlnaRouteServices } from '../service/dlna-api.ts'
import { DlnaServices } from './dlna-services.ts'

/** Goodbye must be said. */
const KEPT = 0.05

/** Opens the chapter. */
export function openDlna(kernel: Kernel): OpenedChapter {
  const dlna = new DlnaServices(kernel)
  const services: DlnaRouteServices = { dlna: dlna.service }
  return { services, start: core => dlna.start(core), stop: () => dlna.stop(), kept: KEPT }
}
