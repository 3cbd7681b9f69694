// The API key: where it may stand in a request, and the comparison (decisions part 1). The key is never logged and
// never stands in an error text.

import { timingSafeEqual } from 'node:crypto'

/** Where a key may stand. Header values are empty texts when absent. */
export interface KeyPlaces {
  readonly method: string
  readonly apiKey: string
  readonly authorization: string
  readonly query: URLSearchParams
}

const BEARER = /^Bearer +(\S+) *$/i

/** The key that a request carries, or null. The header wins over Bearer, Bearer over the query (GET and HEAD only). */
export function presentedKey(places: KeyPlaces): string | null {
  if (places.apiKey !== '') return places.apiKey
  const bearer = BEARER.exec(places.authorization)?.[1]
  if (bearer !== undefined) return bearer
  if (places.method !== 'GET' && places.method !== 'HEAD') return null
  return places.query.get('key') || places.query.get('apikey') || null
}

/** Keys up to here take the same time to compare. */
const MIN_ROOM_BYTES = 256
const LENGTH_BYTES = 4

/** Checks keys against the one right key. */
export class KeyCheck {
  // The key and the text to compare with it, each as its length and its bytes in a room of one size.
  readonly #expected: Buffer | null
  readonly #given: Buffer

  /** An empty `key` switches the check off. */
  constructor(key: string) {
    const room = LENGTH_BYTES + Math.max(MIN_ROOM_BYTES, Buffer.byteLength(key))
    this.#given = Buffer.alloc(room)
    this.#expected = key === '' ? null : fill(Buffer.alloc(room), key)
  }

  /** False when no key is asked for at all. */
  get required(): boolean {
    return this.#expected !== null
  }

  /** Compared in rooms of one size, so that neither length nor content of the key shows in the time it takes. */
  accepts(presented: string | null): boolean {
    if (this.#expected === null) return true
    return presented !== null && timingSafeEqual(fill(this.#given, presented), this.#expected)
  }
}

// What does not fit is left out; its length tells it from the key, which fits. The length also tells a text from the same
// with zeroes at its end.
function fill(room: Buffer, text: string): Buffer {
  room.fill(0)
  room.writeUInt32LE(Buffer.byteLength(text), 0)
  room.write(text, LENGTH_BYTES, 'utf8')
  return room
}
