// Packets that become fragments: what a part may hold of them.

import assert from 'node:assert/strict'
import { EncodedPacket } from 'mediabunny'
import { test } from 'node:test'
import { Fragments } from '../../../../src/web/remux/fragments.ts'

const AAC = { codec: 'mp4a.40.2', sampleRate: 48_000, numberOfChannels: 2, description: Uint8Array.of(0x11, 0x90) }
const packet = (at: number, seconds: number): EncodedPacket =>
  new EncodedPacket(new Uint8Array(10), 'key', at * seconds, seconds)

test('packets that take no time are no part for ever: that is an error', async () => {
  const fragments = await Fragments.sound('aac', AAC)
  let count = 0
  const all = async (): Promise<void> => {
    for (; count < 100_000; count += 1) await fragments.add(packet(count, 0))
  }
  await assert.rejects(all, /too far apart to be repacked/)
  assert.ok(count >= 10_000 && count < 50_000, `${count}`)
  await fragments.cancel()
})

test('a long film is many parts of a few', async () => {
  const fragments = await Fragments.sound('aac', AAC)
  for (let at = 0; at < 60_000; at += 1) {
    await fragments.add(packet(at, 0.0213))
    fragments.take()
  }
  await fragments.cancel()
})
