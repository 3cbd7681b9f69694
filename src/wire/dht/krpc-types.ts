// The messages of the Mainline DHT as values: queries, replies, errors (BEP 5, 32, 33, 42, 43, 44, 51). Types only, and
// the maker of a reply. Byte fields are copies: the holder of the value may keep them.

import type { PeerAddress } from '../../base/ids.ts'

/** A node as the DHT names it: id of 20 bytes and address (compact node info, BEP 5). */
export interface NodeContact {
  readonly id: Uint8Array
  readonly address: PeerAddress
}

/** Which node lists a query asks for (BEP 32); null = the family it travels on. */
export interface WantedLists {
  readonly n4: boolean
  readonly n6: boolean
}

/** What makes an item mutable (BEP 44): key of 32 bytes, signature of 64, sequence number from 0 to 2^63 - 1. */
export interface ItemProof {
  readonly key: Uint8Array
  readonly seq: bigint
  readonly signature: Uint8Array
}

/** A query and its arguments. `value` is raw bencode; `salt` is empty for none; tokens are opaque. */
export type DhtQuery =
  | { readonly method: 'ping' }
  | { readonly method: 'find_node'; readonly target: Uint8Array; readonly want: WantedLists | null }
  | {
      readonly method: 'get_peers'
      readonly infoHash: Uint8Array
      readonly want: WantedLists | null
      /** Rather no seeds; filters of seeds and peers, please (BEP 33). */
      readonly noSeed: boolean
      readonly scrape: boolean
    }
  | {
      readonly method: 'announce_peer'
      readonly infoHash: Uint8Array
      readonly token: Uint8Array
      /** 0 only with `impliedPort`: the datagram's own port counts then. */
      readonly port: number
      readonly impliedPort: boolean
      readonly seed: boolean
    }
  | {
      readonly method: 'get'
      readonly target: Uint8Array
      /** Only a newer item is wanted; null = any. */
      readonly seq: bigint | null
      readonly want: WantedLists | null
    }
  | {
      readonly method: 'put'
      readonly token: Uint8Array
      readonly value: Uint8Array
      /** null = an immutable item. */
      readonly proof: ItemProof | null
      readonly salt: Uint8Array
      readonly cas: bigint | null
    }
  | { readonly method: 'sample_infohashes'; readonly target: Uint8Array; readonly want: WantedLists | null }
  | {
      /** A method this node does not know; with a target it is answered like find_node. */
      readonly method: 'other'
      readonly name: string
      readonly target: Uint8Array | null
      readonly want: WantedLists | null
    }

/** Everything a reply can hold; null = not there. Which fields mean something depends on what was asked. */
export interface DhtReply {
  readonly id: Uint8Array
  /** IPv4 and IPv6 nodes (BEP 5, 32). */
  readonly nodes: readonly NodeContact[] | null
  readonly nodes6: readonly NodeContact[] | null
  readonly token: Uint8Array | null
  /** Peers; one list may have both families (BEP 32). */
  readonly values: readonly PeerAddress[] | null
  /** Filters of 256 bytes: seeds, and other peers (BEP 33). */
  readonly seedFilter: Uint8Array | null
  readonly peerFilter: Uint8Array | null
  /** Raw bencode of an item (BEP 44); with `key`, `seq` and `signature` a mutable one. */
  readonly value: Uint8Array | null
  readonly key: Uint8Array | null
  readonly seq: bigint | null
  readonly signature: Uint8Array | null
  /** Infohashes of 20 bytes, how many the node has, and seconds until others are shown (BEP 51). */
  readonly samples: readonly Uint8Array[] | null
  readonly sampleTotal: number | null
  readonly sampleIntervalSec: number | null
}

const NOTHING: Omit<DhtReply, 'id'> = {
  nodes: null,
  nodes6: null,
  token: null,
  values: null,
  seedFilter: null,
  peerFilter: null,
  value: null,
  key: null,
  seq: null,
  signature: null,
  samples: null,
  sampleTotal: null,
  sampleIntervalSec: null,
}

/** A reply of node `id` with these fields and no others. */
export function makeReply(id: Uint8Array, fields: Partial<Omit<DhtReply, 'id'>> = {}): DhtReply {
  return { ...NOTHING, ...fields, id }
}

/** Error codes (BEP 5, 44). */
export const DHT_ERRORS = {
  generic: 201,
  server: 202,
  protocol: 203,
  unknownMethod: 204,
  valueTooBig: 205,
  badSignature: 206,
  saltTooBig: 207,
  casMismatch: 301,
  seqTooLow: 302,
} as const

/**
 * A datagram of the DHT. `version` names the client (key `v`), `seenAs` is our address as the other side sees it (BEP
 * 42).
 */
export type KrpcMessage =
  | {
      readonly kind: 'query'
      readonly transactionId: Uint8Array
      readonly version: Uint8Array | null
      readonly id: Uint8Array
      /** The sender answers no queries itself (BEP 43). */
      readonly readOnly: boolean
      readonly query: DhtQuery
    }
  | {
      readonly kind: 'reply'
      readonly transactionId: Uint8Array
      readonly version: Uint8Array | null
      readonly seenAs: PeerAddress | null
      readonly reply: DhtReply
    }
  | {
      readonly kind: 'error'
      readonly transactionId: Uint8Array
      readonly version: Uint8Array | null
      readonly seenAs: PeerAddress | null
      readonly code: number
      readonly message: string
    }

/** A query that can be answered only with an error (203): its arguments are wrong. Is never sent. */
export interface InvalidQuery {
  readonly kind: 'invalid'
  readonly transactionId: Uint8Array
  readonly reason: string
}
