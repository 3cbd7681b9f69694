// The keys: where a request may carry one, the comparison, and what its holder may do (decisions part 1). A key is
// never logged, is in no error text, and no object keeps it: it is compared in a buffer that is wiped at once.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../base/secret.ts'
import type { KeyList, KeyScope, StoredKey } from '../ports/key-list.ts'
import type { GivenLink } from '../ports/viewing/given-links.ts'
import type { Caller } from '../services/callers-api.ts'
import type { Scope } from './route.ts'

/** Where a request may carry a key. Header values are empty texts when absent. */
export interface KeyPlaces {
  readonly method: string
  readonly apiKey: string
  readonly authorization: string
  readonly query: URLSearchParams
}

const BEARER = 'bearer '

/** The key that a request carries, or null. The header wins over Bearer, Bearer over the query (GET and HEAD only). */
export function presentedKey(places: KeyPlaces): string | null {
  const inHeader = keyInHeader(places)
  if (inHeader !== null) return inHeader
  if (places.method !== 'GET' && places.method !== 'HEAD') return null
  return places.query.get('key') || places.query.get('apikey') || null
}

/** The key of X-Api-Key or Bearer, or null: no page of another origin can send one there unasked. */
export function keyInHeader(places: Pick<KeyPlaces, 'apiKey' | 'authorization'>): string | null {
  // Each look at a header is a call into the native side: one look at the first, none at the second without need.
  const { apiKey } = places
  if (apiKey !== '') return apiKey
  const { authorization } = places
  // No regular expression: the newest text that one looked at stays in memory.
  if (authorization === '' || authorization.slice(0, BEARER.length).toLowerCase() !== BEARER) return null
  const key = authorization.slice(BEARER.length).trim()
  return key === '' || key.includes(' ') ? null : key
}

/** Who may do what. */
export interface KeyHolder {
  /** Identifies a key while it is valid; '' = no key. The key cannot be computed from it. */
  readonly id: string
  readonly caller: Caller
  may(scope: Scope): boolean
  /** Whether the key may still open that; null = it cannot be taken back while the node runs. */
  readonly stillMay: ((scope: Scope) => boolean) | null
  /** Of who comes by a link that was given away. */
  readonly link?: GivenLink
  /** The label that bounds all it sees (decision 0572); null: nothing bounds it. */
  readonly label: string | null
}

/** The holder of the first key, and everybody where no key is asked for. */
export const OWNER: KeyHolder = {
  id: 'first',
  caller: { anyPath: true, localFiles: true, spends: true },
  may: () => true,
  stillMay: null,
  label: null,
}

/** The holder for routes that need no key. */
export const NOBODY: KeyHolder = {
  id: '',
  caller: { anyPath: false, localFiles: false, spends: false },
  may: scope => scope === 'open',
  stillMay: null,
  label: null,
}

/** The holder of a link that was given away; `stillThere`: it was not taken back. */
export function linkHolder(link: GivenLink, stillThere: () => boolean): KeyHolder {
  return { ...NOBODY, stillMay: stillThere, link }
}

function opens(scopes: readonly KeyScope[], scope: Scope): boolean {
  if (scope === 'open' || scopes.includes('owner') || scopes.includes(scope)) return true
  return scopes.includes('admin') && scope !== 'spend' && scope !== 'owner'
}

function callerOf(scopes: readonly KeyScope[]): Caller {
  if (scopes.includes('owner')) return OWNER.caller
  return { anyPath: false, localFiles: scopes.includes('admin'), spends: scopes.includes('spend') }
}

function holderOfFurther({ name, hash, scopes, label }: StoredKey, list: KeyList): KeyHolder {
  // The list overwrites its own when it is read again.
  const own = Buffer.from(hash)
  return {
    id: own.toString('base64'),
    caller: callerOf(scopes),
    label,
    may: scope => opens(scopes, scope),
    stillMay(scope) {
      const now = list.current().find(key => key.name === name)
      if (now === undefined || now.label !== label) return false
      return timingSafeEqual(own, now.hash) && opens(now.scopes, scope)
    },
  }
}

const BASIC = 'basic '

/** The password of Basic credentials (RFC 7617), or null; any user name goes. */
export function basicPassword(authorization: string): string | null {
  if (authorization.slice(0, BASIC.length).toLowerCase() !== BASIC) return null
  const pair = Buffer.from(authorization.slice(BASIC.length).trim(), 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon === -1 || colon === pair.length - 1 ? null : pair.slice(colon + 1)
}

/** Keys up to here take the same time to compare. */
const MIN_ROOM_BYTES = 256
const LENGTH_BYTES = 4

/** Knows the keys. */
export class KeyRing {
  // The key and the text to compare with it, each as its length and its bytes in a room of one size.
  readonly #expected: Buffer | null
  readonly #given: Buffer
  readonly #further: KeyList

  /** An empty `first` key switches the check off. */
  constructor(first: Secret, further: KeyList) {
    const room = LENGTH_BYTES + Math.max(MIN_ROOM_BYTES, first.bytes.length)
    this.#given = Buffer.alloc(room)
    this.#further = further
    this.#expected = first.isEmpty ? null : Buffer.alloc(room)
    this.#expected?.writeUInt32LE(first.bytes.length, 0)
    if (this.#expected !== null) first.bytes.copy(this.#expected, LENGTH_BYTES)
  }

  /** False when no key is asked for at all. */
  get required(): boolean {
    return this.#expected !== null
  }

  /**
   * Whose key that is; null = not a valid key. Compared in buffers of one size, so that neither length nor content of a
   * key shows in the time it takes.
   */
  holderOf(presented: string): KeyHolder | null {
    if (this.#expected === null) return OWNER
    const given = this.#given
    try {
      fill(given, presented)
      if (timingSafeEqual(given, this.#expected)) return OWNER
      const length = given.readUInt32LE(0)
      return length > given.length - LENGTH_BYTES ? null : this.#furtherHolder(length)
    } finally {
      given.fill(0)
    }
  }

  #furtherHolder(length: number): KeyHolder | null {
    const keys = this.#further.current()
    if (keys.length === 0) return null
    const hash = createHash('sha256')
      .update(this.#given.subarray(LENGTH_BYTES, LENGTH_BYTES + length))
      .digest()
    let found: KeyHolder | null = null
    for (const key of keys) if (timingSafeEqual(hash, key.hash)) found = holderOfFurther(key, this.#further)
    return found
  }

  /** Overwrites what is known of the first key; no key is accepted after it. */
  wipe(): void {
    this.#expected?.fill(0)
    // A length that no text in the room has.
    this.#expected?.writeUInt32LE(0xffff_ffff, 0)
  }
}

// The room is empty. What does not fit is left out; its length tells it from the key, which fits. The length also tells
// a text from the same with zeroes at its end.
function fill(room: Buffer, text: string): void {
  room.writeUInt32LE(Buffer.byteLength(text), 0)
  room.write(text, LENGTH_BYTES, 'utf8')
}
