// A session of our node with nodes of py-ipv8 3.2, as it was recorded on loopback: introductions, discovery, DHT. What
// they sent is taken by a node with the same key today; what we sent then is, byte for byte, what is written and signed
// today.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeOverlayCrypto } from '../../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { Overlays } from '../../../../../src/chapters/overlay/core/index.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../../../../src/chapters/overlay/wire/community-ids.ts'
import * as dht from '../../../../../src/chapters/overlay/wire/dht-messages.ts'
import * as discovery from '../../../../../src/chapters/overlay/wire/discovery-messages.ts'
import type { Shape, ValuesOf } from '../../../../../src/chapters/overlay/wire/fields.ts'
import * as introductions from '../../../../../src/chapters/overlay/wire/introduction-messages.ts'
import { decodePayload, type PacketMessage } from '../../../../../src/chapters/overlay/wire/message.ts'
import {
  decodeUnsigned,
  encodePacket,
  messageIdOf,
  splitSigned,
} from '../../../../../src/chapters/overlay/wire/packet.ts'
import { projectRoot } from '../../../../kit/project-root.ts'
import { MemoryUdp } from '../../../../kit/sim/memory-udp.ts'
import { FakeNames } from '../../kit/overlay-network.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

interface Transcript {
  readonly privateKey: string
  readonly packets: readonly { readonly way: 'in' | 'out'; readonly peer: number; readonly hex: string }[]
}

const path = join(projectRoot, 'test/vectors/ipv8-live/overlays.json')
const transcript = JSON.parse(readFileSync(path, 'utf8')) as Transcript
const crypto = makeOverlayCrypto(new SeededRandom(1))
const pair = crypto.fromPrivate(Buffer.from(transcript.privateKey, 'hex'))
const NO_ANSWERS = new Set([introductions.introductionResponse.id, introductions.newIntroductionResponse.id])

function isMessage(value: unknown): value is PacketMessage {
  return typeof value === 'object' && value !== null && 'fields' in value && 'signed' in value
}

function tableOf(packet: Uint8Array): Map<number, PacketMessage> {
  const id = Buffer.from(packet.subarray(2, 22)).toString('hex')
  const own = id === COMMUNITY_IDS.discovery ? discovery : id === COMMUNITY_IDS.dht ? dht : {}
  const all = [...Object.values(introductions), ...Object.values(own)].filter(isMessage)
  return new Map(all.filter(({ name }) => !name.includes('old')).map(message => [message.id, message]))
}

/** The packet encoded again from its decoded values. */
function writtenAgain<S extends Shape>(
  message: PacketMessage<S>,
  packet: Uint8Array,
  signer: typeof pair | null,
): Uint8Array {
  const prefix = packet.subarray(0, 22)
  if (!message.signed) return encodePacket(prefix, message, decodeUnsigned(message, packet))
  const { payload, key, signature } = splitSigned(packet)
  const values: ValuesOf<S> = decodePayload(message, payload)
  return encodePacket(prefix, message, values, signer ?? { publicKey: key.form, sign: () => signature })
}

test('every packet is read, its signature is right, and written again it is the same', () => {
  const kinds = new Set<string>()
  for (const { way, hex } of transcript.packets) {
    const packet = Buffer.from(hex, 'hex')
    const message = tableOf(packet).get(messageIdOf(packet))
    assert.ok(message !== undefined, hex.slice(0, 50))
    kinds.add(`${way} ${hex.slice(4, 8)} ${message.id}`)
    if (message.signed) {
      const { key, signedPart, signature } = splitSigned(packet)
      assert.ok(crypto.verify(key, signedPart, signature), message.name)
    }
    assert.deepEqual(Buffer.from(writtenAgain(message, packet, way === 'out' ? pair : null)), packet, message.name)
  }
  assert.equal(kinds.size, 38)
})

test('a node with that key takes what py-ipv8 asked, answers it, and knows who asked', async () => {
  const udp = new MemoryUdp()
  const clock = new VirtualClock()
  const overlays = new Overlays(
    { ip: '127.0.0.1', port: 0, bootstrap: [] },
    {
      udp,
      clock,
      random: new SeededRandom(2),
      log: silentLog,
      check: crypto,
      resolver: new FakeNames(),
      identity: { ...pair, publicKey: pair.publicKey, mid: pair.mid, member: '', sign: bytes => pair.sign(bytes) },
      localIps: () => [],
    },
  )
  const communityId = communityIdBytes(COMMUNITY_IDS.plainTunnels)
  assert.ok(communityId !== null)
  const tunnels = overlays.open({ communityId, name: 'TunnelCommunity' })
  const flags = new Set<string>()
  tunnels.introductions.onExtra((_peer, extra) => flags.add(Buffer.from(extra).toString('hex')))
  await overlays.start()
  // Answers belong to questions of then; everything else is taken.
  const responses = new Set([discovery.similarityResponse, discovery.discoveryPong].map(({ id }) => id))
  const asks = transcript.packets.filter(({ way, hex }) => {
    const packet = Buffer.from(hex, 'hex')
    const table = tableOf(packet).get(messageIdOf(packet))
    if (way === 'out' || table === undefined || NO_ANSWERS.has(table.id)) return false
    return !table.name.endsWith('response') && !responses.has(table.id)
  })
  assert.ok(asks.length > 15)
  // Who introduces first is known when it asks for a puncture.
  const order = asks.toSorted((a, b) => Number(a.hex.slice(44, 46) === 'e8') - Number(b.hex.slice(44, 46) === 'e8'))
  for (const { hex, peer } of order) udp.receive(Buffer.from(hex, 'hex'), { ip: '127.0.0.1', port: peer })
  for (const row of overlays.rows()) assert.equal(row.packetsDropped, 0, row.name)
  assert.ok(udp.sent.length >= asks.length)
  assert.ok(overlays.rows().every(({ peers }) => peers >= 2))
  assert.ok(flags.has('0009'))
  await overlays.stop()
  assert.equal(clock.pending, 0)
})
