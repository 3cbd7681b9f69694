// What the node knows of a film, as soon as it does.

import { useEffect, useState } from 'preact/hooks'
import { filmSources } from '../../chapters.ts'
import type { KnownFilm } from '../../model/film/film-way.ts'
import { GrowingPause } from '../../model/growing-pause.ts'
import { useBeginnings } from './use-beginnings.ts'

/** After the first answer that knows nothing yet; each time twice as long, up to the second. */
const AGAIN_MS = 1000
const LATEST_MS = 60_000

/** Null: nothing is known, or nobody tells it. The file stays the same. */
export function useKnownFilm(infohash: string, fileindex: number): KnownFilm | null {
  const [film, setFilm] = useState<KnownFilm | null>(null)
  // When something begins to come in it is asked at once.
  const beginnings = useBeginnings(infohash)
  useEffect(() => {
    if (film !== null) return undefined
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const pause = new GrowingPause(AGAIN_MS, LATEST_MS)
    const ask = async (): Promise<void> => {
      const answers = await Promise.all(filmSources.map(source => source.facts(infohash, fileindex, ended.signal)))
      const found = answers.find(answer => answer !== null) ?? null
      if (ended.signal.aborted) return
      if (found !== null) setFilm(found)
      else if (answers.length > 0) timer = setTimeout(run, pause.next())
    }
    // A file that cannot be read, or a key that may not ask: what the element says of the film has to do.
    const run = (): void => void ask().catch(() => undefined)
    run()
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [infohash, fileindex, beginnings])
  return film
}
