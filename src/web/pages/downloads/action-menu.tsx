// The menu of actions, where the pointer was or below its button; on a phone from below. Arrows, Home, End and first
// letters move, Escape and Tab close it.

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { glanceOf } from '../../node/session.ts'
import { narrow, session } from '../../node/context.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/downloads/actions.ts'
import { type Action, actionGroups } from './actions.ts'

/** Where it opens, pixels of the window. */
export interface MenuPlace {
  readonly x: number
  readonly y: number
}

interface ActionMenuProps {
  readonly infohashes: readonly string[]
  readonly at: MenuPlace
  choose(action: Action): void
  onClose(): void
}

/** Pixels that stay free between it and the edges of the window. */
const EDGE = 8

function itemsOf(menu: Element): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')]
}

/** The entry that a key leads to; null: it is no such key. */
function targetOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, items: readonly HTMLElement[]): HTMLElement | null {
  const at = items.findIndex(item => item === document.activeElement)
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
  const step = steps[key]
  if (step !== undefined) return items.at(step >= items.length ? 0 : step) ?? null
  if ([...key].length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return null
  const begins = (item: HTMLElement) => item.textContent?.toLowerCase().startsWith(key.toLowerCase()) === true
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(begins) ?? null
}

/** Shows it over the page at its place, and closes it when something else is pressed. */
function useMenu({ at, onClose }: ActionMenuProps) {
  const ref = useRef<HTMLDivElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useLayoutEffect(() => {
    const menu = ref.current
    if (menu === null) return
    menu.showPopover()
    const { width, height } = menu.getBoundingClientRect()
    if (!narrow.value) {
      menu.style.left = `${Math.max(EDGE, Math.min(at.x, innerWidth - width - EDGE))}px`
      menu.style.top = `${Math.max(EDGE, Math.min(at.y, innerHeight - height - EDGE))}px`
    }
    itemsOf(menu)[0]?.focus()
  }, [at])
  useEffect(() => {
    const end = () => close.current()
    const press = (event: Event) => {
      if (event.target instanceof Node && ref.current?.contains(event.target) !== true) end()
    }
    document.addEventListener('pointerdown', press, true)
    globalThis.addEventListener('resize', end)
    return () => {
      document.removeEventListener('pointerdown', press, true)
      globalThis.removeEventListener('resize', end)
    }
  }, [])
  return ref
}

/** The menu of actions. */
export function ActionMenu(props: ActionMenuProps) {
  const { infohashes, choose, onClose } = props
  const ref = useMenu(props)
  const [only = ''] = infohashes
  const name = infohashes.length === 1 ? glanceOf(session, only)?.name || only : null
  const keys = (event: KeyboardEvent) => {
    const target = ref.current === null ? null : targetOf(event, itemsOf(ref.current))
    if (target !== null) target.focus()
    else if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div ref={ref} popover="manual" class={narrow.value ? 'sheet menu' : 'menu'} onKeyDown={keys}>
      <p class="menu-of muted">{name === null ? text('chosen', { count: infohashes.length }) : <bdi>{name}</bdi>}</p>
      <div role="menu" aria-label={text('actions')} onContextMenu={event => event.preventDefault()}>
        {actionGroups.map(group => (
          <div key={group[0]?.label} role="group" class="menu-group">
            {group.map(action => (
              <button key={action.label} type="button" role="menuitem" tabIndex={-1} onClick={() => choose(action)}>
                <Icon name={action.icon} size={16} />
                {text(action.label)}
              </button>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
