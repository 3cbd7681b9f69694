// What message stream encryption makes of the shared secret and the torrent: the hashes that are sent, and the two
// ciphers. SKEY of the specification is the info hash of the torrent. Pure.

import { createHash } from 'node:crypto'
import { type InfoHash, infoHashBytes } from '../../base/ids.ts'
import { Rc4 } from './rc4.ts'

/** Bytes of every hash here (SHA-1). */
export const MSE_HASH_BYTES = 20

/** What the two sides of one connection encrypt and decrypt with, from the first encrypted byte on. */
export interface MseCiphers {
  readonly encrypt: Rc4
  readonly decrypt: Rc4
}

/** HASH('req1', S): marks the end of the padding that the initiator sent first. */
export function syncHash(secret: Uint8Array): Uint8Array {
  return hashOf('req1', secret)
}

/** HASH('req2', SKEY): names a torrent to who has it. */
export function torrentHash(infoHash: InfoHash): Uint8Array {
  return hashOf('req2', infoHashBytes(infoHash))
}

/** `hash` XOR HASH('req3', S): hides a torrentHash, or uncovers a hidden one. */
export function maskHash(hash: Uint8Array, secret: Uint8Array): Uint8Array {
  const masked = hashOf('req3', secret)
  for (let at = 0; at < MSE_HASH_BYTES; at += 1) masked[at] = (masked[at] as number) ^ (hash[at] as number)
  return masked
}

/** The ciphers of the side that opened the connection (`initiator`) or of the other one. */
export function mseCiphers(secret: Uint8Array, infoHash: InfoHash, initiator: boolean): MseCiphers {
  const skey = infoHashBytes(infoHash)
  const there = new Rc4(hashOf('keyA', secret, skey))
  const back = new Rc4(hashOf('keyB', secret, skey))
  return initiator ? { encrypt: there, decrypt: back } : { encrypt: back, decrypt: there }
}

function hashOf(label: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha1').update(label, 'latin1')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
