// A node of the overlay DHT as we know it: who, where, how well it answers (protocol section 6).

import type { PeerAddress } from '../../../base/ids.ts'
import { overlayNodeId } from '../wire/dht-node-id.ts'
import { midOf } from '../wire/public-key.ts'

/** Failures after which a node is bad (section 6). */
const DHT_BAD_FAILURES = 2
/** A node that answered within this is good (section 6). */
const DHT_GOOD_MS = 900_000

/** A node: its key and where it is. */
export interface DhtNodeRef {
  readonly publicKey: Uint8Array
  readonly address: PeerAddress
}

/** A node with its id. */
export class DhtContact implements DhtNodeRef {
  readonly publicKey: Uint8Array
  readonly mid: Uint8Array
  /** The mid in hex. */
  readonly member: string
  readonly address: PeerAddress
  /** 20 bytes, made of address and key. */
  readonly id: Uint8Array
  failures = 0
  answeredMs: number | null = null
  queriedMs: number | null = null
  pingedMs: number | null = null
  rttMs: number | null = null

  constructor({ publicKey, address }: DhtNodeRef) {
    this.publicKey = Uint8Array.from(publicKey)
    this.mid = midOf(publicKey)
    this.member = Buffer.from(this.mid).toString('hex')
    this.address = { ip: address.ip, port: address.port }
    this.id = overlayNodeId(address.ip, this.mid)
  }

  /** It does not answer. */
  get bad(): boolean {
    return this.failures >= DHT_BAD_FAILURES
  }

  /** Answered lately, or answered once and asked us lately. */
  good(nowMs: number): boolean {
    if (this.bad || this.answeredMs === null) return false
    return nowMs - Math.max(this.answeredMs, this.queriedMs ?? 0) < DHT_GOOD_MS
  }
}
