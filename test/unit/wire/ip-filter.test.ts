// Address lists: each format line by line, lists in chunks of any size, broken lines, and bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  encodeFilterList,
  FilterListReader,
  type FilterRanges,
  MAX_FILTER_LINE_BYTES,
} from '../../../src/wire/net/ip-filter.ts'
import { runSteps } from '../../../src/wire/steps.ts'
import { cpuTimeMs } from '../../kit/nodes/cpu-time.ts'

function read(text: string | Uint8Array, chunkBytes = 1_000_000): FilterRanges {
  const reader = new FilterListReader()
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  for (let at = 0; at < bytes.length; at += chunkBytes) runSteps(reader.feed(bytes.subarray(at, at + chunkBytes)))
  reader.endList()
  return reader.ranges()
}

/** What one line says, as `first-last`; null when it is broken, '' when it says nothing. */
function line(text: string): string | null {
  const ranges = read(text)
  if (ranges.broken > 0) return null
  return encodeFilterList(ranges).trimEnd()
}

test('each format says the same range', () => {
  for (const text of [
    'Some name:1.2.3.0-1.2.3.255',
    'name: with, colons - and dashes:1.2.3.0 - 1.2.3.255  ',
    '9.9.9.9 in a name:1.2.3.0-1.2.3.255',
    ':1.2.3.0-1.2.3.255',
    '001.002.003.000 - 001.002.003.255 , 000 , A name, with commas',
    '1.2.3.0 - 1.2.3.255 , 127 , the last level that is blocked',
    '001.002.003.000-001.002.003.255,0,x',
    '1.2.3.0/24',
    '1.2.3.77/24',
    '1.2.3.0/24 ; SBL123',
    '1.2.3.0/24 # why',
    '1.2.3.0-1.2.3.255',
    '\t1.2.3.0 - 1.2.3.255\r',
    '\xef\xbb\xbf1.2.3.0/24',
  ]) {
    assert.equal(line(text), '1.2.3.0-1.2.3.255', text)
  }
})

test('single addresses and whole families', () => {
  assert.equal(line('1.2.3.4'), '1.2.3.4-1.2.3.4')
  assert.equal(line('0.0.0.0/0'), '0.0.0.0-255.255.255.255')
  assert.equal(line('255.255.255.255/32'), '255.255.255.255-255.255.255.255')
  assert.equal(line('::/0'), '::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')
  assert.equal(line('2001:db8::1'), '2001:db8::1-2001:db8::1')
})

test('IPv6 as block, range, with level, and behind a name', () => {
  assert.equal(line('2001:DB8::/33'), '2001:db8::-2001:db8:7fff:ffff:ffff:ffff:ffff:ffff')
  assert.equal(line('2001:db8::1 - 2001:db8::ff , 100 , name'), '2001:db8::1-2001:db8::ff')
  assert.equal(line('Some name:2001:db8::1-2001:db8::ff'), '2001:db8::1-2001:db8::ff')
  assert.equal(line('2001:db8::/32 ; SBL1'), '2001:db8::-2001:db8:ffff:ffff:ffff:ffff:ffff:ffff')
})

test('mapped IPv4 is IPv4', () => {
  assert.equal(line('::ffff:1.2.3.4'), '1.2.3.4-1.2.3.4')
  assert.equal(line('::ffff:1.2.3.0/120'), '1.2.3.0-1.2.3.255')
  assert.equal(line('x:::ffff:1.2.3.0-::ffff:1.2.3.9'), '1.2.3.0-1.2.3.9')
})

test('comments, empty lines and permitted ranges say nothing', () => {
  for (const text of ['', '   ', '# a', '; b', '// c', '1.2.3.0 - 1.2.3.9 , 128 , permitted', '::1 - ::2 , 200 , x']) {
    assert.equal(line(`${text}\n`), '', text)
  }
})

test('what cannot be read is broken', () => {
  for (const text of [
    'nonsense',
    'name:1.2.3.4',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.4/33',
    '1.2.3.4/',
    '1.2.3.9-1.2.3.4',
    '1.2.3.4-',
    '1.2.3.4 - 2001:db8::1',
    '2001:db8::2-2001:db8::1',
    '2001:db8::/129',
    // The name looks like a part of the address; a guess would make a huge range of it.
    'fade:2001:db8::1-2001:db8::ff',
    'name:2001:db8::2-2001:db8::1',
    'name:1.2.3.4-1.2.3.5x',
    '1.2.3.4 1.2.3.5',
    '1.2.3.4 , level',
    ':::',
    'a:b',
    '0001.2.3.4',
  ]) {
    assert.equal(line(text), null, text)
  }
})

test('lists are the same whatever the chunks; the last line needs no end', () => {
  const text = 'a:1.0.0.0-1.0.0.9\nbroken\n\n2.0.0.0/8\r\n# c\n2001:db8::/32\nb:3.0.0.0-3.0.0.1'
  const whole = read(text)
  assert.equal(
    encodeFilterList(whole),
    '1.0.0.0-1.0.0.9\n2.0.0.0-2.255.255.255\n3.0.0.0-3.0.0.1\n2001:db8::-2001:db8:ffff:ffff:ffff:ffff:ffff:ffff\n',
  )
  assert.deepEqual([whole.count, whole.lines, whole.broken, whole.firstBroken], [4, 7, 1, 2])
  for (const chunkBytes of [1, 2, 3, 7, 16]) assert.deepEqual(read(text, chunkBytes), whole, `${chunkBytes}`)
})

test('a line that is too long is one broken line, in one chunk and in many', () => {
  const long = `${'x'.repeat(MAX_FILTER_LINE_BYTES + 1)}:1.2.3.4-1.2.3.5`
  for (const chunkBytes of [10, 1_000_000]) {
    const ranges = read(`1.1.1.1\n${long}\n2.2.2.2\n`, chunkBytes)
    assert.deepEqual([ranges.count, ranges.lines, ranges.broken, ranges.firstBroken], [2, 3, 1, 2])
  }
  const fits = `${'x'.repeat(MAX_FILTER_LINE_BYTES - 16)}:1.2.3.4-1.2.3.5`
  assert.equal(fits.length, MAX_FILTER_LINE_BYTES)
  assert.equal(read(fits, 10).count, 1)
})

test('several lists follow each other in one reader', () => {
  const reader = new FilterListReader()
  for (const text of ['1.1.1.1', '2.2.2.2']) {
    runSteps(reader.feed(Buffer.from(text)))
    reader.endList()
  }
  assert.equal(encodeFilterList(reader.ranges()), '1.1.1.1-1.1.1.1\n2.2.2.2-2.2.2.2\n')
})

test('more ranges than one block keep their order', () => {
  const lines = Array.from({ length: 40_000 }, (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}\n`).join('')
  const ranges = read(lines, 4096)
  assert.equal(ranges.count, 40_000)
  assert.equal(ranges.v4.length, 3)
  assert.ok(encodeFilterList(ranges).endsWith('\n10.0.156.63-10.0.156.63\n'))
})

test('a million lines are read in steps of under 20 ms of CPU each', () => {
  const part = Buffer.from(
    Array.from({ length: 10_000 }, (_, n) => {
      const ip = `${(n >> 8) & 255}.${n & 255}`
      return n % 10 === 0
        ? `hostile name:2001:db8:${n.toString(16)}::-2001:db8::`
        : `A longer name:10.${ip}.0-10.${ip}.9`
    }).join('\n') + '\n',
  )
  const reader = new FilterListReader()
  const times: number[] = []
  for (let round = 0; round < 100; round++) {
    const steps = reader.feed(part)
    for (let done = false; !done; ) {
      const start = cpuTimeMs()
      done = steps.next().done === true
      times.push(cpuTimeMs() - start)
    }
  }
  reader.endList()
  assert.equal(reader.ranges().lines, 1_000_000)
  // The machine may take a turn away now and then; a reader without steps would take a second at once.
  times.sort((a, b) => b - a)
  assert.ok((times[3] ?? 0) < 20, `the longest steps: ${times.slice(0, 5).map(ms => ms.toFixed(1))}`)
})
