// Hostile use of the hash messages of BEP 52 against a whole engine over real sockets: floods of requests for leaf
// hashes, which cost reading and hashing, and of requests for what no file has. The engine refuses, ends it, and serves
// others meanwhile.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { InfoHash } from '../../src/base/ids.ts'
import { provesRange } from '../../src/wire/metainfo/hash-proof.ts'
import { HASH_BYTES } from '../../src/wire/metainfo/merkle.ts'
import { PeerDecoder } from '../../src/wire/peer/decoder.ts'
import { encodeHandshake, HANDSHAKE_BYTES } from '../../src/wire/peer/handshake.ts'
import { encodeHashRequest, type HashRange, type PeerMessage } from '../../src/wire/peer/messages.ts'
import { LoopbackNode } from '../kit/nodes/loopback-node.ts'
import { asMadeTorrent, makeV2Torrent } from '../kit/content/make-v2-torrent.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const made = makeV2Torrent({
  files: [
    { path: 'a', length: 8 * MIB },
    { path: 'b', length: 5 },
  ],
  pieceLength: 4 * MIB,
})
const torrent = asMadeTorrent(made)
const root = made.files[0]?.root ?? assert.fail()
/** What the engine lets a peer ask in vain, and what may be under way beside. */
const REFUSED = 2000
const SLACK = 200

/** A peer that says nothing but what a test gives it, and counts what comes. */
class HashPeer {
  readonly answers: PeerMessage[] = []
  rejects = 0
  closed = false
  readonly #socket: Socket
  #head = Buffer.alloc(0)

  constructor(port: number, infoHash: InfoHash, id: string) {
    const decoder = new PeerDecoder(
      {
        message: message => {
          if (message.type === 'hash-reject') this.rejects += 1
          else if (message.type === 'hashes')
            this.answers.push({
              ...message,
              root: Uint8Array.from(message.root),
              hashes: Uint8Array.from(message.hashes),
            })
        },
      },
      { blockStart: () => null, blockEnd: () => undefined },
      { maxMessageBytes: MIB },
    )
    // An address of its own: it is banned in the end.
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.9' })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
      this.closed = true
    })
    this.#socket.on('data', chunk => {
      if (this.#head.length >= HANDSHAKE_BYTES) return decoder.push(chunk)
      this.#head = Buffer.concat([this.#head, chunk])
      if (this.#head.length > HANDSHAKE_BYTES) decoder.push(this.#head.subarray(HANDSHAKE_BYTES))
    })
    const extensions = { fast: true, extended: true, dht: false }
    this.send(encodeHandshake({ infoHash, peerId: Buffer.from(id.padEnd(20, '-')), extensions }))
  }

  send(bytes: Uint8Array): void {
    this.#socket.write(bytes)
  }

  end(): void {
    this.#socket.destroy()
  }
}

function leaves(index: number, count: number, tree: Uint8Array = root): HashRange {
  return { root: tree, baseLayer: 0, index, count, proofLayers: 0 }
}

/** A started engine, closed when the test ends. */
async function started(t: TestContext): Promise<LoopbackNode> {
  const node = await new LoopbackNode().start()
  t.after(() => node.close())
  return node
}

function peerOf(t: TestContext, node: LoopbackNode, id: string): HashPeer {
  const peer = new HashPeer(node.address.port, torrent.infoHash, id)
  t.after(() => peer.end())
  return peer
}

async function seeder(t: TestContext): Promise<LoopbackNode> {
  const node = await started(t)
  await node.put(torrent)
  const handle = node.add(torrent)
  await waitFor('seeding', () => handle.snapshot().status === 'seeding', 20_000)
  return node
}

test('floods of hash requests are refused and ended; an honest peer gets everything meanwhile', {
  timeout: 90_000,
}, async t => {
  const node = await seeder(t)
  const leecher = await started(t)
  // Choked peers get no leaf hashes; roots and ranges of no file are nobody's.
  const asks = [
    (n: number) => leaves((n * 2) % 512, 2),
    () => leaves(0, 512, Buffer.alloc(HASH_BYTES, 7)),
    (n: number) => ({ root, baseLayer: 200, index: n, count: 2, proofLayers: 255 }),
    (n: number) => leaves(2 ** 31 - n * 512, 512),
  ]
  const flooders = asks.map((_, n) => peerOf(t, node, `flooder ${n}`))
  for (const [n, ask] of asks.entries()) {
    const requests = Array.from({ length: REFUSED + 500 }, (_, at) => encodeHashRequest(ask(at)))
    flooders[n]?.send(Buffer.concat(requests))
  }
  const handle = leecher.add(torrent, { peers: [node.address] })
  await waitFor('an honest download', () => handle.snapshot().status === 'seeding', 30_000)
  await waitFor(
    'all are gone',
    () => flooders.every(one => one.closed),
    20_000,
    () => flooders.map(one => one.rejects),
  )
  for (const { rejects, answers } of flooders) {
    assert.ok(rejects <= REFUSED + SLACK, `${rejects} refusals`)
    assert.deepEqual(answers, [])
  }
})

test('piece layers asked for without end come one after the other, each of them proved', async t => {
  const node = await seeder(t)
  const peer = peerOf(t, node, 'greedy')
  const range = { root, baseLayer: 8, index: 0, count: 2, proofLayers: 0 }
  peer.send(Buffer.concat(Array.from({ length: 1000 }, () => encodeHashRequest(range))))
  await waitFor('answers', () => peer.answers.length + peer.rejects >= 1000, 20_000)
  assert.ok(peer.answers.length > 0)
  for (const answer of peer.answers) {
    assert.ok(answer.type === 'hashes' && provesRange(range, answer.hashes, root))
  }
  assert.equal(peer.closed, false)
})

test('a request that is cut off ends the connection', async t => {
  const node = await seeder(t)
  const whole = encodeHashRequest(leaves(0, 2))
  const cut = Buffer.from(whole.subarray(0, whole.length - 8))
  cut.writeUInt32BE(cut.length - 4)
  const peer = peerOf(t, node, 'cut off')
  peer.send(cut)
  await waitFor('it is over', () => peer.closed, 10_000)
})

test('leaf hashes, which cost reading, are not for peers that we choke', async t => {
  const node = await seeder(t)
  const peer = peerOf(t, node, 'choked')
  peer.send(Buffer.concat([0, 2, 4].map(index => encodeHashRequest(leaves(index, 2)))))
  await waitFor('answers', () => peer.answers.length + peer.rejects >= 3, 10_000)
  assert.deepEqual([peer.answers.length, peer.rejects], [0, 3])
})
