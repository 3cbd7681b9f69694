// Thirty nodes that know one address find each other, on a line that loses packets, while nodes go and come.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMUNITY_IDS } from '../../../../src/chapters/overlay/wire/community-ids.ts'
import type { SignatureCheck } from '../../../../src/chapters/overlay/core/identity.ts'
import { fakeCheck } from '../kit/fake-keys.ts'
import { OverlayNetwork } from '../kit/overlay-network.ts'

function peersOf(node: OverlayNetwork['nodes'][number]): number {
  return node.overlays.rows().find(row => row.id === COMMUNITY_IDS.discovery)?.peers ?? 0
}

test('thirty nodes find each other by one address, with loss', async () => {
  const network = new OverlayNetwork(7, { lossPerMille: 100 })
  await network.grow(30, 0)
  const took = await network.clock.until(
    'all have peers',
    () => network.nodes.every(node => peersOf(node) >= 15),
    300_000,
  )
  assert.ok(took < 180_000, `${took} ms`)
  for (const node of network.nodes) assert.ok(peersOf(node) <= 40, String(peersOf(node)))
  await network.close()
  // What is still on its way arrives nowhere.
  await network.clock.advance(1000)
  assert.equal(network.clock.pending, 0)
})

test('nodes that vanish are forgotten, and who comes finds those that are left', async () => {
  const network = new OverlayNetwork(11, { lossPerMille: 50 })
  await network.grow(30, 60_000)
  const gone = network.nodes.slice(1, 15)
  const members = new Set<string>()
  for (const node of gone) {
    members.add(node.overlays.rows()[0]?.member ?? '')
    await network.kill(node)
  }
  for (let i = 0; i < 8; i++) await network.add()
  await network.clock.advance(180_000)
  const left = new Set(network.nodes.map(node => `${node.address.ip}:${node.address.port}`))
  for (const node of network.nodes) {
    const addresses = node.overlays.addressesOf(COMMUNITY_IDS.discovery)
    for (const { ip, port } of addresses) assert.ok(left.has(`${ip}:${port}`), `${ip} is gone`)
    assert.ok(addresses.length >= 10, String(addresses.length))
  }
  await network.close()
})

test('the first address is gone: the others go on, and a node alone stays alone and well', async () => {
  const network = new OverlayNetwork(13)
  await network.grow(12, 30_000)
  const [first] = network.nodes
  assert.ok(first !== undefined)
  await network.kill(first)
  const late = await network.add({
    bootstrap: [
      { host: 'nowhere.example', port: 1 },
      { host: first.address.ip, port: 8090 },
    ],
  })
  await network.clock.advance(120_000)
  for (const node of network.nodes) if (node !== late) assert.ok(peersOf(node) >= 9, String(peersOf(node)))
  assert.equal(peersOf(late), 0)
  // Somebody who knows its address finds it.
  const finder = await network.add({ bootstrap: [{ host: late.address.ip, port: late.address.port }] })
  await network.clock.until('found', () => peersOf(late) > 0 && peersOf(finder) > 0, 60_000)
  await network.close()
})

test('signatures judged later, as in a flood, are as good; those that nobody has time for are dropped', async () => {
  const network = new OverlayNetwork(17)
  let asked = 0
  const later: SignatureCheck = {
    verify: () => assert.fail('there is a thread'),
    verifyOrLater: (...what) => (asked++, Promise.resolve(fakeCheck.verify(...what))),
  }
  const never: SignatureCheck = { ...later, verifyOrLater: () => Promise.reject(new Error('too many wait')) }
  await network.add()
  for (let i = 0; i < 5; i++) await network.add({ check: later })
  const deaf = await network.add({ check: never })
  await network.clock.advance(60_000)
  const [first, ...others] = network.nodes.slice(0, 6)
  assert.ok(first && others.every(node => peersOf(node) >= 4), others.map(peersOf).join())
  assert.ok(asked > 20)
  assert.equal(peersOf(deaf), 0)
  assert.ok((deaf.overlays.rows()[0]?.packetsDropped ?? 0) > 0)
  await network.close()
})

test('a node that comes back at another address with its key is answered, though it is still known at the old one', async () => {
  const network = new OverlayNetwork(19)
  const first = await network.add()
  // Where a run's numbers begin is chance: one run of them all may be lucky.
  for (let run = 0; run < 12; run++) {
    const node = await network.add({ name: 'comes back' })
    await network.clock.until('known', () => peersOf(node) > 0, 10_000)
    await network.clock.advance(run * 700)
    await network.kill(node)
  }
  assert.equal(peersOf(first), 1)
  await network.close()
})
