// Address lists: any bytes in any chunks give ranges within bounds and never an error; what is written is read again as
// it was; the filter answers as the ranges say.

import assert from 'node:assert/strict'
import { buildIpFilter } from '../../src/torrent/peers/ip-filter.ts'
import { formatIp } from '../../src/wire/net/compact-address.ts'
import { encodeFilterList, FilterListReader, type FilterRanges } from '../../src/wire/net/ip-filter.ts'
import { decodeListenList, encodeListenList } from '../../src/wire/net/listen-list.ts'
import { DecodeError } from '../../src/base/errors.ts'
import { runSteps } from '../../src/wire/steps.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'

const SEEDS = [
  'name:1.2.3.0-1.2.3.255\nother:2001:db8::-2001:db8::ff\n',
  '001.002.003.000 - 001.002.003.255 , 000 , name\n::1 - ::2 , 127 , x\n',
  '1.2.3.0/24\n2001:db8::/32 ; y\n# z\n::ffff:1.2.3.4\n\n10.0.0.1\r\n',
]

function read(bytes: Uint8Array, source: Fuzz): FilterRanges {
  const reader = new FilterListReader()
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 1 + source.below(64))
    runSteps(reader.feed(bytes.subarray(at, end)))
    at = end
  }
  reader.endList()
  return reader.ranges()
}

/** Blocks as one list of numbers. */
const flat = (ranges: FilterRanges) => [ranges.v4, ranges.v6].map(blocks => blocks.flatMap(block => [...block]))

function address(words: readonly number[]): string {
  const bytes = new Uint8Array(words.length * 4)
  for (const [at, word] of words.entries()) new DataView(bytes.buffer).setUint32(at * 4, word)
  return formatIp(bytes)
}

fuzz('any bytes give ranges; written they are read again; the filter holds their ends', 0.8, source => {
  let bytes: Uint8Array = Buffer.from(Array.from({ length: 1 + source.below(4) }, () => source.pick(SEEDS)).join(''))
  if (source.below(8) > 0) bytes = source.mutate(bytes)
  const ranges = read(bytes, source)
  assert.ok(ranges.broken <= ranges.lines && ranges.count <= ranges.lines - ranges.broken)
  assert.equal(ranges.firstBroken === null, ranges.broken === 0)
  const again = read(Buffer.from(encodeFilterList(ranges)), source)
  assert.equal(again.broken, 0)
  const [v4 = [], v6 = []] = flat(ranges)
  assert.deepEqual(flat(again), [v4, v6])
  const filter = runSteps(buildIpFilter(ranges))
  for (const [words, all] of [
    [1, v4],
    [4, v6],
  ] as const) {
    for (let at = 0; at < all.length; at += 2 * words) {
      assert.ok(filter.blocks(address(all.slice(at, at + words))))
      assert.ok(filter.blocks(address(all.slice(at + words, at + 2 * words))))
    }
  }
})

fuzz('any text gives a list of addresses and devices or a DecodeError', 0.2, source => {
  const text = Buffer.from(source.mutate(Buffer.from('tun0:6881,[2001:db8::1]:6881,1.2.3.4,eth0.7'))).toString('latin1')
  let entries: ReturnType<typeof decodeListenList>
  try {
    entries = decodeListenList(text)
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error))
    return
  }
  assert.deepEqual(decodeListenList(encodeListenList(entries)), entries)
})
