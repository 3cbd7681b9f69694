// Fence: shared work overlaps, exclusive work does not, order is that of arrival.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fence } from '../../../src/pools/fence.ts'

interface Held {
  readonly work: () => Promise<void>
  end(): void
}

function held(name: string, seen: string[]): Held {
  let end = (): void => undefined
  const done = new Promise<void>(resolve => {
    end = resolve
  })
  return {
    work: async () => {
      seen.push(`+${name}`)
      await done
      seen.push(`-${name}`)
    },
    end: () => end(),
  }
}

test('exclusive work waits for earlier work and holds back later work', async () => {
  const fence = new Fence()
  const seen: string[] = []
  const [a, b, x, c] = ['a', 'b', 'x', 'c'].map(name => held(name, seen)) as [Held, Held, Held, Held]
  const all = [fence.shared(a.work), fence.shared(b.work), fence.exclusive(x.work), fence.shared(c.work)]
  await new Promise(setImmediate)
  assert.deepEqual(seen, ['+a', '+b'])
  b.end()
  a.end()
  await new Promise(setImmediate)
  assert.deepEqual(seen.slice(2), ['-b', '-a', '+x'])
  x.end()
  c.end()
  await Promise.all(all)
  assert.deepEqual(seen.slice(5), ['-x', '+c', '-c'])
  assert.equal(fence.running, 0)
})

test('a barrier takes its snapshot alone, then lets later shared work in but nothing exclusive', async () => {
  const fence = new Fence()
  const seen: string[] = []
  const [a, s, c, x] = ['a', 's', 'c', 'x'].map(name => held(name, seen)) as [Held, Held, Held, Held]
  const take = (): string => {
    seen.push('snapshot')
    return 'taken'
  }
  const all = [fence.shared(a.work), fence.barrier(take, s.work), fence.shared(c.work), fence.exclusive(x.work)]
  await new Promise(setImmediate)
  assert.deepEqual(seen, ['+a'])
  a.end()
  c.end()
  await new Promise(setImmediate)
  assert.deepEqual(seen.slice(1), ['-a', 'snapshot', '+s', '+c', '-c'])
  s.end()
  x.end()
  await Promise.all(all)
  assert.deepEqual(seen.slice(6), ['-s', '+x', '-x'])
})

test('a failure opens the fence again', async () => {
  const fence = new Fence()
  await assert.rejects(fence.exclusive(() => Promise.reject(new Error('x'))))
  await assert.rejects(
    fence.barrier(
      () => {
        throw new Error('y')
      },
      () => Promise.resolve(),
    ),
  )
  assert.equal(await fence.exclusive(() => Promise.resolve(7)), 7)
})
