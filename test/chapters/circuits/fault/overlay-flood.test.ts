// A built node that relays for others, in a flood of creates and of signed packets of strangers, valid and not, from
// many addresses: it answers people all the while, those creates that it answers are answered rightly, and afterwards
// it is as it was.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { PeerAddress } from '../../../../src/base/ids.ts'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { DgramNetwork } from '../../../../src/io/net/udp-dgram.ts'
import type { HandshakeStart } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { UdpSocket } from '../../../../src/ports/udp.ts'
import { NO_ADDRESS } from '../../../../src/chapters/overlay/wire/address.ts'
import { CELL_HEADER_BYTES, circuitIdOf, isCell, plainCell } from '../../../../src/chapters/circuits/wire/cell.ts'
import { create, created } from '../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { communityIdBytes, COMMUNITY_IDS } from '../../../../src/chapters/overlay/wire/community-ids.ts'
import { introductionRequest } from '../../../../src/chapters/overlay/wire/introduction-messages.ts'
import { decodeCellMessage } from '../../../../src/chapters/overlay/wire/message.ts'
import { encodePacket, MESSAGE_ID_AT, prefixOf, splitSigned } from '../../../../src/chapters/overlay/wire/packet.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { residentMiB } from '../../../kit/nodes/resident-memory.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const ADDRESSES = 20
const CREATES_EACH = 10
const PACKETS_EACH = 30
const random = new SystemRandom()
const crypto = makeOverlayCrypto(random)
const prefix = prefixOf(communityIdBytes(COMMUNITY_IDS.tunnels) as Uint8Array)

/** What the flood has sent and got. */
class Flood {
  /** Handshakes begun, by circuit id. */
  readonly begun = new Map<number, HandshakeStart>()
  /** Public key of the node, once it has said it. */
  nodeKey: Uint8Array | null = null
  readonly answers = new Map<number, Uint8Array>()
  readonly #sockets: UdpSocket[] = []
  readonly #signed = Array.from({ length: 200 }, (_, i) => signedPacket(i % 4 === 3))
  readonly #owner = crypto.generate().publicKey

  async open(t: TestContext): Promise<void> {
    for (let i = 0; i < ADDRESSES; i++) {
      const at = { family: 4, ip: `127.0.3.${i + 1}`, port: 0 } as const
      const socket = await new DgramNetwork().bind(at, bytes => this.#received(bytes))
      t.after(() => socket.close())
      this.#sockets.push(socket)
    }
  }

  /** Signed packets, creates and rubbish of all addresses at once. */
  send(to: PeerAddress): void {
    for (let round = 0; round < PACKETS_EACH; round++)
      for (const socket of this.#sockets) {
        socket.send(this.#signed[random.below(this.#signed.length)] as Uint8Array, to)
        if (round < CREATES_EACH) socket.send(this.createCell(), to)
        else socket.send(random.bytes(60 + round), to)
      }
  }

  /** One create more, from an address that has not sent any. */
  createCell(): Uint8Array {
    const circuitId = 1 + random.below(0xffff_fffe)
    const start = crypto.begin()
    this.begun.set(circuitId, start)
    const values = { identifier: 7, publicKey: this.#owner, ephemeral: start.ephemeral }
    return plainCell(prefix, create, { circuitId, early: true }, values)
  }

  /** Answers that came, and are those of the owner of the node's key. */
  rightAnswers(): number {
    let right = 0
    for (const [circuitId, cell] of this.answers) {
      const answer = decodeCellMessage(created, cell, CELL_HEADER_BYTES)
      const finished = this.begun.get(circuitId)?.finish(this.nodeKey as Uint8Array, answer, answer.candidates)
      if (finished !== null && finished !== undefined) right++
    }
    return right
  }

  #received(bytes: Uint8Array): void {
    if (isCell(bytes)) this.answers.set(circuitIdOf(bytes), Uint8Array.from(bytes))
    else if (bytes[MESSAGE_ID_AT] === 245) this.nodeKey ??= Uint8Array.from(splitSigned(bytes).key.form)
  }
}

/** An introduction-request of somebody new; `forged`: it was changed after it was signed. */
function signedPacket(forged: boolean): Uint8Array {
  const values = { globalTime: 1n, destination: NO_ADDRESS, sourceLan: NO_ADDRESS, sourceWan: NO_ADDRESS }
  const rest = { flags: 1, identifier: random.below(0x10000), extra: Uint8Array.of(0, 1) }
  const packet = encodePacket(prefix, introductionRequest, { ...values, ...rest }, crypto.generate())
  if (forged) packet[120] = (packet[120] as number) ^ 1
  return packet
}

async function overlayAddress(node: NodeProcess): Promise<PeerAddress> {
  let found = ''
  await waitFor('the overlay runs', async () => {
    const { dispersy_statistics: it } = await node.get<{ dispersy_statistics: { lan_address: string } }>(
      '/statistics/dispersy',
    )
    found = it.lan_address
    return found.startsWith('127.')
  })
  const [ip = '', port = ''] = found.split(':')
  return { ip, port: Number(port) }
}

test('a flood of creates and signatures', { timeout: 120_000 }, async t => {
  const node = await startNode({
    settings: { 'ipv8.start': 'always', 'ipv8.bootstrap_override': ':', 'tunnel_community.random_slots': 500 },
  })
  t.after(() => node.stop())
  const to = await overlayAddress(node)
  const flood = new Flood()
  await flood.open(t)
  const before = residentMiB(node.pid)
  for (let wave = 0; wave < 5; wave++) {
    flood.send(to)
    const began = performance.now()
    assert.equal((await node.request('GET', '/state')).status, 200)
    assert.ok(performance.now() - began < 5_000, 'people are answered')
  }
  await waitFor('creates were answered', () => flood.answers.size >= 20 && flood.nodeKey !== null, 30_000)
  assert.equal(flood.rightAnswers(), flood.answers.size)
  const grown = residentMiB(node.pid) - before
  assert.ok(grown < 100, `${grown} MiB more`)
  // From an address of its own and a little later a create is answered again.
  const late = new Flood()
  const socket = await new DgramNetwork().bind({ family: 4, ip: '127.0.4.1', port: 0 }, bytes => {
    if (isCell(bytes)) late.answers.set(circuitIdOf(bytes), Uint8Array.from(bytes))
  })
  t.after(() => socket.close())
  late.nodeKey = flood.nodeKey
  await waitFor('a create is answered', () => {
    if (late.answers.size === 0) socket.send(late.createCell(), to)
    return late.answers.size > 0
  })
  assert.equal(late.rightAnswers(), late.answers.size)
  t.diagnostic(`${flood.answers.size} of ${flood.begun.size} creates answered, ${Math.round(grown)} MiB more`)
})
