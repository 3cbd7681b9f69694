// FilePermits: how many descriptors are lent, to which caller first, and what a volume that does not answer leaves to
// others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FilePermits } from '../../../src/io/files/file-permits.ts'
import { Volume } from '../../../src/io/files/volume.ts'
import { settle } from '../../kit/sim/virtual-clock.ts'

function rig(capacity: number) {
  const permits = new FilePermits(capacity)
  const volumes = { a: new Volume('/a', false, 0), b: new Volume('/b', false, 0), own: new Volume('/', true, 0) }
  const lent: string[] = []
  const take = (name: string, count: number, of: keyof typeof volumes): void => {
    void permits.take(count, volumes[of]).then(() => lent.push(name))
  }
  return { permits, volumes, lent, take }
}

test('a volume holds at most half, and whoever waits for it lets others pass', async () => {
  const { permits, volumes, lent, take } = rig(8)
  take('a1', 3, 'a')
  take('a2', 1, 'a')
  take('a3', 1, 'a')
  take('a4', 1, 'a')
  take('b1', 4, 'b')
  await settle()
  assert.deepEqual(lent, ['a1', 'a2', 'b1'])
  permits.give(4, volumes.b)
  await settle()
  assert.deepEqual(lent, ['a1', 'a2', 'b1'], 'what b gave back is not for a')
  permits.give(1, volumes.a)
  await settle()
  assert.deepEqual(lent, ['a1', 'a2', 'b1', 'a3'])
  permits.give(3, volumes.a)
  await settle()
  assert.deepEqual(lent, ['a1', 'a2', 'b1', 'a3', 'a4'])
})

test('the volume of the state directory may hold all, and waits only for what is not there', async () => {
  const { permits, volumes, lent, take } = rig(4)
  take('1', 3, 'own')
  take('2', 1, 'own')
  take('3', 1, 'own')
  await settle()
  assert.deepEqual(lent, ['1', '2'])
  permits.give(1, volumes.own)
  await settle()
  assert.deepEqual(lent, ['1', '2', '3'])
})

test('a job that needs more than half has it when its volume holds nothing', async () => {
  const { permits, volumes, lent, take } = rig(8)
  take('large', 7, 'a')
  await settle()
  assert.deepEqual(lent, ['large'])
  take('larger', 8, 'a')
  await settle()
  assert.deepEqual(lent, ['large'])
  permits.give(7, volumes.a)
  await settle()
  assert.deepEqual(lent, ['large', 'larger'])
})

test('one that waits for many is not overtaken for ever by those that need few', async () => {
  const { permits, volumes, lent, take } = rig(4)
  take('1', 2, 'own')
  take('many', 4, 'b')
  take('2', 1, 'own')
  await settle()
  assert.deepEqual(lent, ['1'])
  permits.give(2, volumes.own)
  await settle()
  assert.deepEqual(lent, ['1', 'many'])
  permits.give(4, volumes.b)
  await settle()
  assert.deepEqual(lent, ['1', 'many', '2'])
})

test('of one volume the first is the first, whatever they need', async () => {
  const { permits, volumes, lent, take } = rig(8)
  take('1', 3, 'a')
  take('two', 2, 'a')
  take('one', 1, 'a')
  take('b', 1, 'b')
  await settle()
  assert.deepEqual(lent, ['1', 'b'])
  permits.give(1, volumes.b)
  await settle()
  assert.deepEqual(lent, ['1', 'b'], 'there is room for one, but it is not its turn')
  permits.give(1, volumes.a)
  await settle()
  assert.deepEqual(lent, ['1', 'b', 'two'])
  permits.give(1, volumes.a)
  await settle()
  assert.deepEqual(lent, ['1', 'b', 'two', 'one'])
})
