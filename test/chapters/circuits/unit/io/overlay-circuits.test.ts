// Whole circuits against recordings of py-ipv8: the steps of a circuit of three hops made again byte by byte at every
// node, all packets of a live one taken apart and played again, and the handshake from end to end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CurvePrimitives } from '../../../../../src/chapters/overlay/io/overlay-primitives.ts'
import type { OverlayCrypto, SessionKeys } from '../../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import { decodeCandidates } from '../../../../../src/chapters/overlay/wire/candidates.ts'
import * as cells from '../../../../../src/chapters/circuits/wire/cell.ts'
import * as messages from '../../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { createdE2e, createE2e, rendezvousInfo } from '../../../../../src/chapters/circuits/wire/hidden-messages.ts'
import {
  decodeCellMessage,
  decodePayload,
  encodeCellMessage,
} from '../../../../../src/chapters/overlay/wire/message.ts'
import {
  decodeUnsigned,
  encodePacket,
  messageIdOf,
  splitSigned,
} from '../../../../../src/chapters/overlay/wire/packet.ts'
import { cryptoOver, curves, opened, sealed } from '../../../overlay/kit/overlay-crypto-makers.ts'
import { hex, overlayVectors, unhex } from '../../../../kit/doubles/overlay-vectors.ts'

interface Handshake {
  readonly hkdf_okm_72: string
  readonly originator_ephemeral_sk: string
  readonly responder_ephemeral_sk: string
}
interface Identity {
  readonly private_bin: string
  readonly public_bin: string
}
interface Step {
  readonly step: string
  readonly cell?: string
  readonly candidates_plain?: string
  readonly candidates_enc?: string
  readonly layers?: readonly { readonly stage: string; readonly hex: string }[]
  readonly plain_cell_message?: string
  readonly [other: string]: unknown
}
interface Circuit {
  readonly handshakes: readonly Handshake[]
  readonly steps: readonly Step[]
}
interface Packet {
  readonly from: string
  readonly to: string
  readonly packet: string
}
interface Transcript {
  readonly prefix: string
  readonly identities: Readonly<Record<string, Identity>>
  readonly ephemeral_keys: Readonly<Record<string, readonly string[]>>
  readonly data: { readonly out: { readonly datagram: string }; readonly back: { readonly datagram: string } }
  readonly packets: readonly Packet[]
}

/** A test with each library. */
function each(name: string, check: (curve: CurvePrimitives) => void): void {
  for (const curve of curves) test(`${name} (${curve.made})`, () => check(curve))
}

/** Keys of both ends that count as the recording did: also the originator from 1. */
function sessions(crypto: OverlayCrypto, handshakes: readonly Handshake[]): readonly SessionKeys[] {
  return handshakes.map(({ hkdf_okm_72: material }) => crypto.session(unhex(material), 'hop'))
}

const textOf = (cell: unknown): string => (cell as string).slice(2 * cells.CELL_HEADER_BYTES)

each('a circuit of three hops, step by step', curve => {
  const { handshakes, steps } = overlayVectors('circuit3') as Circuit
  const [own, hops] = [sessions(cryptoOver(curve), handshakes), sessions(cryptoOver(curve), handshakes)]
  const hop = (number: number): SessionKeys => hops[number - 1] as SessionKeys
  const mine = (number: number): SessionKeys => own[number - 1] as SessionKeys
  const hopOf: Readonly<Record<string, number>> = { relay1: 1, relay2: 2, exit: 3 }
  /** Seals forward as the originator, for the last of `layers` hops first; takes it off again at each hop. */
  const there = (text: string, through: number): string[] => {
    const links: string[] = []
    let bytes = unhex(text)
    for (let number = through; number > 0; number--) bytes = sealed(mine(number).forward, bytes)
    for (let number = 1; number <= through; number++) {
      links.push(hex(bytes))
      const next = opened(hop(number).forward, bytes)
      assert.ok(next)
      bytes = next
    }
    return [...links, hex(bytes)]
  }
  /** Seals backward at each hop from `from` on; the originator takes all layers off. */
  const back = (text: string, from: number): string[] => {
    const links: string[] = []
    let bytes = unhex(text)
    for (let number = from; number > 0; number--) links.push(hex((bytes = sealed(hop(number).backward, bytes))))
    for (let number = 1; number <= from; number++) bytes = opened(mine(number).backward, bytes) as Uint8Array
    assert.equal(hex(bytes), text)
    return links
  }
  for (const step of steps) {
    if (step.candidates_enc !== undefined) {
      const number = hopOf[step.step.split(' ')[2] ?? ''] as number
      assert.equal(hex(sealed(hop(number).forward, unhex(step.candidates_plain ?? ''))), step.candidates_enc)
      assert.equal(
        hex(opened(mine(number).forward, unhex(step.candidates_enc)) ?? new Uint8Array(0)),
        step.candidates_plain,
      )
    } else if (step.step.startsWith('extend (to relay2)')) {
      assert.equal(there(step.layers?.[0]?.hex ?? '', 1)[0], textOf(step.cell))
    } else if (step.step.startsWith('extend (to exit)')) {
      const links = there(step.layers?.[0]?.hex ?? '', 2)
      assert.deepEqual(links, [textOf(step.cell), textOf(step['relay1_forwards']), step['relay2_decrypts_to']])
    } else if (step.step.startsWith('extended from relay1')) {
      assert.deepEqual(back(step.layers?.[0]?.hex ?? '', 1), [textOf(step.cell)])
    } else if (step.step.startsWith('data from originator')) {
      const links = there(step.layers?.[0]?.hex ?? '', 3)
      const at = ['cell_originator_to_relay1', 'cell_relay1_to_relay2', 'cell_relay2_to_exit']
      assert.deepEqual(links, [...at.map(link => textOf(step[link])), step['exit_decrypts_to']])
    } else if (step.plain_cell_message !== undefined) {
      const at = ['cell_exit_to_relay2', 'cell_relay2_to_relay1', 'cell_relay1_to_originator'].filter(
        link => link in step,
      )
      assert.deepEqual(
        back(step.plain_cell_message, at.length),
        at.map(link => textOf(step[link])),
      )
    }
  }
})

/** Everything that the originator of the live circuit saw, without layers: message numbers and texts. */
function replay(curve: CurvePrimitives): { readonly ids: number[]; readonly keys: SessionKeys[]; texts: Uint8Array[] } {
  const t = overlayVectors('circuit3_transcript') as Transcript
  const hopNames = ['relay1', 'relay2', 'exit']
  const starts = (t.ephemeral_keys['originator'] ?? []).map(secret => cryptoOver(curve, secret).begin())
  const keys: SessionKeys[] = []
  const [ids, texts]: [number[], Uint8Array[]] = [[], []]
  for (const { from, to, packet } of t.packets) {
    const bytes = unhex(packet)
    if (messageIdOf(bytes) !== messages.CELL_ID || (from !== 'originator' && to !== 'originator')) continue
    let text = bytes.subarray(cells.CELL_HEADER_BYTES)
    if (!cells.isPlainCell(bytes))
      for (const session of keys) {
        const under = opened(from === 'originator' ? session.forward : session.backward, text)
        assert.ok(under)
        text = under
      }
    ids.push(text[0] as number)
    texts.push(text)
    if (text[0] !== messages.created.id && text[0] !== messages.extended.id) continue
    const message = text[0] === messages.created.id ? messages.created : messages.extended
    const answer = decodeCellMessage(message, text)
    const identity = t.identities[hopNames[keys.length] ?? ''] as Identity
    const finished = starts[keys.length]?.finish(unhex(identity.public_bin), answer, answer.candidates)
    assert.ok(finished)
    decodeCandidates(finished.text)
    keys.push(finished.keys)
  }
  return { ids, keys, texts }
}

each('all packets between four live nodes are taken apart', curve => {
  const t = overlayVectors('circuit3_transcript') as Transcript
  const { ids, texts } = replay(curve)
  assert.deepEqual(ids, [2, 3, 4, 5, 4, 5, 6, 7, 1, 1])
  const [out, back] = [texts[8] as Uint8Array, texts[9] as Uint8Array]
  assert.equal(hex(decodeCellMessage(messages.data, out).data), t.data.out.datagram)
  assert.deepEqual(decodeCellMessage(messages.data, out).destination, { ip: '1.2.3.4', port: 5678 })
  assert.equal(hex(decodeCellMessage(messages.data, back).data), t.data.back.datagram)
  assert.deepEqual(decodeCellMessage(messages.data, back).origin, { ip: '1.2.3.4', port: 5678 })
  assert.deepEqual(
    decodeCellMessage(messages.ping, texts[6] as Uint8Array),
    decodeCellMessage(messages.pong, texts[7] as Uint8Array),
  )
  const crypto = cryptoOver(curve)
  const destroys = t.packets.filter(({ packet }) => messageIdOf(unhex(packet)) === messages.destroy.id)
  assert.equal(destroys.length, 3)
  for (const { from, packet } of destroys) {
    const { key, payload, signedPart, signature } = splitSigned(unhex(packet))
    assert.equal(hex(key.form), t.identities[from]?.public_bin)
    assert.ok(crypto.verify(key, signedPart, signature))
    const values = decodePayload(messages.destroy, payload)
    // Ed25519 signs the same bytes the same way each time: our own packet is theirs.
    const signer = crypto.fromPrivate(unhex(t.identities[from]?.private_bin ?? ''))
    assert.equal(hex(encodePacket(unhex(t.prefix), messages.destroy, values, signer)), packet)
  }
})

each('relays and exit of the live circuit, played by us', curve => {
  const t = overlayVectors('circuit3_transcript') as Transcript
  const sent = (from: string, to: string): Packet[] => t.packets.filter(each => each.from === from && each.to === to)
  const chain = ['originator', 'relay1', 'relay2', 'exit']
  for (const [at, name] of chain.entries()) {
    if (at === 0) continue
    const before = chain[at - 1] as string
    const [first, ...rest] = sent(before, name)
    const asked = decodeCellMessage(messages.create, unhex(first?.packet ?? ''), cells.CELL_HEADER_BYTES)
    const crypto = cryptoOver(curve, t.ephemeral_keys[name]?.[0] ?? '')
    const own = crypto.fromPrivate(unhex(t.identities[name]?.private_bin ?? ''))
    const done = crypto.respond(own, asked.ephemeral)
    assert.ok(done)
    const [created, ...answers] = sent(name, before)
    const recorded = decodeCellMessage(messages.created, unhex(created?.packet ?? ''), cells.CELL_HEADER_BYTES)
    assert.deepEqual([hex(done.ephemeral), hex(done.auth)], [hex(recorded.ephemeral), hex(recorded.auth)])
    // What it offered, sealed again with our counter, is what was sent.
    const offer = opened(done.keys.forward, recorded.candidates)
    assert.ok(offer)
    const candidates = sealed(done.keys.forward, offer)
    const head = { circuitId: cells.circuitIdOf(unhex(created?.packet ?? '')), early: false }
    const again = cells.plainCell(unhex(t.prefix), messages.created, head, { ...recorded, candidates })
    assert.equal(hex(again), created?.packet)
    const next = chain[at + 1]
    const forwarded = rest.filter(({ packet }) => messageIdOf(unhex(packet)) === messages.CELL_ID)
    const onward = next === undefined ? [] : sent(name, next).map(({ packet }) => packet)
    for (const { packet } of forwarded) {
      const text = opened(done.keys.forward, unhex(packet).subarray(cells.CELL_HEADER_BYTES))
      assert.ok(text)
      const known = text[0] as number
      // Either a message for this hop, or the text of a cell that it passed on.
      const passed = onward.some(link => textOf(link) === hex(text))
      assert.ok(passed || [messages.extend.id, messages.ping.id, messages.data.id].includes(known))
    }
    const inner = next === undefined ? [] : sent(next, name).map(({ packet }) => textOf(packet))
    for (const { packet } of answers) {
      const text = opened(done.keys.backward, unhex(packet).subarray(cells.CELL_HEADER_BYTES))
      assert.ok(text)
      assert.equal(hex(sealed(done.keys.backward, text)), textOf(packet), 'sealed in the same order')
      const ids = [messages.extended.id, messages.pong.id, messages.data.id]
      assert.ok(inner.includes(hex(text)) || ids.includes(text[0] as number))
    }
  }
})

interface EndToEnd {
  readonly seeder_key: Identity
  readonly handshake: Handshake
  readonly create_e2e_packet: string
  readonly created_e2e_packet: string
  readonly rendezvous_info_packed: string
  readonly e2e_data: Readonly<
    Record<
      'seeder_cell_message' | 'seeder_layer_forward' | 'downloader_cell_message' | 'downloader_layer_backward',
      string
    >
  >
  readonly rendezvous_relay: {
    readonly seeder_circuit_handshake: Handshake
    readonly downloader_circuit_handshake: Handshake
    readonly cell_message_from_seeder: string
    readonly after_removing_forward_layer: string
    readonly cell_message_to_downloader: string
  }
}

each('from end to end: both handshake packets, data both ways, and the rendezvous between', curve => {
  const e = overlayVectors('e2e') as EndToEnd
  const start = cryptoOver(curve, e.handshake.originator_ephemeral_sk).begin()
  const request = decodeUnsigned(createE2e, unhex(e.create_e2e_packet))
  assert.deepEqual([hex(request.ephemeral), hex(request.publicKey)], [hex(start.ephemeral), e.seeder_key.public_bin])
  const crypto = cryptoOver(curve, e.handshake.responder_ephemeral_sk)
  const seeder = crypto.respond(crypto.fromPrivate(unhex(e.seeder_key.private_bin)), request.ephemeral)
  assert.ok(seeder)
  const rendezvous = sealed(seeder.keys.forward, unhex(e.rendezvous_info_packed))
  const answer = { identifier: request.identifier, ephemeral: seeder.ephemeral, auth: seeder.auth, rendezvous }
  const prefix = unhex(e.create_e2e_packet).subarray(0, 22)
  assert.equal(hex(encodePacket(prefix, createdE2e, answer)), e.created_e2e_packet)
  const finished = start.finish(unhex(e.seeder_key.public_bin), answer, rendezvous)
  assert.equal(hex(finished?.text ?? new Uint8Array(0)), e.rendezvous_info_packed)
  assert.ok(finished)
  assert.equal(decodePayload(rendezvousInfo, finished.text).info.cookie.length, 20)
  const data = e.e2e_data
  assert.equal(hex(sealed(seeder.keys.forward, unhex(data.seeder_cell_message))), data.seeder_layer_forward)
  const up = unhex(data.downloader_cell_message)
  assert.equal(hex(sealed(finished.keys.backward, up)), data.downloader_layer_backward)
  assert.deepEqual(opened(seeder.keys.backward, unhex(data.downloader_layer_backward)), up)
  const relay = e.rendezvous_relay
  const [from, to] = sessions(crypto, [relay.seeder_circuit_handshake, relay.downloader_circuit_handshake])
  const bare = opened((from as SessionKeys).forward, unhex(relay.cell_message_from_seeder))
  assert.equal(hex(bare ?? new Uint8Array(0)), relay.after_removing_forward_layer)
  assert.ok(bare)
  assert.equal(hex(sealed((to as SessionKeys).backward, bare)), relay.cell_message_to_downloader)
  assert.equal(hex(opened(finished.keys.forward, bare) ?? new Uint8Array(0)), data.seeder_cell_message)
  // The message inside is written by us as py-ipv8 wrote it.
  const inner = decodeCellMessage(messages.data, unhex(data.seeder_cell_message))
  assert.equal(hex(encodeCellMessage(messages.data, inner)), data.seeder_cell_message)
})
