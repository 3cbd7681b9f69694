// A line graph over time (uPlot), in the colours of the style sheet, as wide as its place. Screen readers get its data
// by the text beside it, so the canvas itself is only a picture with a name.

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { hasLine, timeRange, valueRange } from '../model/graph-ranges.ts'
import { text } from '../texts/downloads/list.ts'
import { clock } from '../model/format.ts'
import { colorIn, useScheme } from './scheme.ts'

/** One line of a graph. */
export interface Line {
  readonly label: string
  /** Name of a colour of the style sheet, without the dashes. */
  readonly color: string
}

interface GraphProps {
  /** What it shows, for screen readers. */
  readonly name: string
  readonly lines: readonly Line[]
  /** Unix seconds, then a column for each line. Replaced, not changed. */
  readonly data: readonly (readonly number[])[]
  readonly height: number
  /** Without axes and legend. */
  readonly bare?: boolean
  /** A value as people read it. */
  readonly format: (value: number) => string
  /** A time, Unix seconds, as people read it; absent: to the second. */
  readonly time?: (unixSec: number) => string
  /** What the axis of values reaches at least: of a line at nothing it is all there is to read. */
  readonly top?: number
}

/** Distances of the marks: round in binary units and, small, in plain numbers. */
const steps = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, ...Array.from({ length: 40 }, (_, power) => 2 ** (power + 10))]

const clockWithSeconds = (unixSec: number) => clock(unixSec, true)

function optionsOf(element: HTMLElement, props: GraphProps): uPlot.Options {
  const { lines, height, bare = false, format, time = clockWithSeconds, top = 1 } = props
  const [ink, rule] = [colorIn(element, 'muted'), colorIn(element, 'line')]
  const axis = {
    stroke: ink,
    grid: { stroke: rule, width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  return {
    width: Math.max(40, element.clientWidth),
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: bare ? [4, 0, 0, 0] : [10, 28, 0, 0],
    scales: {
      x: { range: (_, min, max) => timeRange(min, max, Date.now() / 1000) },
      y: { range: (_, __, max) => valueRange(max, top) },
    },
    axes: bare
      ? [{ show: false }, { show: false }]
      : [
          { ...axis, size: 26, space: 76, values: (_, splits) => splits.map(value => time(value)) },
          { ...axis, size: 78, space: 34, incrs: steps, values: (_, splits) => splits.map(value => format(value)) },
        ],
    series: [
      {},
      ...lines.map(({ label, color }) => ({
        label,
        stroke: colorIn(element, color),
        width: 1.6,
        fill: `color-mix(in srgb, ${colorIn(element, color)} 14%, transparent)`,
        points: { show: false },
      })),
    ],
  }
}

/** A line graph over time (uPlot), in the colours of the style sheet, as wide as its place. */
export function Graph(props: GraphProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const scheme = useScheme()
  const drawn = hasLine(props.data)
  useEffect(() => {
    const element = place.current
    if (element === null || !drawn) return undefined
    plot.current = new uPlot(optionsOf(element, props), props.data as uPlot.AlignedData, element)
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(40, element.clientWidth), height: props.height }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.current?.destroy()
      plot.current = null
    }
  }, [scheme, props.height, drawn])
  useEffect(() => {
    plot.current?.setData(props.data as uPlot.AlignedData)
  }, [props.data])
  return (
    <figure class="graph">
      <div ref={place} role="img" aria-label={props.name} style={{ height: `${props.height}px` }}>
        {!drawn && props.bare !== true && <p class="no-line muted">{text('noData')}</p>}
      </div>
      {props.bare !== true && (
        <figcaption>
          {props.lines.map(({ label, color }) => (
            <span key={label} class="graph-key">
              <i class={`swatch ${color}`} />
              {label}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  )
}
