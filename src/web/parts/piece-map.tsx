// The pieces of a download as a bar from the first to the last; how full a place is drawn tells how many are there.

import { useEffect, useRef } from 'preact/hooks'
import { percent } from '../model/format.ts'
import { bitsOf, shares } from '../model/piece-runs.ts'
import { colorIn, useScheme } from './scheme.ts'

const HEIGHT = 28

function draw(canvas: HTMLCanvasElement, pieces: string, count: number): void {
  const scale = devicePixelRatio
  const width = Math.max(1, Math.round(canvas.clientWidth * scale))
  canvas.width = width
  canvas.height = Math.round(HEIGHT * scale)
  const context = canvas.getContext('2d')
  if (context === null) return
  context.fillStyle = colorIn(canvas, 'sunk')
  context.fillRect(0, 0, width, canvas.height)
  context.fillStyle = colorIn(canvas, 'flow-down')
  const columns = Math.min(width, Math.max(1, count))
  for (const [column, share] of shares(bitsOf(pieces), count, columns).entries()) {
    if (share === 0) continue
    const begin = Math.floor((column * width) / columns)
    const end = Math.floor(((column + 1) * width) / columns)
    // A single piece among many must be seen too.
    context.globalAlpha = 0.25 + 0.75 * share
    context.fillRect(begin, 0, Math.max(1, end - begin), canvas.height)
  }
}

interface PieceMapProps {
  /** Base64, one bit a piece. */
  readonly pieces: string
  readonly count: number
  readonly progress: number
}

/** The pieces of a download as a bar from the first to the last; how full a place is drawn tells how many are there. */
export function PieceMap({ pieces, count, progress }: PieceMapProps) {
  const ref = useRef<HTMLCanvasElement>(null)
  const scheme = useScheme()
  useEffect(() => {
    const canvas = ref.current
    if (canvas === null) return undefined
    const observer = new ResizeObserver(() => draw(canvas, pieces, count))
    observer.observe(canvas)
    return () => observer.disconnect()
  }, [pieces, count, scheme])
  const name = `Piece map: ${percent(progress)} of ${count.toLocaleString('en')} pieces`
  return <canvas ref={ref} class="piece-map" role="img" aria-label={name} />
}
