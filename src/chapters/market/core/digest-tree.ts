// The tree of digests over what a book keeps (book-digests.ts): statements lie in buckets by the first digits of their
// hash; digests are made when they are asked for, and kept until something under them changes.

import { createHash } from 'node:crypto'
import type { OrderStatement } from '../wire/types.ts'
import { type BookDigest, type BookDigests, DIGEST_DEPTH } from './book-digests.ts'

const DIGEST_BYTES = 8
const NOTHING: BookDigest = { count: 0, digest: '0'.repeat(2 * DIGEST_BYTES) }
const HEX = /^[0-9a-f]*$/

/**
 * The tree of digests over what a book keeps (book-digests.ts): statements lie in buckets by the first digits of their
 * hash; digests are made when they are asked for, and kept until something under them changes.
 */
export class DigestTree implements Omit<BookDigests, 'proofs'> {
  /** By the number that the first DIGEST_DEPTH digits are; each in the order of the hashes. */
  readonly #buckets: (OrderStatement[] | undefined)[] = new Array(16 ** DIGEST_DEPTH).fill(undefined)
  /** By length of the prefix, then by its number; undefined = to be made. */
  readonly #digests: (BookDigest | undefined)[][] = Array.from({ length: DIGEST_DEPTH + 1 }, (_, digits) =>
    Array.from({ length: 16 ** digits }, () => NOTHING),
  )

  /** Buckets whose digest must be computed. */
  readonly #stale = new Set<number>()

  /** How many buckets changed since their digest was made. */
  get stale(): number {
    return this.#stale.size
  }

  /**
   * Makes digests of so many buckets at most: what is done beforehand, a little at a time, does not hold the main loop
   * when a digest of all is asked for.
   */
  refresh(most: number): void {
    let left = most
    for (const bucket of this.#stale) {
      if (left-- <= 0) return
      this.#digest(DIGEST_DEPTH, bucket)
    }
  }

  /** Puts a statement in that is not in. */
  add(statement: OrderStatement): void {
    const at = bucketOf(statement.hash)
    const bucket = this.#buckets[at]
    if (bucket === undefined) this.#buckets[at] = [statement]
    else bucket.splice(placeIn(bucket, statement.hash), 0, statement)
    this.#changed(at)
  }

  /** Takes a statement out; one that is not in is passed over. */
  remove({ hash }: OrderStatement): void {
    const at = bucketOf(hash)
    const bucket = this.#buckets[at] ?? []
    const place = placeIn(bucket, hash)
    if (bucket[place]?.hash !== hash) return
    if (bucket.length === 1) this.#buckets[at] = undefined
    else bucket.splice(place, 1)
    this.#changed(at)
  }

  digest(prefix: string): BookDigest {
    if (prefix.length > DIGEST_DEPTH || !HEX.test(prefix)) throw new RangeError(`no digest of ${prefix}`)
    return this.#digest(prefix.length, numberOf(prefix))
  }

  hashes(prefix: string, most: number): readonly string[] {
    if (!HEX.test(prefix)) throw new RangeError(`no prefix: ${prefix}`)
    const digits = Math.min(prefix.length, DIGEST_DEPTH)
    const width = 16 ** (DIGEST_DEPTH - digits)
    const first = numberOf(prefix.slice(0, digits)) * width
    const found: string[] = []
    for (let at = first; at < first + width && found.length < most; at++)
      for (const { hash } of this.#buckets[at] ?? [])
        if (found.length < most && hash.startsWith(prefix)) found.push(hash)
    return found
  }

  statement(hash: string): OrderStatement | null {
    if (hash.length < DIGEST_DEPTH || !HEX.test(hash)) return null
    const bucket = this.#buckets[bucketOf(hash)] ?? []
    const found = bucket[placeIn(bucket, hash)]
    return found?.hash === hash ? found : null
  }

  #changed(bucket: number): void {
    this.#stale.add(bucket)
    for (let [digits, at] = [DIGEST_DEPTH, bucket]; digits >= 0; digits--, at >>= 4)
      (this.#digests[digits] as (BookDigest | undefined)[])[at] = undefined
  }

  #digest(digits: number, at: number): BookDigest {
    const level = this.#digests[digits] as (BookDigest | undefined)[]
    const known = level[at]
    if (known !== undefined) return known
    if (digits === DIGEST_DEPTH) this.#stale.delete(at)
    const made = digits === DIGEST_DEPTH ? digestOfHashes(this.#buckets[at] ?? []) : this.#digestOfBelow(digits, at)
    level[at] = made
    return made
  }

  #digestOfBelow(digits: number, at: number): BookDigest {
    const below = Array.from({ length: 16 }, (_, digit) => this.#digest(digits + 1, at * 16 + digit))
    const count = below.reduce((sum, one) => sum + one.count, 0)
    return count === 0 ? NOTHING : { count, digest: digestOf(below.map(one => one.digest).join('')) }
  }
}

function digestOfHashes(bucket: readonly OrderStatement[]): BookDigest {
  if (bucket.length === 0) return NOTHING
  return { count: bucket.length, digest: digestOf(bucket.map(({ hash }) => hash).join('')) }
}

function digestOf(hexadecimal: string): string {
  return createHash('sha256')
    .update(hexadecimal, 'hex')
    .digest('hex')
    .slice(0, 2 * DIGEST_BYTES)
}

function bucketOf(hash: string): number {
  return numberOf(hash.slice(0, DIGEST_DEPTH))
}

function numberOf(digits: string): number {
  return digits === '' ? 0 : Number.parseInt(digits, 16)
}

/** The place of the first statement whose hash is not before this one. */
function placeIn(bucket: readonly OrderStatement[], hash: string): number {
  let [low, high] = [0, bucket.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bucket[middle] as OrderStatement).hash < hash) low = middle + 1
    else high = middle
  }
  return low
}
