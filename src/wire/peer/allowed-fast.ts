// The allowed-fast set of BEP 6: pieces a choked peer may ask for, the same on both sides, from its address and the
// torrent.

import sha1 from 'simple-sha1'
import { type InfoHash, infoHashBytes } from '../../base/ids.ts'

/** Size of the set the BEP proposes. */
const ALLOWED_FAST_COUNT = 10

/** Rounds after which a set that keeps hitting the same pieces is left short: nothing may loop on foreign input. */
const MAX_ROUNDS = 1000

/**
 * The allowed-fast set for the peer at `ip`: `count` different pieces (all of them when the torrent has fewer).
 * Only IPv4 is defined; any other address gives [].
 */
export function allowedFastSet(
  ip: string,
  infoHash: InfoHash,
  pieceCount: number,
  count = ALLOWED_FAST_COUNT,
): number[] {
  const parts = ip.split('.').map(Number)
  if (parts.length !== 4 || !parts.every(part => Number.isInteger(part) && part >= 0 && part <= 255)) return []
  if (pieceCount <= count) return Array.from({ length: pieceCount }, (_, piece) => piece)
  const pieces = new Set<number>()
  // The last byte is masked so that one network cannot fetch the torrent by hopping addresses.
  let x: Uint8Array = Buffer.concat([Uint8Array.of(...parts.slice(0, 3), 0), infoHashBytes(infoHash)])
  for (let round = 0; round < MAX_ROUNDS && pieces.size < count; round++) {
    const hash = Buffer.from(sha1.sync(x), 'hex')
    for (let at = 0; at < 20 && pieces.size < count; at += 4) pieces.add(hash.readUInt32BE(at) % pieceCount)
    x = hash
  }
  return [...pieces]
}
