// The first DHT nodes where a proxy resolves names: their addresses are not known here, so they are pinged by name, and
// a node that answers a ping is one to begin with. Only while the DHT knows no node.

import { DecodeError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { BootstrapEntry } from '../../dht/types.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import { parseIp } from '../../wire/net/compact-address.ts'
import { decodeKrpc, encodeKrpc } from '../../wire/dht/krpc.ts'

/** Pause before the next round, doubled up to the longest. */
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 5 * 60_000
/** A node is looked for this often once there was one. */
const WATCH_MS = 30_000
/** Longer than the DHT's own ids, so that no answer belongs to both. */
const ID_BYTES = 8

/** What it works with. */
export interface NamedDhtNodesDeps {
  readonly clock: Clock
  readonly random: Random
  /** Sends a datagram to a name. */
  send(bytes: Uint8Array, to: BootstrapEntry): void
  /** True while the DHT knows no node. */
  needed(): boolean
  found(address: PeerAddress): void
}

/** Pings names until a node answers. */
export class NamedDhtNodes {
  readonly #names: readonly BootstrapEntry[]
  readonly #deps: NamedDhtNodesDeps
  /** Of the pings of the last round. */
  readonly #transactionId: Uint8Array
  #pauseMs = FIRST_PAUSE_MS
  #timer: Timer | null = null

  /** Entries with a literal address are passed over: the DHT asks those itself. */
  constructor(entries: readonly BootstrapEntry[], deps: NamedDhtNodesDeps) {
    this.#names = entries.filter(({ host }) => parseIp(host) === null)
    this.#deps = deps
    this.#transactionId = deps.random.bytes(ID_BYTES)
  }

  start(): void {
    if (this.#names.length === 0) return
    const needed = this.#deps.needed()
    if (needed) this.#ping()
    const pauseMs = needed ? this.#pauseMs : WATCH_MS
    this.#pauseMs = needed ? Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2) : FIRST_PAUSE_MS
    this.#timer = this.#deps.clock.after(pauseMs, () => this.start())
  }

  /** Pings a name once, whether nodes are needed or not. */
  pingAt(name: BootstrapEntry): void {
    this.#deps.send(this.#pingBytes(), name)
  }

  stop(): void {
    this.#timer?.cancel()
  }

  /** True when the datagram answers a ping of ours. */
  receive(bytes: Uint8Array, from: PeerAddress): boolean {
    // Most datagrams are others': looked for before anything is read.
    if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(this.#transactionId) < 0) return false
    try {
      const message = decodeKrpc(bytes)
      if (message.kind !== 'reply' || Buffer.compare(message.transactionId, this.#transactionId) !== 0) return false
    } catch (error) {
      if (error instanceof DecodeError) return false
      throw error
    }
    this.#deps.found(from)
    return true
  }

  #ping(): void {
    const bytes = this.#pingBytes()
    for (const name of this.#names) this.#deps.send(bytes, name)
  }

  #pingBytes(): Uint8Array {
    return encodeKrpc({
      kind: 'query',
      transactionId: this.#transactionId,
      version: null,
      // No node must remember us by it.
      id: this.#deps.random.bytes(20),
      readOnly: true,
      query: { method: 'ping' },
    })
  }
}
