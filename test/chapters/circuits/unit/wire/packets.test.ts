// Every recorded packet is read into the values that were written, and written again byte by byte.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import { destroy } from '../../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { communityIdBytes, COMMUNITY_IDS } from '../../../../../src/chapters/overlay/wire/community-ids.ts'
import * as dht from '../../../../../src/chapters/overlay/wire/dht-messages.ts'
import * as discovery from '../../../../../src/chapters/overlay/wire/discovery-messages.ts'
import { createdE2e, createE2e, rendezvousInfo } from '../../../../../src/chapters/circuits/wire/hidden-messages.ts'
import * as introductions from '../../../../../src/chapters/overlay/wire/introduction-messages.ts'
import { decodePayload, encodePayload, type PacketMessage } from '../../../../../src/chapters/overlay/wire/message.ts'
import {
  decodeUnsigned,
  encodePacket,
  hasPrefix,
  messageIdOf,
  prefixKey,
  prefixOf,
  splitSigned,
} from '../../../../../src/chapters/overlay/wire/packet.ts'
import { decodePeerFlags, encodePeerFlags } from '../../../../../src/chapters/overlay/wire/peer-flags.ts'
import {
  assertLayout,
  hex,
  overlayVectors,
  type RecordedPacket,
  unhex,
} from '../../../../kit/doubles/overlay-vectors.ts'

interface PacketVectors {
  readonly packets: readonly RecordedPacket[]
  readonly tunnel_extra_bytes: readonly { readonly flags: readonly number[]; readonly extra_bytes: string }[]
}
interface TunnelVectors {
  readonly packet_messages: readonly RecordedPacket[]
  readonly destroy: RecordedPacket
  readonly rendezvous_info: {
    readonly value: { readonly address: readonly [string, number]; readonly key: string; readonly cookie: string }
    readonly packed_with_length: string
  }
}

/** Reads and writes `recorded`; gives the values. */
function roundTrip(message: PacketMessage, recorded: RecordedPacket): Record<string, unknown> {
  const bytes = unhex(recorded.packet)
  assert.equal(messageIdOf(bytes), message.id, recorded.name)
  assert.equal(message.signed, recorded.signed, recorded.name)
  const split = message.signed ? splitSigned(bytes) : null
  const values = split === null ? decodeUnsigned(message, bytes) : decodePayload(message, split.payload)
  const fields = recorded.layout.filter(
    ({ name }) => !['prefix', 'message_id', 'public_key', 'signature'].includes(name),
  )
  assertLayout(values, fields, recorded.name)
  if (split !== null) assert.equal(hex(split.key.form), recorded.signer, recorded.name)
  const signer = split === null ? null : { publicKey: split.key.form, sign: () => split.signature }
  assert.equal(hex(encodePacket(bytes.subarray(0, 22), message, values, signer)), recorded.packet, recorded.name)
  return values
}

function tableOf(messages: object): Map<number, PacketMessage> {
  const all = Object.values(messages).filter((one): one is PacketMessage => typeof one === 'object' && 'signed' in one)
  return new Map(all.map(message => [message.id, message]))
}

const { packets, tunnel_extra_bytes } = overlayVectors('packets') as PacketVectors
const tunnel = overlayVectors('tunnel_messages') as TunnelVectors

test('introductions, punctures and messages of discovery', () => {
  const introduction = tableOf(introductions)
  introduction.set(246, introductions.introductionRequest)
  const ofDiscovery = tableOf(discovery)
  for (const recorded of packets) {
    const message = recorded.name.includes('old Dispersy form')
      ? introductions.oldDiscoveryRequest
      : (introduction.get(recorded.message_id) ?? ofDiscovery.get(recorded.message_id))
    assert.ok(message, recorded.name)
    roundTrip(message, recorded)
  }
  const request = packets.find(packet => packet.name.includes('similarity-request'))
  assert.ok(request)
  const { payload } = splitSigned(unhex(request.packet))
  const ids = discovery.idsOf(decodePayload(discovery.similarityRequest, payload).ids).map(hex)
  assert.deepEqual(ids.slice(0, 2), [COMMUNITY_IDS.plainTunnels, COMMUNITY_IDS.dht])
})

test('messages of the DHT', () => {
  const table = tableOf(dht)
  const { packets: recorded } = overlayVectors('dht') as PacketVectors
  assert.equal(table.size, 10)
  assert.equal(new Set(recorded.map(each => each.message_id)).size, table.size)
  for (const each of recorded) roundTrip(table.get(each.message_id) as PacketMessage, each)
})

test('destroy, create-e2e, created-e2e and what is in it', () => {
  assert.equal(roundTrip(destroy, tunnel.destroy)['reason'], 2)
  for (const [i, message] of [createE2e, createdE2e].entries())
    roundTrip(message, tunnel.packet_messages[i] as RecordedPacket)
  const { value, packed_with_length: packed } = tunnel.rendezvous_info
  const { info } = decodePayload(rendezvousInfo, unhex(packed))
  assert.deepEqual([info.address.ip, info.address.port], value.address)
  assert.deepEqual([hex(info.publicKey), hex(info.cookie)], [value.key, value.cookie])
  assert.equal(hex(encodePayload(rendezvousInfo, { info })), packed)
})

test('extra bytes of the tunnel overlay are the flags of the peer', () => {
  for (const { flags, extra_bytes: extra } of tunnel_extra_bytes) {
    const sum = flags.reduce((all, flag) => all | flag, 0)
    assert.equal(hex(encodePeerFlags(sum)), extra)
    assert.equal(decodePeerFlags(unhex(extra)), sum)
  }
  assert.equal(decodePeerFlags(new Uint8Array(0)), 0)
  assert.equal(decodePeerFlags(Uint8Array.of(1)), 0)
})

test('prefixes name the overlay', () => {
  const id = communityIdBytes(COMMUNITY_IDS.tunnels)
  assert.ok(id)
  const prefix = prefixOf(id)
  const packet = Uint8Array.of(...prefix, 7)
  assert.equal(hex(prefix), `0002${COMMUNITY_IDS.tunnels}`)
  assert.equal(prefixKey(packet), hex(prefix))
  assert.equal(prefixKey(prefix), null)
  assert.ok(hasPrefix(packet, prefix) && !hasPrefix(prefix, prefix) && !hasPrefix(packet, unhex('00'.repeat(22))))
  assert.equal(prefixKey(Uint8Array.of(0, 1, ...packet.subarray(2))), null)
  assert.equal(communityIdBytes('xyz'), null)
})

test('bytes behind the fields make a packet invalid', () => {
  const bytes = unhex((packets.find(packet => packet.message_id === 250) as RecordedPacket).packet)
  assert.throws(() => decodeUnsigned(introductions.punctureRequest, Uint8Array.of(...bytes, 0)), DecodeError)
  assert.throws(() => decodeUnsigned(introductions.punctureRequest, bytes.subarray(0, -1)), DecodeError)
  assert.throws(() => splitSigned(unhex(tunnel.destroy.packet).subarray(0, 120)), DecodeError)
})

test('values that do not fit are our own mistake', () => {
  const values = { globalTime: 0n, walkerLan: { ip: '::1', port: 1 }, walkerWan: { ip: '::1', port: 1 }, identifier: 1 }
  const prefix = new Uint8Array(22)
  assert.throws(() => encodePacket(prefix, introductions.punctureRequest, values), RangeError)
  assert.throws(() => encodePacket(prefix, destroy, { circuitId: 2 ** 32, reason: 1 }), RangeError)
  assert.throws(() => encodePacket(prefix, destroy, { circuitId: 1, reason: 1 }), RangeError)
})
