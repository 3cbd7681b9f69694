// bencode and what is built on it: any bytes give a value or a DecodeError; canonical values survive the round trip.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DecodeError } from '../../src/base/errors.ts'
import { type BencodeValue, decodeBencode, dictSlices, encodeBencode } from '../../src/wire/bencode.ts'
import { metainfoJson } from '../../src/wire/metainfo/metainfo-json.ts'
import { runSteps } from '../../src/wire/steps.ts'
import { decodeInfo, decodeMetainfo, encodeMetainfo, isV2Only } from '../../src/wire/metainfo/metainfo.ts'
import { encodePieceLayers } from '../../src/wire/metainfo/piece-layers.ts'
import type { Metainfo } from '../../src/wire/metainfo/torrent-types.ts'
import { FUZZ_SECONDS, fuzz } from '../kit/sim/fuzz.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { makeV2Torrent } from '../kit/content/make-v2-torrent.ts'

/** The result, or null for a DecodeError; anything else thrown fails the test. */
function attempt<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

const key = fc.uint8Array({ maxLength: 6 }).map(bytes => Buffer.from(bytes).toString('latin1'))
const { tree } = fc.letrec<{ tree: BencodeValue }>(tie => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.maxSafeInteger(),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 100n }),
    fc.uint8Array({ maxLength: 20 }),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('tree')), { maxLength: 5 }).map(entries => new Map(entries)),
  ),
}))

test('every value survives the round trip, and its encoding is canonical', () => {
  const property = fc.property(tree, value => {
    const bytes = encodeBencode(value)
    const again = encodeBencode(decodeBencode(bytes))
    assert.ok(Buffer.from(bytes).equals(again))
    // A string that is a slice of a larger input must not be touched by what stands around it.
    assert.ok(
      Buffer.from(
        encodeBencode(decodeBencode(Buffer.concat([Buffer.from(bytes), Buffer.from('x')]), { allowTrailing: true })),
      ).equals(bytes),
    )
  })
  fc.assert(property, {
    numRuns: 1_000_000,
    interruptAfterTimeLimit: FUZZ_SECONDS * 300,
    markInterruptAsFailure: false,
  })
})

fuzz('random bytes give a value or a DecodeError, and so does skipping', 0.2, source => {
  const bytes = source.mutate(
    Buffer.from(source.pick(['d1:ali1e2:xyee', 'lllleeee', 'i-12e', 'd0:0:e', 'd1:ad1:bd1:ci1eeee'])),
  )
  const value = attempt(() => decodeBencode(bytes))
  const slices = attempt(() => dictSlices(bytes))
  if (value instanceof Map)
    assert.deepEqual(
      [...(slices ?? [])].map(([name]) => name),
      [...value.keys()],
    )
  if (value !== null) assert.ok(attempt(() => runSteps(metainfoJson(bytes))) !== undefined)
  attempt(() => decodeBencode(source.bytes(64)))
})

const V2_FILES = [
  { path: 'a/b', length: 40_000 },
  { path: 'a/c', length: 3 },
  { path: 'd', length: 0 },
  { path: 'e', length: 16_384, attr: 'x' },
]

const SEEDS = [
  makeTorrent({ length: 5000, pieceLength: 1024, announce: [['http://a/'], ['udp://b:1']], comment: 'c' }),
  makeTorrent({
    pieceLength: 1024,
    padding: true,
    files: [
      { path: 'a/b', length: 1500 },
      { path: 'A/B', length: 9 },
      { path: 'c', length: 0 },
    ],
  }),
]
  .map(made => made.torrent)
  .concat(
    [
      makeV2Torrent(),
      makeV2Torrent({ hybrid: true, pieceLength: 16384, files: V2_FILES }),
      makeV2Torrent({ pieceLength: 16384, files: V2_FILES }),
    ].map(made => made.torrent),
  )

/** What must be so of the v2 part, whatever the bytes. */
function checkV2(meta: Metainfo): void {
  const { v2 } = meta
  if (v2 === null) return
  assert.equal(v2.pieceRoots.length, meta.pieceCount * 32)
  for (const { index, length, firstPiece, pieceCount } of v2.files) {
    const file = meta.files[index]
    assert.deepEqual([file?.length, file?.offset, file?.padding], [length, firstPiece * meta.pieceLength, false])
    assert.equal(pieceCount, Math.ceil(length / meta.pieceLength))
  }
  const bare = decodeInfo(meta.infoBytes, [], { knownAs: meta.infoHash })
  assert.equal(bare.infoHash, meta.infoHash)
  const again = decodeInfo(meta.infoBytes, [], { pieceLayers: encodePieceLayers(v2) })
  assert.deepEqual(again.v2, v2)
}

fuzz('a changed torrent is refused with a DecodeError or is safe to use', 0.5, source => {
  const bytes = source.mutate(source.pick(SEEDS))
  const meta = attempt(() => decodeMetainfo(bytes))
  if (meta === null) return
  const seen = new Set<string>()
  let offset = 0
  for (const file of meta.files) {
    assert.equal(file.offset, offset)
    offset += file.length
    for (const part of file.path) {
      assert.ok(
        part !== '' && part !== '.' && part !== '..' && !/[/\\\0]/.test(part) && Buffer.byteLength(part) <= 255,
        part,
      )
    }
    seen.add(file.path.join('/').toLowerCase())
  }
  assert.equal(seen.size, meta.files.length)
  assert.equal(offset, meta.totalLength)
  assert.equal(meta.pieceHashes.length, isV2Only(meta) ? 0 : meta.pieceCount * 20)
  checkV2(meta)
  assert.equal(meta.pieceCount, Math.ceil(meta.totalLength / meta.pieceLength))
  const again = decodeMetainfo(encodeMetainfo(meta))
  assert.deepEqual(again, meta)
})
