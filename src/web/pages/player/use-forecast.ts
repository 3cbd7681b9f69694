// From when on a film plays, asked of the node while it is waited for: as seldom as ForecastPolls says, not while the
// page is out of view, and at once when the place was changed.

import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { forecastSources } from '../../chapters.ts'
import { ForecastPolls } from '../../model/film/forecast-polls.ts'
import type { ForecastAnswer } from '../../model/film/forecast-words.ts'
import { textOf } from '../../node/api.ts'

/** Places that are passed on the way to another are not asked for. */
const SOUGHT_MS = 300

/** What was answered last of the place where the film is; null: nothing yet. */
export interface HeardForecast {
  readonly answer: ForecastAnswer | null
  /** Why the last question was not answered; empty: it was. */
  readonly problem: string
}

const NOTHING: HeardForecast = { answer: null, problem: '' }

/** `beginnings`: how often something of the film has begun to come in; when that changes it is asked at once. */
export function useForecast(
  video: RefObject<HTMLVideoElement | null>,
  infohash: string,
  file: number,
  beginnings: number,
): HeardForecast {
  const [heard, setHeard] = useState(NOTHING)
  useEffect(() => {
    const element = video.current
    const questions = new Questions(
      async signal => {
        const place = element?.currentTime ?? 0
        const answer = (await forecastSources[0]?.(infohash, file, place, signal)) ?? 'none'
        // Of another place by now.
        if (!signal.aborted) setHeard({ answer, problem: '' })
        return answer
      },
      problem => setHeard(old => ({ ...old, problem })),
    )
    const sought = () => {
      setHeard(NOTHING)
      questions.again(SOUGHT_MS)
    }
    const shown = () => questions.shown()
    questions.again(0)
    element?.addEventListener('seeking', sought)
    document.addEventListener('visibilitychange', shown)
    return () => {
      questions.end()
      element?.removeEventListener('seeking', sought)
      document.removeEventListener('visibilitychange', shown)
    }
  }, [infohash, file, beginnings])
  return heard
}

/** Asks, and asks again; one question at a time. */
class Questions {
  readonly #ask: (signal: AbortSignal) => Promise<ForecastAnswer>
  readonly #failed: (problem: string) => void
  #polls = new ForecastPolls()
  #asked = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** It was due while nobody looked. */
  #due = false

  constructor(ask: (signal: AbortSignal) => Promise<ForecastAnswer>, failed: (problem: string) => void) {
    this.#ask = ask
    this.#failed = failed
  }

  /** Begins again after `afterMs`: what is under way is left. */
  again(afterMs: number): void {
    this.end()
    this.#polls = new ForecastPolls()
    this.#asked = new AbortController()
    this.#later(afterMs)
  }

  /** The page came into view, or left it. */
  shown(): void {
    if (this.#due && isSeen()) this.again(0)
  }

  end(): void {
    this.#asked.abort()
    clearTimeout(this.#timer)
    this.#due = false
  }

  #later(afterMs: number): void {
    this.#timer = setTimeout(() => void this.#run(), afterMs)
  }

  async #run(): Promise<void> {
    const { signal } = this.#asked
    this.#due = !isSeen()
    if (this.#due) return
    let answer: ForecastAnswer | null = null
    try {
      answer = await this.#ask(signal)
    } catch (error) {
      if (!signal.aborted) this.#failed(textOf(error))
    }
    if (!signal.aborted) this.#later(this.#polls.after(answer))
  }
}

/** A film may float above other windows while its page is not seen. */
function isSeen(): boolean {
  return !document.hidden || document.pictureInPictureElement !== null
}
