// Bans by hand over settings in memory: canonical addresses, each once, bounded, one change after the other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../../src/base/errors.ts'
import type { Caller } from '../../../../src/services/api.ts'
import { BannedPeers } from '../../../../src/services/peers/banned-peers.ts'

const caller: Caller = { anyPath: false, localFiles: true, spends: false }
const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

function rig(start: string[] = [], held: string[] = []) {
  let banned = start
  const askers: Caller[] = []
  const peers = new BannedPeers({
    current: () => banned,
    settings: {
      change: async (body, by) => {
        askers.push(by)
        await new Promise(resolve => setImmediate(resolve))
        const { network } = body as { network: { banned_peers: string[] } }
        if (held.length === 0) banned = network.banned_peers
        return { modified: true, restart_required: [], overridden: held }
      },
    },
  })
  return { peers, askers }
}

test('an address is banned once, whatever it is written like, and lifted', async () => {
  const { peers, askers } = rig(['203.0.113.7', '::ffff:203.0.113.7'])
  assert.equal(await peers.ban('::ffff:203.0.113.7', caller), false)
  assert.equal(await peers.ban('2001:DB8:0::1', caller), true)
  assert.equal(await peers.ban('2001:db8::1', caller), false)
  assert.deepEqual(peers.list(), ['203.0.113.7', '2001:db8::1'])
  assert.equal(await peers.lift('203.0.113.7', caller), true)
  assert.equal(await peers.lift('203.0.113.7', caller), false)
  assert.deepEqual(peers.list(), ['2001:db8::1'])
  assert.deepEqual(askers, [caller, caller], 'as whoever asks: rights are judged by the settings')
})

test('bans that come at once are all kept, and a thousand is the end', async () => {
  const { peers } = rig()
  await Promise.all(Array.from({ length: 1000 }, (_, n) => peers.ban(`10.0.${n >> 8}.${n & 255}`, caller)))
  assert.equal(peers.list().length, 1000)
  await assert.rejects(peers.ban('10.9.9.9', caller), refuses('StateConflict'))
  assert.equal(await peers.lift('10.0.0.1', caller), true)
  assert.equal(await peers.ban('10.9.9.9', caller), true)
})

test('what is no address of a peer is refused, and what a flag holds', async () => {
  const { peers, askers } = rig()
  for (const ip of ['', 'x', 'example.org', '1.2.3.4:5', '0.0.0.0', '255.255.255.255', '224.0.0.1', '::', 'ff02::1']) {
    await assert.rejects(peers.ban(ip, caller), refuses('InvalidParameter'), ip)
  }
  assert.deepEqual(askers, [])
  const { peers: fixed } = rig([], ['network.banned_peers'])
  await assert.rejects(fixed.ban('203.0.113.7', caller), refuses('StateConflict'))
  await assert.rejects(fixed.ban('203.0.113.8', caller), refuses('StateConflict'), 'one that failed holds up nobody')
})
