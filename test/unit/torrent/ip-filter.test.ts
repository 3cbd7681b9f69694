// The filter: same answers as a plain list, for ranges of any order and overlap; steps; families.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderRanges } from '../../../src/torrent/peers/address-ranges.ts'
import { buildIpFilter, IpFilter } from '../../../src/torrent/peers/ip-filter.ts'
import { formatIp } from '../../../src/wire/net/compact-address.ts'
import { FilterListReader, type FilterRanges } from '../../../src/wire/net/ip-filter.ts'
import { runSteps } from '../../../src/wire/steps.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { cpuTimeMs } from '../../kit/nodes/cpu-time.ts'

function list(text: string): FilterRanges {
  const reader = new FilterListReader()
  runSteps(reader.feed(Buffer.from(text)))
  reader.endList()
  return reader.ranges()
}

const filterOf = (text: string): IpFilter => runSteps(buildIpFilter(list(text)))

test('an empty filter blocks nothing', () => {
  for (const filter of [IpFilter.none, filterOf('')]) {
    assert.equal(filter.size, 0)
    for (const ip of ['1.2.3.4', '::1', 'no address']) assert.equal(filter.blocks(ip), false)
  }
})

test('both ends are blocked, their neighbours are not', () => {
  const filter = filterOf('1.2.3.10-1.2.3.20\n2001:db8::10-2001:db8::20\n')
  for (const ip of ['1.2.3.10', '1.2.3.15', '1.2.3.20', '2001:db8::10', '2001:db8::1f', '2001:db8::20']) {
    assert.ok(filter.blocks(ip), ip)
  }
  for (const ip of [
    '1.2.3.9',
    '1.2.3.21',
    '2001:db8::f',
    '2001:db8::21',
    '0.0.0.0',
    '255.255.255.255',
    '::',
    'ffff::',
  ]) {
    assert.ok(!filter.blocks(ip), ip)
  }
  assert.ok(filter.blocks('::ffff:1.2.3.15'), 'mapped IPv4 is IPv4')
  assert.ok(!filter.blocks('name'))
})

test('the edges of the address space', () => {
  const filter = filterOf('0.0.0.0\n255.255.255.255\n::\nffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\n')
  assert.equal(filter.size, 4, 'the highest address does not touch the lowest')
  for (const ip of ['0.0.0.0', '255.255.255.255', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']) {
    assert.ok(filter.blocks(ip), ip)
  }
  assert.ok(!filter.blocks('0.0.0.1'))
  const all = filterOf('0.0.0.0/0\n')
  assert.equal(all.size, 1)
  assert.ok(all.blocks('0.0.0.0') && all.blocks('255.255.255.255') && !all.blocks('::1'))
})

test('overlapping, contained, equal and touching ranges become one', () => {
  assert.equal(filterOf('1.0.0.5-1.0.0.9\n1.0.0.0-1.0.0.6\n1.0.0.2-1.0.0.3\n1.0.0.0-1.0.0.6\n1.0.0.10\n').size, 1)
  assert.equal(filterOf('1.0.0.255\n1.0.1.0\n').size, 1)
  assert.equal(filterOf('1.0.0.0\n1.0.0.2\n').size, 2)
  // Touching across words of 32 bits.
  assert.equal(filterOf('2001::ffff:ffff\n2001::1:0:0\n').size, 1)
  assert.equal(filterOf('2001::ffff:ffff:ffff\n2001::2:0:0:0\n').size, 2)
  assert.equal(filterOf('2001:db8::/33\n2001:db8:8000::/33\n').size, 1)
})

test('a long range that begins early is found behind many short ones', () => {
  const lines = Array.from({ length: 1000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`)
  const filter = filterOf([...lines, '9.0.0.0-11.0.0.0'].join('\n'))
  assert.equal(filter.size, 1)
  assert.ok(filter.blocks('10.200.0.0'))
})

test('the same answers as a plain list', () => {
  const random = new SeededRandom(7)
  // A small space, so that ranges meet: the last 12 bits of either family.
  const address = (n: number, six: boolean): string =>
    six
      ? formatIp(Uint8Array.from([0x20, 1, ...Array<number>(12).fill(0xff), n >> 8, n & 255]))
      : `10.0.${n >> 8}.${n & 255}`
  for (const six of [false, true]) {
    for (let round = 0; round < 20; round++) {
      const ranges = Array.from({ length: 1 + random.below(60) }, () => {
        const first = random.below(4096)
        return { first, last: Math.min(4095, first + random.below(1 + random.below(200))) }
      })
      const filter = filterOf(
        ranges.map(({ first, last }) => `${address(first, six)}-${address(last, six)}\n`).join(''),
      )
      for (let n = 0; n < 4096; n++) {
        const expected = ranges.some(({ first, last }) => n >= first && n <= last)
        assert.equal(filter.blocks(address(n, six)), expected, `${address(n, six)} in round ${round}`)
      }
    }
  }
})

test('ranges come out sorted and apart, and the blocks stay as they were', () => {
  const random = new SeededRandom(3)
  const block = Uint32Array.from({ length: 2 * 50_000 }, () => random.below(0x1_0000_0000))
  for (let at = 0; at < block.length; at += 2) block.subarray(at, at + 2).sort()
  for (let at = 0; at < block.length; at += 2) block[at + 1] = Math.min(block[at + 1] ?? 0, (block[at] ?? 0) + 1000)
  const before = Uint32Array.from(block)
  const ordered = runSteps(orderRanges([block.subarray(0, 20_000), block.subarray(20_000)], 2))
  assert.deepEqual(block, before)
  for (let at = 2; at < ordered.length; at += 2) assert.ok((ordered[at] ?? 0) > (ordered[at - 1] ?? 0) + 1)
})

test('a million ranges of either family are ordered in steps of under 20 ms of CPU each', () => {
  const random = new SeededRandom(5)
  for (const width of [2, 8]) {
    const half = width / 2
    const blocks = Array.from({ length: 64 }, () => {
      const block = new Uint32Array(16_384 * width)
      for (let at = 0; at < block.length; at += width) {
        for (let word = 0; word < half; word++) block[at + word] = random.below(0x1_0000_0000)
        block.copyWithin(at + half, at, at + half)
      }
      return block
    })
    const steps = orderRanges(blocks, width)
    const times: number[] = []
    for (let done = false; !done; ) {
      const start = cpuTimeMs()
      done = steps.next().done === true
      times.push(cpuTimeMs() - start)
    }
    times.sort((a, b) => b - a)
    assert.ok((times[3] ?? 0) < 20, `width ${width}: ${times.slice(0, 5).map(ms => ms.toFixed(1))}`)
  }
})
