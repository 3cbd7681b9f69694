// Which rows of a long list are near enough to be in the page. Rows have one height.

import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows kept beyond each edge. */
const OVERSCAN = 8

/** A part of a list, and the element that scrolls. */
export interface ListWindow<E extends HTMLElement> {
  readonly scroller: RefObject<E | null>
  readonly first: number
  /** One behind the last. */
  readonly end: number
  /** Brings a row into view. */
  show(index: number): void
}

/** Follows the scrolling of the element that `scroller` is given to; `headHeight`: of what stays at its top. */
export function useWindow<E extends HTMLElement>(count: number, rowHeight: number, headHeight = 0): ListWindow<E> {
  const scroller = useRef<E>(null)
  const [{ top, height }, setView] = useState({ top: 0, height: 900 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const look = () => {
      // Whole rows: a scroll within one changes nothing.
      const next = { top: Math.floor(element.scrollTop / rowHeight), height: element.clientHeight }
      setView(old => (old.top === next.top && old.height === next.height ? old : next))
    }
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [rowHeight])
  const shown = Math.ceil(height / rowHeight) + 1
  const first = Math.max(0, Math.min(top, count - shown) - OVERSCAN)
  return {
    scroller,
    first,
    end: Math.min(count, Math.max(0, Math.min(top, count)) + shown + OVERSCAN),
    show(index) {
      const element = scroller.current
      if (element === null) return
      const begin = index * rowHeight
      if (begin < element.scrollTop) element.scrollTop = begin
      else if (begin + rowHeight > element.scrollTop + element.clientHeight - headHeight)
        element.scrollTop = begin + rowHeight + headHeight - element.clientHeight
    },
  }
}
