// How long transport streams play: of high rates, with streams that never come, over a new beginning of their clock,
// and joined ones, whose clock has a break.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { secondsBetween } from '../../../../../src/chapters/media/core/ts/times.ts'
import { readFacts } from '../../../../../src/chapters/media/probe/read-facts.ts'
import { needs } from '../../../../kit/requirements.ts'
import { Films } from '../../kit/films.ts'
import { MemorySource } from '../../kit/memory-source.ts'
import { silenced } from '../../kit/ts-packets.ts'

const KB = 1024

test('a clock that begins again is believed for twelve hours, also where the ends say nothing of the rate', () => {
  const at = (seconds: number) => ({ first: seconds * 90_000, last: seconds * 90_000 })
  assert.equal(secondsBetween(at(100), at(5000), 80_000), 4900)
  assert.equal(Math.round(secondsBetween(at(90_000), at(2000), 80_000) ?? 0), 7444)
  assert.equal(secondsBetween(at(3600), at(1800), 80_000), null)
})

describe('transport streams', { skip: needs('ffmpeg') }, () => {
  let films: Films

  before(async () => {
    films = await Films.open()
  })
  after(() => films?.close())

  const factsOf = async (bytes: Uint8Array): Promise<FilmFacts> => {
    const source = new MemorySource(bytes)
    const outcome = await readFacts(source)
    assert.ok(outcome.kind === 'read' && outcome.reading.facts !== null, JSON.stringify(outcome))
    assert.ok(source.fetched <= 512 * KB, `${source.fetched}`)
    return outcome.reading.facts
  }
  /** The short film, with its clock moved on. */
  const movedOn = async (seconds: number): Promise<Buffer> => {
    const copied = ['-map', '0:v', '-map', '0:a', '-c', 'copy', '-output_ts_offset', String(seconds)]
    return readFile(await films.makeOf(`moved-${seconds}.ts`, ['master.mkv'], copied))
  }
  const assertPlays = ({ duration }: FilmFacts, seconds: number): void =>
    assert.ok(duration !== null && Math.abs(duration - seconds) < 0.2, `${duration} instead of ${seconds}`)

  test('pictures longer than all that is read at the start', async () => {
    const bytes = await readFile(await films.makeNoise('noise.ts'))
    assert.ok(bytes.length > 4000 * KB, `${bytes.length}`)
    const facts = await factsOf(bytes)
    assertPlays(facts, 2)
    assert.deepEqual([facts.tracks.map(({ codec }) => codec), facts.note], [['mpeg2', 'mp2'], ''])
  })

  test('a stream that is declared and never comes', async () => {
    const bytes = await readFile(await films.make('film.ts'))
    const { tracks } = await factsOf(bytes)
    const facts = await factsOf(silenced(bytes, tracks.find(({ codec }) => codec === 'ac3')?.id ?? 0))
    assert.equal(facts.tracks.length, 3)
    assertPlays(facts, 10)
  })

  test('a clock that begins again after 26.5 hours', async () => {
    assertPlays(await factsOf(await movedOn(95_438)), 10)
  })

  test('of recordings that were joined it is not known, and said so', async () => {
    const [early, late] = [await movedOn(0), await movedOn(40_000)]
    for (const parts of [
      [late, early],
      [early, late],
    ]) {
      const { duration, bitrate, note } = await factsOf(Buffer.concat(parts))
      assert.deepEqual([duration, bitrate], [null, null])
      assert.match(note, /clock has a break/)
    }
  })
})
