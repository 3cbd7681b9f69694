// Addresses of programs in a namespace: no two alike, and enough for the longest benchmark.

import assert from 'node:assert/strict'
import { isIPv4 } from 'node:net'
import { test } from 'node:test'
import { BENCH_BLOCKS } from '../../../bench/lib/bench-place.ts'
import { BLOCK_HOSTS, type ClaimBlock, claimHosts } from '../../kit/nodes/loopback-hosts.ts'

/** Blocks of a namespace in which these are taken. */
function namespaceWith(taken: Iterable<number>) {
  const held = new Set(taken)
  const claim: ClaimBlock = block => {
    if (held.has(block)) return Promise.resolve(null)
    held.add(block)
    const close = (done: () => void) => {
      held.delete(block)
      done()
    }
    return Promise.resolve({ close } as never)
  }
  return { claim, held }
}

test('a benchmark has room for three times a block, each address once and none the one that holds a block', async () => {
  const { claim } = namespaceWith([2])
  const hosts = await claimHosts(BENCH_BLOCKS, claim)
  const given = Array.from({ length: BENCH_BLOCKS * BLOCK_HOSTS }, () => hosts.next())
  assert.ok(given.length >= 756, `${given.length} addresses`)
  assert.equal(new Set(given).size, given.length)
  for (const ip of given) assert.ok(isIPv4(ip) && /^10\.77\.(?!2\.)\d+\.(?!0$|1$|254$|255$)\d+$/.test(ip), ip)
  assert.throws(() => hosts.next(), /given away/)
})

test('two programs share no address; what one releases another may claim', async () => {
  const { claim, held } = namespaceWith([])
  const [one, other] = [await claimHosts(1, claim), await claimHosts(2, claim)]
  const first = Array.from({ length: BLOCK_HOSTS }, () => one.next())
  const second = Array.from({ length: 2 * BLOCK_HOSTS }, () => other.next())
  assert.equal(new Set([...first, ...second]).size, 3 * BLOCK_HOSTS)
  await other.release()
  assert.deepEqual([...held], [1])
})

test('where not so many blocks are free nothing stays claimed', async () => {
  const { claim, held } = namespaceWith(Array.from({ length: 252 }, (_, block) => block + 1))
  await assert.rejects(claimHosts(3, claim), /taken/)
  assert.equal(held.size, 252)
  await claimHosts(2, claim)
})
