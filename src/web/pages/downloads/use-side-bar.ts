// Whether the side bar stands beside the list: where there is room, unless this device was told otherwise.

import { useEffect, useState } from 'preact/hooks'
import { keep, readKept } from '../../model/kept.ts'
import { narrow } from '../../node/context.ts'

const HIDDEN = 'tributary.list.side'
/** Widths of the window from which on it has room, without and with the page of a download. */
const [ROOM, ROOM_WITH_DETAIL] = ['(min-width: 1240px)', '(min-width: 1700px)']

/** The side bar, and how it is shown or put away. */
export interface SideBarState {
  /** It stands beside the list. */
  readonly beside: boolean
  /** There is no room for it: it is shown over the list when it is asked for. */
  readonly over: boolean
  toggle(): void
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const look = () => setMatches(media.matches)
    look()
    media.addEventListener('change', look)
    return () => media.removeEventListener('change', look)
  }, [query])
  return matches
}

/** `withDetail`: the page of a download stands beside the list too. */
export function useSideBar(withDetail: boolean): SideBarState {
  const [hidden, setHidden] = useState(() => readKept(localStorage, HIDDEN) === 'hidden')
  const room = useMedia(withDetail ? ROOM_WITH_DETAIL : ROOM) && !narrow.value
  return {
    beside: room && !hidden,
    over: !room,
    toggle() {
      setHidden(!hidden)
      keep(localStorage, HIDDEN, hidden ? 'shown' : 'hidden')
    },
  }
}
