// Identifiers that travel through every layer. An InfoHash is made only by the checking functions here,
// so holding one is proof that it is 40 lower-case hexadecimal digits (64 for an InfoHashV2).

declare const infoHashBrand: unique symbol
declare const infoHashV2Brand: unique symbol

/**
 * What names a torrent in this node, 40 lower-case hexadecimal digits: the v1 info hash (BEP 3), for one that is v2
 * only the first 20 bytes of the v2 info hash (BEP 52); see decision 0253.
 */
export type InfoHash = string & { readonly [infoHashBrand]: true }

/** A v2 info hash, whole: 64 lower-case hexadecimal digits of SHA-256 (BEP 52). */
export type InfoHashV2 = string & { readonly [infoHashV2Brand]: true }

const HEX_40 = /^[0-9a-fA-F]{40}$/
const HEX_64 = /^[0-9a-fA-F]{64}$/

/** Returns the info hash that `text` spells in hexadecimal (any case), or null when it spells none. */
export function parseInfoHash(text: string): InfoHash | null {
  return HEX_40.test(text) ? (text.toLowerCase() as InfoHash) : null
}

/** Returns the info hash of 20 raw bytes. Throws RangeError for any other length. */
export function infoHashFromBytes(bytes: Uint8Array): InfoHash {
  if (bytes.length !== 20) throw new RangeError(`an info hash has 20 bytes, not ${bytes.length}`)
  return Buffer.from(bytes.buffer, bytes.byteOffset, 20).toString('hex') as InfoHash
}

/** Returns the 20 raw bytes of an info hash. */
export function infoHashBytes(infoHash: InfoHash): Uint8Array {
  return Buffer.from(infoHash, 'hex')
}

/** Returns the v2 info hash that `text` spells in hexadecimal (any case), or null when it spells none. */
export function parseInfoHashV2(text: string): InfoHashV2 | null {
  return HEX_64.test(text) ? (text.toLowerCase() as InfoHashV2) : null
}

/** Returns the v2 info hash of 32 raw bytes. Throws RangeError for any other length. */
export function infoHashV2FromBytes(bytes: Uint8Array): InfoHashV2 {
  if (bytes.length !== 32) throw new RangeError(`a v2 info hash has 32 bytes, not ${bytes.length}`)
  return Buffer.from(bytes.buffer, bytes.byteOffset, 32).toString('hex') as InfoHashV2
}

/** The first 20 bytes of a v2 info hash: what is used for it where only 20 bytes fit (BEP 52). */
export function truncatedInfoHash(infoHash: InfoHashV2): InfoHash {
  return infoHash.slice(0, 40) as InfoHash
}

/** Where a peer, tracker or node is reached: a literal IPv4 or IPv6 address and a port from 1 to 65535. */
export interface PeerAddress {
  readonly ip: string
  readonly port: number
}

/** One string a peer address, usable as a map key. */
export function addressKey(address: PeerAddress): string {
  return address.ip.includes(':') ? `[${address.ip}]:${address.port}` : `${address.ip}:${address.port}`
}
