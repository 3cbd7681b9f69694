// Memory given back to the system: less of it is held, everything still works, and without the machine code nothing is
// done.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { test } from 'node:test'
import { gzipSync, gunzipSync } from 'node:zlib'
import { collectSoon, giveBackMemory } from '../../../src/io/process/give-back.ts'
import { nativeMissing } from '../../kit/native-hashes.ts'
import { waitFor } from '../../kit/wait-for.ts'

/** Bytes of files that the process has mapped and in memory. */
function mappedBytes(): number {
  return Number(/^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}

test('pages of programs are given back, and read again when they are used', { skip: nativeMissing }, async () => {
  const text = 'a film '.repeat(10_000)
  const work = (): string => {
    const packed = gunzipSync(gzipSync(JSON.stringify({ text }))).toString()
    return createHash('sha256').update(packed).digest('hex')
  }
  const [right, before] = [work(), mappedBytes()]
  const given = (await giveBackMemory()) ?? 0
  assert.ok(given > before / 4, `${given} of ${before}`)
  assert.ok(mappedBytes() < before)
  for (let times = 0; times < 5; times++) {
    assert.equal(work(), right)
    assert.equal(typeof (await giveBackMemory()), 'number')
  }
})

test('many at a time, from a process that works', { skip: nativeMissing }, async () => {
  const all = Array.from({ length: 8 }, () => giveBackMemory())
  const numbers = Array.from({ length: 100_000 }, (_, index) => String(index))
  assert.equal(new Set(numbers).size, 100_000)
  for (const given of await Promise.all(all)) assert.equal(typeof given, 'number')
})

test('nothing is done where the machine code is not there', async () => {
  const load = () => {
    throw new Error('not here')
  }
  assert.equal(await giveBackMemory(load), null)
})

test('a collection begins when it is asked for, not only when much was made', { skip: nativeMissing }, async () => {
  let collections = 0
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries() as (PerformanceEntry & { readonly detail: { readonly kind: number } })[])
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1
  })
  observer.observe({ entryTypes: ['gc'] })
  try {
    assert.equal(collectSoon(), true)
    await waitFor('a collection of everything', () => collections > 0, 5000)
  } finally {
    observer.disconnect()
  }
})

test('no collection is asked for where the machine code is not there', () => {
  const load = () => {
    throw new Error('not here')
  }
  assert.equal(collectSoon(load), false)
})
