// What the node knows of a film, as soon as it does.

import { useEffect, useState } from 'preact/hooks'
import { filmSources } from '../../chapters.ts'
import type { KnownFilm } from '../../model/film/film-way.ts'

/** Between answers that know nothing yet. */
const AGAIN_MS = 5000

/** Null: nothing is known, or nobody tells it. */
export function useKnownFilm(infohash: string, fileindex: number): KnownFilm | null {
  const [film, setFilm] = useState<KnownFilm | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async (): Promise<void> => {
      const answers = await Promise.all(filmSources.map(source => source.facts(infohash, fileindex, ended.signal)))
      const found = answers.find(answer => answer !== null) ?? null
      if (ended.signal.aborted) return
      if (found !== null) setFilm(found)
      else if (answers.length > 0) timer = setTimeout(run, AGAIN_MS)
    }
    // A file that cannot be read, or a key that may not ask: what the element says of the film has to do.
    const run = (): void => void ask().catch(() => undefined)
    run()
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [infohash, fileindex])
  return film
}
