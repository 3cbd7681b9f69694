// AVI by the old index and by that of OpenDML: streams, times, key frames; and what lies about itself.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { readFacts } from '../../../../../src/chapters/media/probe/read-facts.ts'
import { chunk, list, madeAvi, numbers, soundStream, videoStream } from '../../kit/made-avi.ts'
import { MemorySource } from '../../kit/memory-source.ts'

const frame = (isKey: boolean, bytes = 10): { type: string; body: Uint8Array; isKey: boolean } => ({
  type: '00dc',
  body: new Uint8Array(bytes),
  isKey,
})
const sound = { type: '01wb', body: new Uint8Array(417), isKey: true }
const FRAMES = [frame(true), sound, frame(false), frame(false, 0), sound, frame(true), frame(false)]

async function factsOf(bytes: Uint8Array): Promise<FilmFacts> {
  const outcome = await readFacts(new MemorySource(bytes))
  assert.ok(outcome.kind === 'read' && outcome.reading.facts !== null, JSON.stringify(outcome))
  return outcome.reading.facts
}

describe('AVI', () => {
  for (const from of ['list', 'file'] as const)
    test(`an index whose places count from the start of the ${from}`, async () => {
      const { bytes, places } = madeAvi([videoStream(25, 1), soundStream(1)], FRAMES, from)
      const { container, duration, seek, tracks, keys } = await factsOf(bytes)
      assert.deepEqual([container, duration, seek], ['avi', 0.2, 'keys'])
      assert.deepEqual(
        tracks.map(({ id, kind, codec, width, height, channels, sampleRate }) => [
          id,
          kind,
          codec,
          width,
          height,
          channels,
          sampleRate,
        ]),
        [
          [1, 'video', 'mpeg4', 320, 180, 0, 0],
          [2, 'audio', 'mp3', 0, 0, 2, 44_100],
        ],
      )
      assert.deepEqual(keys, {
        track: 1,
        times: [0, 0.12],
        bytes: [(places[0] ?? 0) + 8, (places[5] ?? 0) + 8],
        gap: 0,
      })
    })

  test('an index of OpenDML, for places beyond what the old one can say', async () => {
    // The index of the chunks lies before them, since its place is known then.
    const entries = numbers(0, 10, 20, 0x80_00_00_00 + 10, 40, 10)
    const indexOf = (base: number): Buffer =>
      chunk('ix00', Buffer.concat([numbers(0x01_00_00_02, 3), Buffer.from('00dc'), numbers(base, 0, 0), entries]))
    const places = (at: number, length: number): Buffer =>
      chunk('indx', Buffer.concat([numbers(4, 1), Buffer.from('00dc'), numbers(0, 0, 0, at, 0, length, 3)]))
    const film = (at: number): Buffer => {
      const streams = videoStream(25, 1, 'DX50', places(at, indexOf(0).length))
      const head = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI ', 'latin1'), list('hdrl', streams)])
      return Buffer.concat([head, list('movi', indexOf(head.length), new Uint8Array(100))])
    }
    const at = film(0).indexOf('ix00')
    const { duration, keys, seek } = await factsOf(film(at))
    assert.deepEqual([duration, seek], [0.12, 'keys'])
    assert.deepEqual(keys?.times, [0, 0.08])
    for (const bad of [0, 5, 1e9]) {
      const facts = await factsOf(film(bad))
      assert.deepEqual([facts.seek, facts.keys, facts.duration], ['no', null, null])
      assert.match(facts.note, /Its index cannot be read/)
    }
  })

  test('without an index it is told, and not seekable', async () => {
    const facts = await factsOf(madeAvi([videoStream(25, 1)], FRAMES, 'none').bytes)
    assert.deepEqual([facts.seek, facts.keys, facts.tracks.length], ['no', null, 1])
    assert.match(facts.note, /no index/)
  })

  test('a clock that stands still, streams without a head, and no streams at all', async () => {
    for (const [rate, scale] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const facts = await factsOf(madeAvi([videoStream(rate, scale)], FRAMES, 'list').bytes)
      assert.deepEqual([facts.tracks[0]?.kind, facts.keys], ['other', null])
    }
    for (const streams of [[], [list('strl', chunk('strh', new Uint8Array(4)))]]) {
      const outcome = await readFacts(new MemorySource(madeAvi(streams, FRAMES, 'list').bytes))
      assert.equal(outcome.kind, 'unreadable')
    }
  })
})
