// Films made to cost memory or time out of all measure, cut by the thread: each is refused, what the process holds
// grows by no more than an honest segment may take, and the node goes on meanwhile.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { SegmentOrder } from '../../../../src/chapters/hls/core/samples.ts'
import { SegmentThread } from '../../../../src/chapters/hls/io/segment-thread.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { box } from '../../media/kit/made-mp4.ts'
import { fragmentedFilm, moof, traf } from '../kit/made-fragments.ts'
import { cluster, element, entry, madeMatroska, parent, simpleBlock } from '../kit/made-matroska.ts'
import { madeOrder } from '../kit/made-order.ts'

const MIB = 1024 * 1024
/** Twice the longest segment as it is read, packed and written. */
const MOST_MIB = 300
const never = new AbortController().signal

/** A film; behind its bytes there are zeros up to `size`. */
interface HostileFilm {
  readonly bytes: Buffer
  readonly size: number
  readonly order: Partial<SegmentOrder>
}

function matroska(config: Uint8Array, count: number, frame: Uint8Array, ...more: Buffer[]): HostileFilm {
  const blocks = Array.from({ length: count }, () => simpleBlock(1, 0, true, frame))
  const { bytes, places } = madeMatroska(
    [entry(1, 1, 'V_MPEG4/ISO/AVC', config, ...more)],
    [cluster(0, 'known', Buffer.concat(blocks))],
  )
  return { bytes, size: bytes.length, order: { container: 'matroska', startByte: places[0] ?? 0 } }
}

function fragments(size: number, ...parts: readonly Buffer[]): HostileFilm {
  const { bytes, start } = fragmentedFilm(...parts)
  return { bytes, size: Math.max(size, bytes.length), order: { container: 'mp4', startByte: start } }
}

const EMPTY_CONFIG = Buffer.from('01640028ffe000', 'hex')

/** A configuration with one parameter set of so many bytes. */
function longConfig(bytes: number): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes)
  return Buffer.concat([Buffer.from('01640028ffe1', 'hex'), length, Buffer.alloc(bytes, 0x67), Buffer.of(0)])
}

/** What was taken from the start of frames. */
function stripped(prefix: Uint8Array): Buffer {
  const settings = [element(0x4254, Buffer.of(3)), element(0x4255, prefix)]
  return parent(0x6d80, parent(0x6240, parent(0x5034, ...settings)))
}

function freeBoxes(bytes: number): Buffer {
  const free = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at += 8) {
    free.writeUInt32BE(8, at)
    free.write('free', at + 4, 'latin1')
  }
  return free
}

const sample = (size: number, count = 1): Buffer => traf(1, 0, { samples: count, size, place: 0 })

const FILMS: Readonly<Record<string, () => HostileFilm>> = {
  'parameter sets before 20,000 key frames': () => matroska(longConfig(16_000), 20_000, Buffer.alloc(0)),
  'a configuration of half a megabyte': () => matroska(longConfig(60_000), 20_000, Buffer.alloc(0)),
  'a long prefix before each frame': () => matroska(EMPTY_CONFIG, 20_000, Buffer.of(0), stripped(Buffer.alloc(4000))),
  'frames without number': () => matroska(EMPTY_CONFIG, 300_000, Buffer.of(0), stripped(Buffer.alloc(60))),
  'a sample of three gigabytes': () => fragments(4096 * MIB, moof(sample(3072 * MIB))),
  'thousands of samples over each other': () =>
    fragments(16 * MIB, moof(...Array.from({ length: 5000 }, () => sample(10 * MIB)))),
  'runs of samples without bytes': () =>
    fragments(0, moof(...Array.from({ length: 10_000 }, () => sample(0, 100_000)))),
  'boxes without number': () => fragments(0, moof(sample(4)), freeBoxes(16 * MIB)),
  'fragments of another track': () =>
    fragments(
      0,
      ...Array.from({ length: 30_000 }, () => moof(traf(9, 0, { samples: 1, size: 0, place: 0 }))),
      box('mdat'),
    ),
}

describe('films made to cost too much', { concurrency: 1 }, () => {
  const thread = new SegmentThread({ clock: new SystemClock() })
  after(() => thread.stop())

  for (const [name, make] of Object.entries(FILMS))
    test(name, { timeout: 60_000 }, async context => {
      const { bytes, size, order } = make()
      const rss = (): number => process.memoryUsage.rss() / MIB
      const before = rss()
      let [most, reads] = [before, 0]
      const film = {
        size,
        async read(start: number, length: number, into: Uint8Array): Promise<number> {
          reads += 1
          most = Math.max(most, rss())
          const part = bytes.subarray(start, start + length)
          into.set(part)
          into.fill(0, part.length, length)
          return length
        },
      }
      const watch = setInterval(() => (most = Math.max(most, rss())), 5)
      const all = madeOrder({ sound: null, isFirst: true, number: 0, start: 0, endByte: size, ...order })
      const job = { tag: name, size, order: { ...all, end: Number.POSITIVE_INFINITY, backByte: all.startByte } }
      const outcome = await thread.make(job, film, never)
      clearInterval(watch)
      const grown = Math.round(Math.max(most, rss()) - before)
      context.diagnostic(`${outcome.kind} ${'why' in outcome ? outcome.why : ''}, ${reads} reads, ${grown} MiB`)
      assert.equal(outcome.kind, 'unreadable')
      assert.ok('why' in outcome && !('isCostly' in outcome), JSON.stringify(outcome))
      assert.ok(grown < MOST_MIB, `${grown} MiB`)
      assert.ok(reads < 2000, `${reads} reads`)
    })
})
