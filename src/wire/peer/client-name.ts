// The client behind a peer id, for people to read (BEP 20). What a peer says in its extended handshake is better; this
// is for peers that say nothing. Never trusted, never used for decisions.

import parsePeerId from 'bittorrent-peerid'
import { asBuffer } from '../bencode.ts'
import { PEER_ID_PREFIX } from './peer-id.ts'

/** Longest name given, characters. */
const MAX_CHARS = 64

/** Name and version of the client that made the 20-byte `peerId`, or `unknown`. Never throws. */
export function clientName(peerId: Uint8Array): string {
  const prefix = asBuffer(peerId).toString('latin1', 0, 7)
  if (prefix.startsWith(PEER_ID_PREFIX)) return `Tributary ${prefix.slice(3, 6).split('').join('.')}`
  try {
    // The package wants a Buffer of exactly 20 bytes, and throws at everything else.
    const { client, version } = parsePeerId(asBuffer(peerId))
    return clean(version ? `${client} ${version}` : client) || 'unknown'
  } catch {
    return 'unknown'
  }
}

/** Versions are cut out of the id's raw bytes. */
function clean(text: string): string {
  return text
    .replace(/[^\u0020-\u007e\u00a0-\u024f]/g, '')
    .trim()
    .slice(0, MAX_CHARS)
}
