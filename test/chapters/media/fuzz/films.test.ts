// A thousand films with something wrong in them, made of each container and read by the thread: none crashes it, takes
// three seconds or much memory, or says what the interface cannot answer, and the node goes on meanwhile. Every fourth
// comes in by and by as well: what is wanted of it lies in it, is soon there, and in the end as much is known.
// FUZZ_SEED is the number of the first.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { Value } from '@sinclair/typebox/value'
import { MAX_CHAPTERS, MAX_TRACKS } from '../../../../src/chapters/media/core/film-facts.ts'
import { MAX_KEYS } from '../../../../src/chapters/media/core/key-table.ts'
import { MediaReply } from '../../../../src/chapters/media/http/media-schemas.ts'
import { shownMedia } from '../../../../src/chapters/media/http/shown-media.ts'
import { MediaThread } from '../../../../src/chapters/media/io/media-thread.ts'
import type { ReadableFilm } from '../../../../src/chapters/media/ports/film-reader.ts'
import { type FactsOutcome, readFacts } from '../../../../src/chapters/media/probe/read-facts.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { mainThreadMs } from '../../../kit/nodes/cpu-time.ts'
import { needs } from '../../../kit/requirements.ts'
import { fuzzSource } from '../../../kit/sim/fuzz.ts'
import { FILM_NAMES, Films } from '../kit/films.ts'
import { MemorySource } from '../kit/memory-source.ts'
import { mutated } from '../kit/mutations.ts'

const FILMS = Number(process.env['FUZZ_FILMS'] ?? 1000)
const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** What the main thread may work for one film: it cannot stand still for longer than that. Mutating is not in it. */
const MOST_MAIN_MS = 20
/** What facts of a film may be as JSON: see FactsFolder. */
const MOST_FACTS = 1024 * 1024
/** How often a film may be looked at: see FilmJob. */
const MAX_LOOKS = 64
const PIECE_BYTES = 16 * 1024

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

/** A film of which the half is there: what a look wants comes in before the next. What became of it in the end. */
async function readIncoming(thread: MediaThread, bytes: Uint8Array, seed: number): Promise<FactsOutcome> {
  const chance = fuzzSource(seed)
  const pieces = Math.ceil(bytes.length / PIECE_BYTES)
  const there = new Set(Array.from({ length: pieces }, (_, piece) => piece).filter(() => chance.below(2) === 0))
  const film: ReadableFilm = {
    size: bytes.length,
    async read(start, length, into) {
      let end = start
      while (end < start + length && there.has(Math.floor(end / PIECE_BYTES)))
        end = Math.min(start + length, (Math.floor(end / PIECE_BYTES) + 1) * PIECE_BYTES)
      into.set(bytes.subarray(start, end))
      return end - start
    },
  }
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const { outcome } = await thread.read(film)
    const wanted = outcome.kind === 'missing' ? outcome.range : outcome.kind === 'read' ? outcome.reading.missing : null
    if (wanted === null) return outcome
    assert.ok(wanted.start >= 0 && wanted.start < wanted.end && wanted.end <= bytes.length, JSON.stringify(wanted))
    const before = there.size
    for (let at = Math.floor(wanted.start / PIECE_BYTES); at * PIECE_BYTES < wanted.end; at += 1) there.add(at)
    assert.ok(there.size > before, 'it is there already')
  }
  return assert.fail('it is looked at again and again')
}

/** As much is known of it as of one that is all there; of a head that nobody needed its index may name less. */
function assertSame(incoming: FactsOutcome, whole: FactsOutcome, what: string): void {
  if (incoming.kind !== 'read' || whole.kind !== 'read') return assert.deepEqual(incoming, whole, what)
  if (incoming.reading.passing === true) return
  const [found, known] = [incoming, whole].map(({ reading }) => ({ ...reading.facts, index: [] }))
  assert.deepEqual(found, known, what)
}

function checkOutcome(outcome: FactsOutcome, size: number, what: string): void {
  assert.ok(outcome.kind === 'read' || outcome.kind === 'unreadable', `${what}: ${outcome.kind}`)
  if (outcome.kind === 'unreadable') return assert.doesNotMatch(outcome.why, /^its reader|^it takes too/, what)
  const { facts } = outcome.reading
  assert.ok(JSON.stringify(facts).length < MOST_FACTS, what)
  const media = shownMedia({ name: 'film', size, facts, wanted: null, missing: [] }, true)
  assert.deepEqual(
    Array.from(Value.Errors(MediaReply, { media }), ({ path, message, value }) => ({ path, message, value })),
    [],
    what,
  )
  assert.ok(
    (facts?.keys?.bytes ?? []).every(at => at >= 0 && at < size),
    `${what}: keys lie in the file`,
  )
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
  const thread = new MediaThread({ clock: new SystemClock(), log: silentLog })

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
        const changed = mutated(bytes, tables, seed)
        const film = filmOf(changed)
        const since = mainThreadMs()
        const { outcome, busyMs } = await thread.read(film)
        mains.push(mainThreadMs() - since)
        checkOutcome(outcome, changed.length, what)
        if (seed % 4 === 0) assertSame(await readIncoming(thread, changed, seed), outcome, what)
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
