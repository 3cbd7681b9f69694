// How much of a download is there, as a bar in the colour of its state.

import type { Tone } from '../model/download-groups.ts'
import { percent } from '../model/format.ts'

/** `label`: for screen readers; null where the number is beside it. */
export function ProgressBar({ value, tone, label }: { value: number; tone: Tone; label: string | null }) {
  const width = `${Math.min(100, Math.max(0, value * 100))}%`
  const spoken =
    label === null
      ? { 'aria-hidden': true }
      : {
          role: 'progressbar' as const,
          'aria-label': label,
          'aria-valuenow': Math.floor(value * 100),
          'aria-valuetext': percent(value),
        }
  return (
    <div class={`bar ${tone}`} {...spoken}>
      <div class="bar-fill" style={{ width }} />
    </div>
  )
}
