// A page that is loaded when it is shown: the dashboard begins without it.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { text } from '../texts/frame.ts'

interface LaterPageProps<Shown extends object> {
  /** Loads it; the same function each time. */
  load(): Promise<ComponentType<Shown>>
  /** What it is given. */
  readonly shown: Shown
}

interface LoadedPage<Shown extends object> {
  /** What loaded it. */
  readonly load: () => Promise<ComponentType<Shown>>
  /** Null: it could not be loaded. */
  readonly Page: ComponentType<Shown> | null
}

/** Nothing until it has come; what to do where it does not. */
export function LaterPage<Shown extends object>({ load, shown }: LaterPageProps<Shown>) {
  const [page, setPage] = useState<LoadedPage<Shown> | null>(null)
  useEffect(() => {
    let ended = false
    const show = (Page: ComponentType<Shown> | null) => {
      if (!ended) setPage({ load, Page })
    }
    load().then(show, () => show(null))
    return () => {
      ended = true
    }
  }, [load])
  // One that was loaded by another function is given nothing of this.
  if (page === null || page.load !== load) return null
  const { Page } = page
  if (Page !== null) return <Page {...shown} />
  // The node is another version by now, or away.
  return <p class="nothing muted">{text('notLoaded')}</p>
}
