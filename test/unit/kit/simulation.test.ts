// The pieces of the simulation kit do what simulations rely on: order of time, rates, latency, loss, a peer that
// serves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakePeer } from '../../kit/peers/fake-peer.ts'
import { makeTorrent, seededBytes } from '../../kit/content/make-torrent.ts'
import { MemoryNetwork } from '../../kit/sim/memory-network.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

test('timers run in order of time, promises settle between moments, cancelled ones do not run', async () => {
  const clock = new VirtualClock()
  const seen: string[] = []
  clock.after(20, () => seen.push('b'))
  clock.after(10, () => {
    seen.push('a')
    void Promise.resolve().then(() => seen.push('a settled'))
  })
  clock.after(15, () => seen.push('never')).cancel()
  const every = clock.every(30, () => seen.push('e'))
  await clock.advance(100)
  assert.deepEqual(seen, ['a', 'a settled', 'b', 'e', 'e', 'e'])
  every.cancel()
  assert.equal(clock.pending, 0)
  await assert.rejects(
    clock.until('never', () => false, 1000),
    /not within 1000/,
  )
})

test('a line carries its rate, and pausing the reader holds the writer up', async () => {
  const clock = new VirtualClock()
  const network = new MemoryNetwork(clock)
  const sender = network.host('10.0.0.1', { upRate: 1_000_000, latencyMs: 5 })
  const receiver = network.host('10.0.0.2', { latencyMs: 5 })
  const got: Uint8Array[] = []
  let incoming: { pause(): void; resume(): void } | null = null
  await receiver.listen({ ip: '10.0.0.2', port: 1 }, stream => {
    incoming = stream
    return { data: chunk => got.push(Uint8Array.from(chunk)), drain: () => {}, close: () => {} }
  })
  const content = seededBytes(4_000_000)
  let sent = false
  const handlers = { open: () => {}, data: () => {}, drain: () => {}, close: () => {} }
  const stream = sender.connect({ ip: '10.0.0.2', port: 1 }, { localIp: null, timeoutMs: 100 }, handlers)
  assert.equal(
    stream.write(content, () => (sent = true)),
    false,
  )
  const bytes = (): number => got.reduce((sum, chunk) => sum + chunk.length, 0)
  await clock.advance(1020)
  assert.ok(bytes() > 900_000 && bytes() <= 1_020_000, `${bytes()}`)
  ;(incoming as { pause(): void } | null)?.pause()
  await clock.advance(10_000)
  assert.ok(stream.bufferedBytes > 1_500_000, 'the window is full, the rest waits')
  ;(incoming as { resume(): void } | null)?.resume()
  await clock.advance(10_000)
  assert.equal(sent, true)
  assert.deepEqual(Buffer.concat(got), Buffer.from(content))
})

test('unknown hosts time out, closed ports refuse, both sides see a cut', async () => {
  const clock = new VirtualClock()
  const network = new MemoryNetwork(clock)
  const host = network.host('10.0.0.1')
  const ends: string[] = []
  const handlers = (name: string) => ({
    open: () => ends.push(`${name} open`),
    data: () => {},
    drain: () => {},
    close: (error: Error | null) => ends.push(`${name} ${error?.message}`),
  })
  host.connect({ ip: '10.9.9.9', port: 1 }, { localIp: null, timeoutMs: 500 }, handlers('silent'))
  network.host('10.0.0.2')
  host.connect({ ip: '10.0.0.2', port: 1 }, { localIp: null, timeoutMs: 500 }, handlers('refused'))
  await network.host('10.0.0.3').listen({ ip: '10.0.0.3', port: 1 }, () => handlers('server'))
  host.connect({ ip: '10.0.0.3', port: 1 }, { localIp: null, timeoutMs: 500 }, handlers('client'))
  await clock.advance(600)
  network.host('10.0.0.3').cut()
  host.cut()
  await clock.advance(10)
  assert.deepEqual(ends, [
    'client open',
    'refused connection refused',
    'silent connect timed out',
    'server connection lost',
    'client connection lost',
  ])
})

test('a fake peer serves another fake peer', async () => {
  const clock = new VirtualClock()
  const network = new MemoryNetwork(clock)
  const torrent = makeTorrent({ length: 300_000 })
  const seeder = new FakePeer(network.host('10.0.0.1'), torrent, () => clock.now())
  const leecher = new FakePeer(network.host('10.0.0.2'), torrent, () => clock.now(), { has: () => false, leeches: 4 })
  leecher.connect(await seeder.listen())
  await clock.until('20 blocks', () => leecher.blocks.length >= 20, 10_000)
  assert.ok(seeder.requests.length >= 20)
  assert.equal(seeder.interested, true)
  await clock.until('metadata size', () => leecher.nodeMetadataSize === torrent.info.length)
  leecher.requestMetadata(0)
  await clock.until('metadata', () => leecher.metadata.size === 1, 1000)
  assert.deepEqual(Buffer.from(leecher.metadata.get(0) ?? []), Buffer.from(torrent.info))
  await leecher.close()
  await seeder.close()
})
