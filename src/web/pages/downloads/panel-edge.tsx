// The edge between the list and the panel of one download, which a pointer or keys move. The width is this device's.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keep, readKept } from '../../model/kept.ts'
import {
  LEAST_WIDTH,
  MOST_WIDTH,
  type PanelPlace,
  USUAL_WIDTH,
  widthAfter,
  widthAt,
  widthIn,
} from '../../model/detail/panel-width.ts'
import { text } from '../../texts/downloads/detail.ts'

const KEPT = 'tributary.detail.width'
/** What of the style sheet has the width. */
const PROPERTY = '--detail-width'

/** The list and the panel together. */
const bothOf = (edge: HTMLElement | null) => edge?.closest<HTMLElement>('.downloads') ?? null

const isMirrored = (edge: HTMLElement) => getComputedStyle(edge).direction === 'rtl'

function placeOf(edge: HTMLElement): PanelPlace {
  const { left, right } = (bothOf(edge) ?? edge).getBoundingClientRect()
  return { left, right, mirrored: isMirrored(edge) }
}

/** Where the panel begins, pixels. */
function edgeAt(edge: HTMLElement): number {
  const { left, right } = (edge.parentElement ?? edge).getBoundingClientRect()
  return isMirrored(edge) ? right : left
}

/** A separator that can be moved; where the panel has the page for itself it is not shown. */
export function PanelEdge() {
  const edge = useRef<HTMLDivElement>(null)
  const [chosen, choose] = useState(() => widthIn(readKept(localStorage, KEPT)))
  const [dragged, setDragged] = useState(false)
  const [usual, setUsual] = useState<number>(USUAL_WIDTH)
  const width = chosen ?? usual
  useLayoutEffect(() => {
    const both = bothOf(edge.current)
    if (chosen !== null) return both?.style.setProperty(PROPERTY, `${chosen}%`)
    both?.style.removeProperty(PROPERTY)
    // What the style sheet makes of the room there is.
    if (edge.current !== null) setUsual(widthAt(placeOf(edge.current), edgeAt(edge.current)))
  }, [chosen])
  const finish = (next: number | null) => {
    choose(next)
    keep(localStorage, KEPT, next)
  }
  const drop = () => {
    if (dragged) keep(localStorage, KEPT, chosen)
    setDragged(false)
  }
  return (
    <div
      ref={edge}
      class={`panel-edge${dragged ? ' dragged' : ''}`}
      role="separator"
      tabIndex={0}
      aria-label={text('panelWidth')}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={LEAST_WIDTH}
      aria-valuemax={MOST_WIDTH}
      title={text('panelWidthHelp')}
      onPointerDown={event => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setDragged(true)
      }}
      onPointerMove={event => {
        if (dragged) choose(widthAt(placeOf(event.currentTarget), event.clientX))
      }}
      onPointerUp={drop}
      onPointerCancel={drop}
      onLostPointerCapture={drop}
      onDblClick={() => finish(null)}
      onKeyDown={event => {
        if (event.altKey || event.ctrlKey || event.metaKey) return
        const next = widthAfter(event.key, width, isMirrored(event.currentTarget))
        if (next === undefined) return
        event.preventDefault()
        finish(next)
      }}
    />
  )
}
