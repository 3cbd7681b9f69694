// A magnet among peers that lie about its metadata: wrong sizes that are sent without end, wrong bytes of the right
// size. None of them keeps the metadata away for long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetadataMessage, encodeMetadataData, METADATA_PIECE_BYTES } from '../../src/wire/peer/ut-metadata.ts'
import { ExtensionPeer } from '../kit/peers/extension-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const LARGEST = 16 * KIB * KIB

/** Says that the metadata has `size` bytes, and sends a wrong piece a second. */
class Liar {
  readonly peer: ExtensionPeer
  readonly #size: number
  #answered = 0

  constructor(swarm: SimSwarm, torrent: MadeTorrent, ip: string, size: number) {
    const options = { ids: { ut_metadata: 3 }, metadataSize: size }
    this.peer = new ExtensionPeer(swarm.network.host(ip), torrent, () => swarm.clock.now(), options)
    this.#size = size
  }

  /** Requests that came. */
  get asked(): number {
    return this.peer.of('ut_metadata').length
  }

  sendPiece(): void {
    const request = this.peer.of('ut_metadata')[this.#answered]
    if (request === undefined || !this.peer.connected) return
    this.#answered += 1
    const message = decodeMetadataMessage(request)
    assert.ok(message.type === 'request')
    const length = Math.min(METADATA_PIECE_BYTES, this.#size - message.piece * METADATA_PIECE_BYTES)
    this.peer.tell('ut_metadata', encodeMetadataData(message.piece, this.#size, Buffer.alloc(length, 7)))
  }
}

/** A magnet and its liars, each of which has begun with its lies. */
async function lied(swarm: SimSwarm, node: SimNode, liars: readonly Liar[]): Promise<void> {
  for (const liar of liars) liar.peer.connect(node.address)
  await swarm.clock.until('shaken hands', () => liars.every(liar => liar.peer.shakes.length > 0), 10_000)
  await swarm.clock.until('one is asked', () => liars.some(liar => liar.asked > 0), 10_000)
}

/** Seconds until `done`, in each of which the liars go on. */
async function secondsUntil(swarm: SimSwarm, liars: readonly Liar[], done: () => boolean): Promise<number> {
  for (let second = 0; ; second += 1) {
    if (done()) return second
    assert.ok(second < 1000, 'no metadata in a thousand seconds')
    for (const liar of liars) liar.sendPiece()
    await swarm.clock.advance(1000)
  }
}

test('a wrong size that comes slowly holds the metadata up for one turn', async () => {
  const swarm = new SimSwarm(451)
  const torrent = makeTorrent({ length: 50_000 * KIB, pieceLength: 32 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: null })
  const liar = new Liar(swarm, torrent, '10.7.0.1', LARGEST)
  await lied(swarm, node, [liar])
  const seed = await swarm.join(node, torrent)
  const seconds = await secondsUntil(swarm, [liar], () => awake(handle).metainfo !== null)
  assert.ok(seconds <= 15, `${seconds} s`)
  for (const peer of [seed, liar.peer]) await peer.close()
  await swarm.close()
})

test('many wrong sizes wait for the one that two peers name', async () => {
  const swarm = new SimSwarm(452)
  const torrent = makeTorrent({ length: 50_000 * KIB, pieceLength: 32 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: null })
  const liars = Array.from({ length: 12 }, (_, i) => new Liar(swarm, torrent, `10.7.0.${i + 1}`, LARGEST - i))
  await lied(swarm, node, liars)
  const seeds = [await swarm.join(node, torrent), await swarm.join(node, torrent)]
  const seconds = await secondsUntil(swarm, liars, () => awake(handle).metainfo !== null)
  assert.ok(seconds <= 15, `${seconds} s`)
  for (const peer of [...seeds, ...liars.map(liar => liar.peer)]) await peer.close()
  await swarm.close()
})

test('wrong bytes of the right size: asked alone, who has not had a turn yet is first', async () => {
  const swarm = new SimSwarm(454)
  // 40 pieces of metadata.
  const torrent = makeTorrent({ length: 500_000 * KIB, pieceLength: 16 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: null })
  const liar = new Liar(swarm, torrent, '10.7.0.1', torrent.info.length)
  await lied(swarm, node, [liar])
  const seed = await swarm.join(node, torrent)
  const seconds = await secondsUntil(swarm, [liar], () => awake(handle).metainfo !== null)
  assert.ok(seconds <= 15, `${seconds} s`)
  for (const peer of [seed, liar.peer]) await peer.close()
  await swarm.close()
})
