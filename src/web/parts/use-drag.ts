// Dragging by mouse or pen: begins when the pointer has moved a little with its button down, ends when it is let go,
// and is given up by Escape. A finger scrolls, and opens menus: what can be dragged has another way for it.

import { useEffect, useRef } from 'preact/hooks'

/** What follows the pointer. */
export interface DragWork {
  /** The pointer is here, pixels of the window. */
  move(x: number, y: number): void
  /** It was let go (true), or given up. */
  end(dropped: boolean): void
}

/** A pointer that moves less than this was a click. */
const MIN_MOVE = 5

interface Press {
  readonly event: PointerEvent
  work: DragWork | null
}

/** `begin`: what is pressed is to be dragged; null: it cannot be. */
export function useDrag(begin: (pressed: PointerEvent) => DragWork | null) {
  const press = useRef<Press | null>(null)
  const wasDragged = useRef(false)
  const end = (dropped: boolean) => {
    const { work = null } = press.current ?? {}
    press.current = null
    removeEventListener('keydown', escape, true)
    work?.end(dropped)
  }
  const escape = useRef((event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    end(false)
  }).current
  useEffect(() => () => end(false), [])

  const start = (event: PointerEvent): DragWork | null => {
    const pressed = press.current
    if (pressed === null || pressed.work !== null) return pressed?.work ?? null
    const { clientX, clientY } = pressed.event
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) < MIN_MOVE) return null
    pressed.work = begin(pressed.event)
    if (pressed.work === null) press.current = null
    else {
      wasDragged.current = true
      ;(event.currentTarget as Element).setPointerCapture(event.pointerId)
      addEventListener('keydown', escape, true)
    }
    return pressed.work
  }
  return {
    pointer: {
      onPointerDown(event: PointerEvent) {
        end(false)
        wasDragged.current = false
        const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey
        if (event.pointerType !== 'touch' && event.button === 0 && plain) press.current = { event, work: null }
      },
      onPointerMove(event: PointerEvent) {
        // Let go where nobody told this page.
        if ((event.buttons & 1) === 0) end(false)
        else start(event)?.move(event.clientX, event.clientY)
      },
      onPointerUp: () => end(true),
      onPointerCancel: () => end(false),
    },
    /** The click behind a drag means nothing; one by a key does (it has no detail). */
    swallows(event: MouseEvent): boolean {
      if (!wasDragged.current || event.detail === 0) return false
      wasDragged.current = false
      event.preventDefault()
      return true
    },
  }
}
