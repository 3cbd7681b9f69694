// Reads films without a thread, in the same process: needs a film's bytes to be asked for by promises, so it reads all
// that is there first and looks at that.

import { NotHere } from '../../../../src/chapters/media/core/byte-source.ts'
import type { FilmReader, ReadableFilm, ReadOutcome } from '../../../../src/chapters/media/ports/film-reader.ts'
import type { SubtitleOrder } from '../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import { readFacts } from '../../../../src/chapters/media/probe/read-facts.ts'
import { readPart, type TextsOutcome } from '../../../../src/chapters/media/probe/read-part.ts'

const PART = 4096

/** A reader of films. A test may hold its looks back. */
export class MemoryReader implements FilmReader {
  /** Looks that were begun, and are going on. */
  looks = 0
  active = 0
  stopped = false
  /** Awaited at the start of every look. */
  hold: () => Promise<void> = () => Promise.resolve()

  read(film: ReadableFilm): Promise<ReadOutcome> {
    return this.#look(film, async source => ({ outcome: await readFacts(source), busyMs: 1 }))
  }

  texts(film: ReadableFilm, order: SubtitleOrder): Promise<TextsOutcome> {
    return this.#look(film, async source => readPart(source, order, () => false))
  }

  async #look<T>(film: ReadableFilm, read: (source: ReturnType<typeof sourceOf>) => Promise<T>): Promise<T> {
    this.looks += 1
    this.active += 1
    try {
      await this.hold()
      const parts = new Map<number, Uint8Array | null>()
      for (let at = 0; at < film.size; at += PART) {
        const into = new Uint8Array(Math.min(PART, film.size - at))
        const count = await film.read(at, into.length, into)
        parts.set(at / PART, count === into.length ? into : null)
      }
      return await read(sourceOf(film.size, parts))
    } finally {
      this.active -= 1
    }
  }

  async stop(): Promise<void> {
    this.stopped = true
  }
}

function sourceOf(size: number, parts: ReadonlyMap<number, Uint8Array | null>) {
  return {
    size,
    read(start: number, end: number): Uint8Array {
      const out = new Uint8Array(end - start)
      for (let at = start; at < end; ) {
        const part = parts.get(Math.floor(at / PART)) ?? null
        if (part === null) throw new NotHere({ start, end })
        const from = at % PART
        const bytes = part.subarray(from, from + end - at)
        out.set(bytes, at - start)
        at += bytes.length
      }
      return out
    },
  }
}
