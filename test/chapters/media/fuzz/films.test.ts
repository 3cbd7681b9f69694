// A thousand films with something wrong in them, made of each container and read by the thread: none crashes it, takes
// three seconds or much memory, and the node goes on meanwhile. FUZZ_SEED is the number of the first.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { MAX_CHAPTERS, MAX_TRACKS } from '../../../../src/chapters/media/core/film-facts.ts'
import { MAX_KEYS } from '../../../../src/chapters/media/core/key-table.ts'
import { MediaThread } from '../../../../src/chapters/media/io/media-thread.ts'
import type { ReadableFilm } from '../../../../src/chapters/media/ports/film-reader.ts'
import { type FactsOutcome, readFacts } from '../../../../src/chapters/media/probe/read-facts.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { mainThreadMs } from '../../../kit/nodes/cpu-time.ts'
import { needs } from '../../../kit/requirements.ts'
import { FILM_NAMES, Films } from '../kit/films.ts'
import { MemorySource } from '../kit/memory-source.ts'
import { mutated } from '../kit/mutations.ts'

const FILMS = Number(process.env['FUZZ_FILMS'] ?? 1000)
const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** What the main thread may work for one film: it cannot stand still for longer than that. Mutating is not in it. */
const MOST_MAIN_MS = 20
/** What facts of a film may be as JSON: see FactsFolder. */
const MOST_FACTS = 1024 * 1024

function filmOf(bytes: Uint8Array): ReadableFilm & { fetched: number } {
  const film = {
    size: bytes.length,
    fetched: 0,
    async read(start: number, length: number, into: Uint8Array): Promise<number> {
      assert.ok(start >= 0 && length > 0 && start + length <= bytes.length, `${start}, ${length} of ${bytes.length}`)
      into.set(bytes.subarray(start, start + length))
      film.fetched += length
      return length
    },
  }
  return film
}

function checkOutcome(outcome: FactsOutcome, what: string): void {
  assert.ok(outcome.kind === 'read' || outcome.kind === 'unreadable', `${what}: ${outcome.kind}`)
  if (outcome.kind === 'unreadable') return assert.doesNotMatch(outcome.why, /^its reader|^it takes too/, what)
  const { facts } = outcome.reading
  assert.ok(JSON.stringify(facts).length < MOST_FACTS, what)
  assert.ok((facts?.tracks.length ?? 0) <= MAX_TRACKS && (facts?.chapters.length ?? 0) <= MAX_CHAPTERS, what)
  const times = facts?.keys?.times ?? []
  assert.ok(times.length <= MAX_KEYS && times.length === (facts?.keys?.bytes.length ?? 0), what)
  assert.ok(
    times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)),
    `${what}: times rise`,
  )
}

describe('films with something wrong in them', { skip: needs('ffmpeg'), concurrency: 1 }, () => {
  let films: Films
  const thread = new MediaThread({ clock: new SystemClock() })

  before(async () => {
    films = await Films.open()
  })
  after(async () => {
    await thread.stop()
    await films?.close()
  })

  for (const name of FILM_NAMES) {
    test(`${FILMS} of ${name}`, async context => {
      const bytes = await readFile(await films.make(name))
      const good = await readFacts(new MemorySource(bytes))
      const tables = good.kind === 'read' ? (good.reading.facts?.index ?? []) : []
      let [slowest, most, read] = [0, 0, 0]
      const mains: number[] = []
      for (let seed = FIRST_SEED; seed < FIRST_SEED + FILMS; seed += 1) {
        const what = `${name}, FUZZ_SEED=${seed}`
        const film = filmOf(mutated(bytes, tables, seed))
        const since = mainThreadMs()
        const { outcome, busyMs } = await thread.read(film)
        mains.push(mainThreadMs() - since)
        checkOutcome(outcome, what)
        assert.ok(busyMs < 3000, `${what}: ${busyMs} ms`)
        slowest = Math.max(slowest, busyMs)
        most = Math.max(most, film.fetched)
        if (outcome.kind === 'read') read += 1
      }
      // The longest of a thousand are collections of garbage, of this test's films among it.
      const main = mains.toSorted((a, b) => b - a)[Math.floor(FILMS / 100)] ?? 0
      context.diagnostic(
        `${read} read, the slowest ${slowest.toFixed(1)} ms, most ${most} bytes, main thread ${main.toFixed(1)} ms`,
      )
      assert.ok(read > 0 && read < FILMS, 'some can be read, some cannot')
      assert.ok(main < MOST_MAIN_MS, `the main thread worked ${main} ms for one film`)
      assert.ok(process.memoryUsage().rss < 400 * 1024 * 1024)
    })
  }
})
