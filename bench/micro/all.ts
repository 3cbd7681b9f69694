// Hot functions by themselves, with tinybench: what the peer message decoder, the piece picker, a range reply and
// bencode cost.

import { Bench } from 'tinybench'
import { makeTorrent } from '../../test/kit/content/make-torrent.ts'
import { SeededRandom } from '../../test/kit/sim/seeded-random.ts'
import { decodeBencode, encodeBencode } from '../../src/wire/bencode.ts'
import { encodePieceHead } from '../../src/wire/peer/messages.ts'
import { PeerDecoder } from '../../src/wire/peer/decoder.ts'
import { PiecePicker } from '../../src/torrent/pieces/piece-picker.ts'
import { countBits, fullPieceSet } from '../../src/base/piece-set.ts'
import { rangeTask } from './range-task.ts'
import { runTasks } from './run-tasks.ts'

const BLOCK = 16 * 1024
const BLOCKS = 16

/** A stream of BLOCKS piece messages, pushed in chunks as a socket gives them. */
function decoderTask(): () => void {
  const target = new Uint8Array(new SharedArrayBuffer(BLOCK))
  const decoder = new PeerDecoder(
    { message: () => {} },
    { blockStart: () => target, blockEnd: () => {} },
    { maxMessageBytes: 1 << 20 },
  )
  const messages = Array.from({ length: BLOCKS }, (_, index) => [
    encodePieceHead(0, index * BLOCK, BLOCK),
    new Uint8Array(BLOCK),
  ])
  const stream = Buffer.concat(messages.flat())
  return () => {
    for (let at = 0; at < stream.length; at += 65536) decoder.push(stream.subarray(at, at + 65536))
  }
}

/** Picks every block of a torrent of 2,000 pieces from four seeds, 16 at a time. */
function pickerTask(): () => void {
  const lengths = { totalLength: 2000 * 16 * BLOCK, pieceLength: 16 * BLOCK, pieceCount: 2000 }
  return () => {
    const picker = new PiecePicker(lengths, new SeededRandom(1), 64)
    picker.setWanted(fullPieceSet(2000))
    const peers = ['a', 'b', 'c', 'd']
    for (const peer of peers) picker.addPeer(peer, 'all')
    for (let turn = 0; picker.needCount > 0; turn++) {
      const peer = peers[turn % peers.length] as string
      const options = { nowMs: turn, slow: false, allowedFast: null, onlyStarted: false }
      for (const request of picker.pick(peer, 16, options))
        if (picker.received(peer, request.piece, request.block).complete) picker.pieceDone(request.piece)
    }
  }
}

async function main(): Promise<void> {
  const torrent = makeTorrent({ length: 64 << 20, pieceLength: 16 * 1024 }).torrent
  const decoded = decodeBencode(torrent)
  const bits = new Uint8Array(12_500).fill(0x5a)
  const bench = new Bench({ time: 1000 })
  bench
    .add(`decode ${BLOCKS} piece messages of 16 KiB`, decoderTask())
    .add('pick, receive and finish 2,000 pieces of 16 blocks', pickerTask())
    .add('answer a range of 64 KiB at hand', rangeTask())
    .add('decode a torrent of 4,096 pieces', () => decodeBencode(torrent))
    .add('encode a torrent of 4,096 pieces', () => encodeBencode(decoded))
    .add('count the bits of 100,000 pieces', () => countBits(bits))
  await runTasks('hot functions', bench)
}

await main()
