// How wide the panel of one download is beside the list, in percent of both. Pure.

/** Percent: the least and the most, and that of who has chosen none (as in list.css). */
export const [LEAST_WIDTH, MOST_WIDTH, USUAL_WIDTH] = [24, 66, 36] as const

const STEP = 2
const LARGE_STEP = 10

/** Within the bounds, whole. */
export function widthWithin(percent: number): number {
  return Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, Math.round(percent)))
}

/** What this device has kept; null: nothing, or nothing that can be read. */
export function widthIn(kept: unknown): number | null {
  return typeof kept === 'number' && Number.isFinite(kept) ? widthWithin(kept) : null
}

/** Where the list and the panel lie, pixels. */
export interface PanelPlace {
  readonly left: number
  readonly right: number
  /** The panel is at the left. */
  readonly mirrored: boolean
}

/** The width that brings the edge of the panel to `x`, pixels. */
export function widthAt({ left, right, mirrored }: PanelPlace, x: number): number {
  if (right <= left) return USUAL_WIDTH
  return widthWithin(((mirrored ? x - left : right - x) / (right - left)) * 100)
}

/**
 * The width after a key: arrows move the edge where they point, Page up and down move it further, Home and End are the
 * ends, Enter is the usual width (null). Undefined: the key is for somebody else.
 */
export function widthAfter(key: string, now: number, mirrored: boolean): number | null | undefined {
  const wider = mirrored ? 'ArrowRight' : 'ArrowLeft'
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowRight':
      return widthWithin(now + (key === wider ? STEP : -STEP))
    case 'PageUp':
      return widthWithin(now + LARGE_STEP)
    case 'PageDown':
      return widthWithin(now - LARGE_STEP)
    case 'Home':
      return LEAST_WIDTH
    case 'End':
      return MOST_WIDTH
    case 'Enter':
      return null
    default:
      return undefined
  }
}
