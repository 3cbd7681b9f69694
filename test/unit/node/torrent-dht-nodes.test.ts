// Nodes of the DHT that torrents name: one at a time, each once, and never more waiting than there is room for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TorrentDhtNodes } from '../../../src/node/engine/torrent-dht-nodes.ts'

function world() {
  const tried: number[] = []
  const open: (() => void)[] = []
  const nodes = new TorrentDhtNodes(
    ({ port }) =>
      new Promise(resolve => {
        tried.push(port)
        open.push(resolve)
      }),
  )
  const add = (...ports: number[]): void => nodes.add(ports.map(port => ({ host: 'dht.example', port })))
  const answer = async (): Promise<void> => {
    open.shift()?.()
    await nextTurn()
  }
  return { tried, nodes, add, answer }
}

test('one after the other, each once', async () => {
  const { tried, add, answer } = world()
  add(1, 2, 1)
  add(2, 3)
  assert.deepEqual(tried, [1])
  await answer()
  assert.deepEqual(tried, [1, 2])
  await answer()
  await answer()
  add(3, 1)
  assert.deepEqual(tried, [1, 2, 3])
  add(4)
  assert.deepEqual(tried, [1, 2, 3, 4])
})

test('what there is no room for is passed over, and what is old may come again', async () => {
  const { tried, add, answer } = world()
  const ports = Array.from({ length: 5000 }, (_, at) => at + 1)
  add(...ports)
  for (let at = 0; at < 5000; at++) await answer()
  assert.deepEqual(tried, ports.slice(0, 200))
  for (let from = 200; from < 1400; from += 100) {
    add(...ports.slice(from, from + 100))
    for (let at = 0; at < 100; at++) await answer()
  }
  assert.equal(tried.length, 1400)
  add(1)
  assert.equal(tried.at(-1), 1)
})

test('nothing more is tried after the end', async () => {
  const { tried, nodes, add, answer } = world()
  add(1, 2)
  nodes.stop()
  await answer()
  assert.deepEqual(tried, [1])
})
