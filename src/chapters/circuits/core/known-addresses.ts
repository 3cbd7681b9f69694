// Addresses as bytes of cells, and as objects: the same object for the same address, so that nothing is made for each
// cell.

import type { PeerAddress } from '../../../base/ids.ts'
import { type AnyAddress, readAddr, writeAddr } from '../../overlay/wire/address.ts'
import { OverlayReader } from '../../overlay/wire/reader.ts'
import { OverlayWriter } from '../../overlay/wire/writer.ts'

/** Addresses kept; all are forgotten when there are more. */
const MAX_KEPT = 1_024
const IPV4_TYPE = 1
const IPV4_BYTES = 7
const PORTS = 0x1_0000

/** Reads and writes addresses of one flow of cells. */
export class KnownAddresses {
  readonly #ipv4 = new Map<number, PeerAddress>()
  readonly #encoded = new WeakMap<AnyAddress, Uint8Array>()
  /** Where the address read last ended. */
  end = 0

  /** Reads an addr at `at`, not beyond `limit`; `end` is behind it then. Throws DecodeError. */
  read(bytes: Uint8Array, at: number, limit: number): AnyAddress {
    if (bytes[at] === IPV4_TYPE && at + IPV4_BYTES <= limit) {
      this.end = at + IPV4_BYTES
      return this.#ipv4At(bytes, at + 1)
    }
    const reader = new OverlayReader(bytes, at, limit)
    const address = readAddr(reader)
    this.end = reader.at
    return address
  }

  /** The encoded form of an address; made once for each object. */
  encoded(address: AnyAddress): Uint8Array {
    let bytes = this.#encoded.get(address)
    if (bytes === undefined) {
      bytes = encodedAddress(address)
      this.#encoded.set(address, bytes)
    }
    return bytes
  }

  #ipv4At(bytes: Uint8Array, at: number): PeerAddress {
    const a = bytes[at] as number
    const b = bytes[at + 1] as number
    const c = bytes[at + 2] as number
    const d = bytes[at + 3] as number
    const port = ((bytes[at + 4] as number) << 8) | (bytes[at + 5] as number)
    const key = (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) * PORTS + port
    let known = this.#ipv4.get(key)
    if (known === undefined) {
      if (this.#ipv4.size >= MAX_KEPT) this.#ipv4.clear()
      known = { ip: `${a}.${b}.${c}.${d}`, port }
      this.#ipv4.set(key, known)
    }
    return known
  }
}

/** An addr as cells have it. */
export function encodedAddress(address: AnyAddress): Uint8Array {
  const writer = new OverlayWriter()
  writeAddr(writer, address)
  return writer.done()
}
