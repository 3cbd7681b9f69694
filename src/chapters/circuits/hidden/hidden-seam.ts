// What hidden services (protocol section 8) and circuits have of each other. Types only: everything about introduction
// and rendezvous points stays behind this, so that another way of them can take its place (section 14). A text is
// what a cell carries when all layers are off: message number and payload, without circuit id.

import type { PeerAddress } from '../../../base/ids.ts'
import type { LayerKey, OverlayCrypto } from '../../overlay/ports/overlay-crypto.ts'
import type { CircuitPurpose } from '../../overlay/ports/overlay-facts.ts'

/** The node wanted as last hop. `address` null: the hop before it knows it. */
export interface LastHop {
  /** 74 bytes. */
  readonly publicKey: Uint8Array
  readonly address: PeerAddress | null
}

/**
 * The innermost layer of one end of a linked circuit (8.5): the seeder seals forward and opens backward, the downloader
 * the other way round. Its holder wipes it when the circuit ends.
 */
export interface EndToEnd {
  readonly seal: LayerKey
  readonly open: LayerKey
}

/** What hidden services ask of cryptography. */
export type HiddenCrypto = Pick<OverlayCrypto, 'generate' | 'begin' | 'respond'>

/** A complete circuit of our own that was built for hidden services, which alone use it. */
export interface HiddenCircuit {
  readonly id: number
  readonly purpose: CircuitPurpose
  /** Public key of the last hop, 74 bytes. */
  readonly lastHop: Uint8Array
  /** False from the moment its removal was decided. */
  readonly alive: boolean
  /** Of its pings; null: none was answered yet. */
  readonly rttMs: number | null
  /** Sends a text, all layers on (also the innermost one, once it is set). Nothing happens when it is not alive. */
  send(text: Uint8Array): void
  /** Sends a data text: the last hop sends `packet` to `destination`. */
  sendData(destination: PeerAddress, packet: Uint8Array): void
  /**
   * From now on the circuit has the innermost layer, and its data is the lane's: datagrams of and to
   * addressOfCircuit(id). The downloader's circuit is pinged from now on; the seeder's never is by its owner, nor the
   * downloader's before (8.5).
   */
  setEndToEnd(end: EndToEnd): void
  /** Ends it, with a destroy. `reason`: for people. */
  remove(reason: string): void
  /** The same, because its last hop does not do what it should: the next circuits end elsewhere where they can. */
  fail(reason: string): void
}

/** Another node's circuit whose last hop we are. */
export interface ServedCircuit {
  readonly id: number
  /** False from the moment its removal was decided. */
  readonly alive: boolean
  /** An exit socket was opened for it: it cannot become part of a linked circuit. */
  readonly exiting: boolean
  /** Sends a text back. */
  send(text: Uint8Array): void
  /** Sends a data text back that says `origin`. */
  sendData(origin: PeerAddress, packet: Uint8Array): void
  /** What it serves as, for displays; an introduction circuit may live for 24 h. */
  serveAs(role: 'introduction' | 'rendezvous'): void
}

/** A circuit that hidden services want. */
export interface HiddenBuild {
  readonly purpose: CircuitPurpose
  /** 1 to 4, all hops counted. */
  readonly hops: number
  /**
   * The last hop: this one, or one that the rules of section 7.6 choose: `introduction` an exit before a relay, `relay`
   * a relay before an exit. Nodes without exit flags serve packets of this overlay too, so data circuits of hidden
   * services need no exit.
   */
  readonly last: LastHop | 'introduction' | 'relay'
  /** Keys of nodes that must not be the last hop. */
  readonly except?: readonly Uint8Array[]
}

/** What circuits do for hidden services. */
export interface HiddenHost {
  /** Rejects with AppError SourceFailed when it could not be completed, or when `signal` says so. */
  build(wanted: HiddenBuild, signal: AbortSignal): Promise<HiddenCircuit>
  /**
   * Both circuits become a pair of rendezvous relays (8.6), and `answer`, a text, goes to the originator of `from` as
   * the last thing that we ourselves send to it. False: one of them is not alive or exiting; nothing happened then.
   */
  link(from: ServedCircuit, to: ServedCircuit, answer: Uint8Array): boolean
}

/** What circuits tell hidden services. Byte strings are valid only during the call. Must not throw. */
export interface HiddenListener {
  /** A text for us came out of an own circuit of hidden services: its number is 10, 12, 16 or 18. */
  ownText(circuit: HiddenCircuit, text: Uint8Array): void
  /** Data came out of such a circuit before it was linked; `packet` begins with the prefix of the tunnel overlay. */
  ownPacket(circuit: HiddenCircuit, origin: PeerAddress, packet: Uint8Array): void
  /** Its removal was decided, by whomever. */
  ownRemoved(circuit: HiddenCircuit): void
  /** A text for the last hop: its number is 9, 11, 15 or 17. */
  servedText(circuit: ServedCircuit, text: Uint8Array): void
  /** Its removal was decided, or it became part of a linked circuit. */
  servedRemoved(circuit: ServedCircuit): void
}
