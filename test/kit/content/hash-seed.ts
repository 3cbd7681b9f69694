// A HashServe over a made v2 torrent, and peers that keep what they are sent, decoded.

import { leavesOf } from '../../../src/wire/metainfo/merkle.ts'
import { HashServe } from '../../../src/torrent/pieces/hash-serve.ts'
import { decodeMessageBody, type PeerMessage } from '../../../src/wire/peer/messages.ts'
import type { Metainfo, V2Content } from '../../../src/wire/metainfo/torrent-types.ts'

/** A message with its views copied. */
export function keptMessage(bytes: Uint8Array): PeerMessage {
  return decodeMessageBody(Uint8Array.from(bytes), 4, bytes.length - 4)
}

/** A peer that asks for hashes. */
export class Asker {
  readonly key: string
  readonly got: PeerMessage[] = []

  constructor(key = '1.2.3.4:5>') {
    this.key = key
  }

  send(bytes: Uint8Array): void {
    this.got.push(keptMessage(bytes))
  }
}

/** A seed of `content`; `spoil` changes what is read from disk. */
export function hashSeed(
  meta: Metainfo,
  content: Uint8Array,
  options: { has?: (piece: number) => boolean; spoil?: (piece: number) => boolean } = {},
): HashServe & { readonly reads: number[] } {
  const v2 = meta.v2 as V2Content
  const reads: number[] = []
  const leaves = async (piece: number): Promise<Uint8Array | null> => {
    reads.push(piece)
    const file = v2.files.find(one => piece >= one.firstPiece && piece < one.firstPiece + one.pieceCount)
    if (file === undefined) return null
    const end = Math.min((piece + 1) * meta.pieceLength, file.firstPiece * meta.pieceLength + file.length)
    const bytes = new Uint8Array(content.subarray(piece * meta.pieceLength, end))
    if (options.spoil?.(piece)) bytes[0] = (bytes[0] ?? 0) ^ 1
    return leavesOf(bytes)
  }
  const serve = new HashServe({
    v2,
    pieceLength: meta.pieceLength,
    has: options.has ?? (() => true),
    leaves,
    turn: () => Promise.resolve(),
  })
  return Object.assign(serve, { reads })
}

/** Lets everything run that waits for nothing but turns. */
export async function settle(serve: HashServe, asker: Asker, answers: number): Promise<void> {
  for (let turn = 0; turn < 10_000 && (serve.waiting > 0 || asker.got.length < answers); turn++) {
    await new Promise(setImmediate)
  }
}
