// The API key: where it may stand in a request, and the comparison (decisions part 1). The key is never logged and
// never stands in an error text.

import { createHash, timingSafeEqual } from 'node:crypto'

/** Where a key may stand. Header values are empty texts when absent. */
export interface KeyPlaces {
  readonly method: string
  readonly apiKeyHeader: string
  readonly authorization: string
  readonly query: URLSearchParams
}

const BEARER = /^Bearer +(\S+) *$/i

/** The key that a request carries, or null. The header wins over Bearer, Bearer over the query (GET and HEAD only). */
export function presentedKey(places: KeyPlaces): string | null {
  if (places.apiKeyHeader !== '') return places.apiKeyHeader
  const bearer = BEARER.exec(places.authorization)?.[1]
  if (bearer !== undefined) return bearer
  if (places.method !== 'GET' && places.method !== 'HEAD') return null
  return places.query.get('key') || places.query.get('apikey') || null
}

/** Checks keys against the one right key. */
export class KeyCheck {
  readonly #digest: Buffer | null

  /** An empty `key` switches the check off. */
  constructor(key: string) {
    this.#digest = key === '' ? null : digest(key)
  }

  /** False when no key is asked for at all. */
  get required(): boolean {
    return this.#digest !== null
  }

  /** Compared by digest, so that neither length nor content shows in the time it takes. */
  accepts(presented: string | null): boolean {
    if (this.#digest === null) return true
    return presented !== null && timingSafeEqual(digest(presented), this.#digest)
  }
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest()
}
