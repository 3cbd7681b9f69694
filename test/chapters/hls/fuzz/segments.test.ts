// Films with something wrong in them, cut by the thread: none crashes it or takes three seconds, and the node goes on
// meanwhile. FUZZ_SEED is the number of the first.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import { orderOf, planOf, segmentName, type SegmentPlan } from '../../../../src/chapters/hls/core/segment-plan.ts'
import { SegmentThread } from '../../../../src/chapters/hls/io/segment-thread.ts'
import type { ReadableFilm } from '../../../../src/chapters/media/ports/film-reader.ts'
import { readFacts } from '../../../../src/chapters/media/probe/read-facts.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { mainThreadMs } from '../../../kit/nodes/cpu-time.ts'
import { needs } from '../../../kit/requirements.ts'
import { MemorySource } from '../../media/kit/memory-source.ts'
import { mutated } from '../../media/kit/mutations.ts'
import { SegmentFilms } from '../kit/segment-films.ts'

const FILMS = Number(process.env['FUZZ_FILMS'] ?? 1000)
const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** What the main thread may work for one segment: it cannot stand still for longer than that. */
const MOST_MAIN_MS = 20
const FRAGMENTS = ['-movflags', '+frag_keyframe+empty_moov']
const never = new AbortController().signal

function filmOf(bytes: Uint8Array): ReadableFilm {
  return {
    size: bytes.length,
    async read(start, length, into) {
      assert.ok(start >= 0 && length > 0 && start + length <= bytes.length, `${start}, ${length} of ${bytes.length}`)
      into.set(bytes.subarray(start, start + length))
      return length
    },
  }
}

/** How the film itself says that it is cut; null = it is not. */
async function ownPlan(bytes: Uint8Array): Promise<SegmentPlan | null> {
  const outcome = await readFacts(new MemorySource(bytes))
  const facts = outcome.kind === 'read' ? outcome.reading.facts : null
  try {
    return facts === null ? null : planOf(facts, bytes.length, null)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

describe('segments of films with something wrong in them', { skip: needs('ffmpeg'), concurrency: 1 }, () => {
  let films: SegmentFilms
  const thread = new SegmentThread({ clock: new SystemClock() })
  before(async () => {
    films = await SegmentFilms.open()
  })
  after(async () => {
    await thread.stop()
    await films?.close()
  })

  for (const name of ['film.mkv', 'film.mp4', 'fragments.mp4'])
    test(`${FILMS} of ${name}`, async context => {
      const bytes = await readFile(await films.make(name, 48_000, name.startsWith('fragments') ? FRAGMENTS : []))
      const outcome = await readFacts(new MemorySource(bytes))
      const facts = outcome.kind === 'read' ? outcome.reading.facts : null
      assert.ok(facts !== null)
      const good = planOf(facts, bytes.length, null)
      const clusters = (facts.keys?.bytes ?? []).map(start => ({ start, end: start + 3000 }))
      const kinds = new Map<string, number>()
      const mains: number[] = []
      for (let seed = FIRST_SEED; seed < FIRST_SEED + FILMS; seed += 1) {
        const film = mutated(bytes, [...facts.index, ...clusters], seed)
        // Facts of before it was damaged, or its own.
        const plan = (seed % 2 === 0 ? await ownPlan(film) : null) ?? good
        const order = orderOf(plan, segmentName(plan, seed % plan.cuts.length))
        assert.ok(order !== null)
        const since = mainThreadMs()
        const made = await thread.make({ tag: `${name}-${seed}`, size: film.length, order }, filmOf(film), never)
        mains.push(mainThreadMs() - since)
        kinds.set(made.kind, (kinds.get(made.kind) ?? 0) + 1)
        if ('why' in made) assert.doesNotMatch(made.why, /^its reader|^it takes too/, `${name} ${seed}`)
        else assert.equal(made.kind, 'made', `${name} ${seed}`)
      }
      context.diagnostic(JSON.stringify([...kinds]))
      assert.ok((kinds.get('made') ?? 0) > 0 && (kinds.get('unreadable') ?? 0) > 0, JSON.stringify([...kinds]))
      // The longest of a thousand are collections of garbage, of this test's films among it.
      const most = mains.toSorted((a, b) => b - a)[Math.floor(FILMS / 100)] ?? 0
      assert.ok(most <= MOST_MAIN_MS, `${most} ms`)
    })
})
