// How the menu of a row is opened: by the right button, by Shift and F10 or the menu key, by a finger that stays. It is
// for all that are selected when the row is one of them.

import { useEffect, useRef } from 'preact/hooks'
import type { ListCursor } from '../../model/list-cursor.ts'
import type { MenuPlace } from './action-menu.tsx'
import type { OpenedMenu } from './download-actions.tsx'

interface RowMenuProps {
  readonly selected: ReadonlySet<string>
  select(selected: ReadonlySet<string>): void
  openMenu(menu: OpenedMenu): void
}

/** A finger that stays this long asks for the menu. */
const LONG_PRESS_MS = 500
/** A finger that moves further scrolls. */
const MAX_MOVE = 10

function infohashAt(target: EventTarget | null): string | null {
  return (target as Element | null)?.closest('[data-infohash]')?.getAttribute('data-infohash') ?? null
}

/** Below the name of a row, where it is in view. */
function placeOf(row: Element | null): MenuPlace {
  const { left, bottom } = (row?.querySelector('.name') ?? row)?.getBoundingClientRect() ?? { left: 0, bottom: 0 }
  return { x: left, y: bottom }
}

/**
 * The click behind a long press means nothing, wherever the finger is lifted: the menu has come to lie under it, and
 * the click would be one of its actions. Until a finger comes down again; one by a key (without detail) is another.
 */
function swallowNextClick(): void {
  const swallow = (event: MouseEvent): void => {
    if (event.detail === 0) return
    event.preventDefault()
    event.stopPropagation()
    end()
  }
  const end = (): void => {
    document.removeEventListener('click', swallow, true)
    document.removeEventListener('pointerdown', end, true)
  }
  document.addEventListener('click', swallow, true)
  document.addEventListener('pointerdown', end, true)
}

/** Calls `pressed` when a finger stays on a row. */
function useLongPress(pressed: (infohash: string, at: MenuPlace) => void) {
  const press = useRef<{ timer: ReturnType<typeof setTimeout> | undefined; x: number; y: number }>({
    timer: undefined,
    x: 0,
    y: 0,
  })
  const end = () => clearTimeout(press.current.timer)
  useEffect(() => end, [])
  return {
    pointer: {
      onPointerDown({ target, pointerType, clientX: x, clientY: y }: PointerEvent) {
        end()
        const infohash = infohashAt(target)
        if (pointerType !== 'touch' || infohash === null) return
        const timer = setTimeout(() => {
          swallowNextClick()
          pressed(infohash, { x, y })
        }, LONG_PRESS_MS)
        press.current = { timer, x, y }
      },
      onPointerMove({ clientX, clientY }: PointerEvent) {
        const { x, y } = press.current
        if (Math.hypot(clientX - x, clientY - y) > MAX_MOVE) end()
      },
      onPointerUp: end,
      onPointerCancel: end,
    },
  }
}

/** How the menu of a row is opened. */
export function useRowMenu({ selected, select, openMenu }: RowMenuProps, cursor: ListCursor) {
  const openAt = (infohash: string, at: MenuPlace) => {
    if (selected.has(infohash)) return openMenu({ infohashes: [...selected], at })
    if (selected.size > 0) select(new Set())
    cursor.settle(infohash)
    return openMenu({ infohashes: [infohash], at })
  }
  const { pointer } = useLongPress(openAt)
  const open = (event: MouseEvent) => {
    const infohash = infohashAt(event.target)
    if (infohash === null) return
    event.preventDefault()
    openAt(infohash, { x: event.clientX, y: event.clientY })
  }
  const key = (event: KeyboardEvent): boolean => {
    if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return false
    event.preventDefault()
    cursor.actOnAll(selected, infohashes => {
      const row = document.querySelector(`#row-${cursor.active}`) ?? event.currentTarget
      openMenu({ infohashes, at: placeOf(row as Element | null) })
    })
    return true
  }
  return { pointer, open, key }
}
