// The overlays of a node as other chapters have them.

import { SharedKey } from '../../../node/shared-parts.ts'
import type { OverlayParts } from './overlay-parts.ts'

/** The overlays, there when the store is open. */
export const overlayParts = new SharedKey<OverlayParts>('the overlays')
