// Digests of a whole book, so that two books can be compared and made equal (market-mesh.ts asks, order-book.ts
// answers): a tree over the hashes of the statements. It covers whatever another book must have to be equal: the last
// statement of each open order, those of orders that are over until their time has passed, and both statements of a
// fraud.

import type { OrderRef, OrderStatement } from '../wire/types.ts'

/** Digits of the longest prefix that has a digest. Longer prefixes have lists only. */
export const DIGEST_DEPTH = 3

/** What lies under a prefix. */
export interface BookDigest {
  /** Statements. */
  readonly count: number
  /**
   * 16 hexadecimal digits: the first 8 bytes of a SHA-256. Under DIGEST_DEPTH digits: over the hashes (32 bytes each)
   * in rising order; under fewer: over the 16 digests below. Where there is nothing: zeros.
   */
  readonly digest: string
}

/**
 * Digests of a whole book, so that two books can be compared and made equal (market-mesh.ts asks, order-book.ts
 * answers): a tree over the hashes of the statements. A prefix is up to 64 hexadecimal digits of a statement's hash.
 */
export interface BookDigests {
  /** Of a prefix of at most DIGEST_DEPTH digits. */
  digest(prefix: string): BookDigest
  /** Hashes under a prefix in rising order, at most `most`. */
  hashes(prefix: string, most: number): readonly string[]
  /** The statement with this hash, of those that the digests cover; null: there is none. */
  statement(hash: string): OrderStatement | null
  /** The two statements that prove that an order is a fraud; none: it is not known to be one. */
  proofs(ref: OrderRef): readonly OrderStatement[]
}
