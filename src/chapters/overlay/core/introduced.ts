// What other folders ask of introductions and of the overlay DHT. Types only.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Overlay } from './overlay.ts'
import type { Peer } from './peer.ts'

/** Introductions of one overlay: how its peers are found. */
export interface PeerIntroductions {
  /** Bytes that our requests and responses carry for this overlay, asked for each time. */
  setExtra(make: () => Uint8Array): void
  /**
   * Calls for each request and response of a verified peer, with its extra bytes (none: empty); answers what ends the
   * calls.
   */
  onExtra(run: (peer: Peer, extra: Uint8Array) => void): () => void
  /** Asks the node at a literal IPv4 address for an introduction, which makes it a peer. */
  ask(address: PeerAddress): void
  /** The same of a known peer. */
  askPeer(peer: Peer): void
  /** Our addresses as requests claim them: in the local network, and as others see us. 0.0.0.0:0: not known. */
  readonly lan: PeerAddress
  readonly wan: PeerAddress
}

/** An overlay with introductions, walking and bootstrapping. */
export interface Community {
  readonly overlay: Overlay
  readonly introductions: PeerIntroductions
  /** Ends it: nothing is sent or received any more. */
  close(): void
}

/** How an overlay looks for peers. */
export interface CommunityOptions {
  readonly communityId: Uint8Array
  readonly name: string
  /** Requests for introductions are dropped above this; below 0: never. */
  readonly maxPeers?: number
  /** At so many peers no more are looked for. */
  readonly targetPeers?: number
  /** Milliseconds between steps of the walk. */
  readonly stepMs?: number
  /** Silent peers are pinged (by introduction requests) and dropped. */
  readonly churn?: boolean
}

/** Makes further overlays on the port while the node runs: one for each hidden swarm that it introduces. */
export interface Communities {
  /** Throws RangeError when there are too many, or one has the id. */
  open(options: CommunityOptions): Community
}

/** A value of the overlay DHT. */
export interface FoundValue {
  readonly data: Uint8Array
  /** 74 bytes: who signed it; null: unsigned. */
  readonly publicKey: Uint8Array | null
}

/** The DHT of the overlay. */
export interface OverlayDht {
  /** Values under a key of 20 bytes, the newest of each signer; none when no node has any. Never rejects. */
  find(key: Uint8Array): Promise<readonly FoundValue[]>
  /** Stores a value at the nodes nearest to a key; answers how many took it. Never rejects. */
  store(key: Uint8Array, data: Uint8Array, options?: { readonly signed?: boolean }): Promise<number>
  /**
   * Finds a peer by the SHA-1 of its public key and has the way to it opened; null: no node knows it. Never rejects.
   */
  connect(mid: Uint8Array): Promise<{ readonly publicKey: Uint8Array; readonly address: PeerAddress } | null>
}
