// Identifiers that travel through every layer. An InfoHash is made only by the checking functions here,
// so holding one is proof that it is 40 lower-case hexadecimal digits.

declare const infoHashBrand: unique symbol

/** A v1 info hash as 40 lower-case hexadecimal digits (BEP 3). */
export type InfoHash = string & { readonly [infoHashBrand]: true }

const HEX_40 = /^[0-9a-fA-F]{40}$/

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

/** Where a peer, tracker or node is reached: a literal IPv4 or IPv6 address and a port from 1 to 65535. */
export interface PeerAddress {
  readonly ip: string
  readonly port: number
}

/** One string a peer address, usable as a map key. */
export function addressKey(address: PeerAddress): string {
  return address.ip.includes(':') ? `[${address.ip}]:${address.port}` : `${address.ip}:${address.port}`
}
