// What facts of two hours of film cost: bytes of the file, and time of the reader without its reads.

import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { FilmReading } from '../../../../../src/chapters/media/core/film-facts.ts'
import { MediaThread } from '../../../../../src/chapters/media/io/media-thread.ts'
import { SystemClock } from '../../../../../src/io/clock.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { cpuTimeMs } from '../../../../kit/nodes/cpu-time.ts'
import { needs } from '../../../../kit/requirements.ts'
import { Films, type LongFilmName } from '../../kit/films.ts'
import { DiskSource } from '../../kit/memory-source.ts'

const KB = 1024
const SECONDS = 720 * 10
const KEYS = 1440

describe('facts of two hours of film', { skip: needs('ffmpeg'), concurrency: 1 }, () => {
  let films: Films
  const thread = new MediaThread({ clock: new SystemClock(), log: silentLog })

  before(async () => {
    films = await Films.open()
  })
  after(async () => {
    await thread.stop()
    await films?.close()
  })

  /** The reading, and the CPU time of the best of three: the first of all compiles. */
  const read = async (name: LongFilmName): Promise<{ reading: FilmReading; ms: number }> => {
    const path = await films.makeLong(name)
    const source = new DiskSource(path)
    let best = Number.POSITIVE_INFINITY
    try {
      for (let turn = 0; ; turn += 1) {
        const film = {
          size: source.size,
          read: async (start: number, length: number, into: Uint8Array) => {
            into.set(source.read(start, start + length))
            return length
          },
        }
        const since = cpuTimeMs()
        const { outcome } = await thread.read(film)
        best = Math.min(best, cpuTimeMs() - since)
        assert.ok(outcome.kind === 'read' && outcome.reading.missing === null, `${name}: ${JSON.stringify(outcome)}`)
        if (turn === 2) return { reading: outcome.reading, ms: best }
      }
    } finally {
      source.close()
      await rm(path)
    }
  }

  const rows: readonly [name: LongFilmName, most: number, ms: number, index: boolean][] = [
    ['long.mkv', 128 * KB, 100, true],
    ['long-fragments.mp4', 128 * KB, 100, true],
    ['long-segments.mp4', 128 * KB, 100, true],
    ['long-start.mp4', 128 * KB, 250, true],
    ['long-end.mp4', 128 * KB, 250, true],
    ['long.ts', 256 * KB, 100, false],
  ]
  for (const [name, most, mostMs, hasIndex] of rows) {
    test(name, async () => {
      const { reading, ms } = await read(name)
      const { facts, fetched } = reading
      assert.ok(Math.abs((facts?.duration ?? 0) - SECONDS) < 30, `${facts?.duration} s`)
      assert.equal(facts?.keys?.times.length ?? 0, hasIndex ? KEYS : 0)
      // Of MP4 its movie box beside that.
      const movie = name.startsWith('long-start') || name.startsWith('long-end') ? facts?.index[0] : undefined
      const index = movie === undefined ? 0 : movie.end - movie.start
      assert.ok(fetched - index <= most, `${fetched} bytes, ${index} of them the index`)
      assert.ok(ms <= mostMs, `${ms} ms of the processor`)
    })
  }

  for (const name of ['long.mp3', 'no-head.mp3', 'long.flac'] as const)
    test(`${name}: nothing of it is scanned`, async context => {
      const { reading, ms } = await read(name)
      const { facts, fetched } = reading
      context.diagnostic(`${fetched} bytes, ${ms} ms, ${facts?.duration} s`)
      assert.ok(fetched <= 1024 * KB, `${fetched} bytes`)
      assert.ok(Math.abs((facts?.duration ?? 0) - SECONDS) < 50, `${facts?.duration} s`)
      assert.deepEqual(
        facts?.tracks.map(({ kind, codec }) => [kind, codec]),
        [['audio', name.endsWith('mp3') ? 'mp3' : 'flac']],
      )
      assert.ok(ms <= 250, `${ms} ms of the processor`)
    })

  test('no-cues.mkv', async () => {
    const { reading } = await read('no-cues.mkv')
    assert.ok(reading.fetched <= 1024 * KB, `${reading.fetched} bytes`)
    assert.deepEqual([reading.facts?.seek, reading.facts?.keys, reading.facts?.tracks.length], ['not-yet', null, 2])
    assert.match(reading.facts?.note ?? '', /not seekable yet/)
  })
})
