// Items that other nodes put here (BEP 44). Checks sequence numbers and cas; sizes, tokens and signatures were checked
// before. Bounded in items and in items an address; what is nearest to our id stays. Time is passed in.

import { sameBytes } from '../base/same-bytes.ts'
import type { PeerAddress } from '../base/ids.ts'
import { compareDistance, idKey } from '../wire/dht/dht-id.ts'
import { DHT_ERRORS, type ItemProof } from '../wire/dht/krpc-types.ts'
import { ownerKey } from './address-group.ts'

/** Most items kept; as many as libtorrent keeps. One has 1,000 bytes at most. */
export const MAX_ITEMS = 700
/** Most items one address (a /64 of IPv6) may put. */
export const MAX_ITEMS_PER_ADDRESS = 50
/** An item that is not put again ends (BEP 44). */
export const ITEM_TTL_MS = 2 * 3_600_000

/** What is put. `value` is raw bencode; `proof` is null for an immutable item. */
export interface ItemToStore {
  readonly value: Uint8Array
  readonly proof: ItemProof | null
}

interface StoredItem extends ItemToStore {
  readonly target: Uint8Array
  readonly owner: string
  atMs: number
}

/** Why an item was not stored: an error of DHT_ERRORS. */
export interface PutRefusal {
  readonly code: number
  readonly message: string
}

/** Items by target (20 bytes). */
export class ItemStore {
  readonly #items = new Map<string, StoredItem>()
  readonly #perOwner = new Map<string, number>()

  get size(): number {
    return this.#items.size
  }

  get(target: Uint8Array): ItemToStore | null {
    return this.#items.get(idKey(target)) ?? null
  }

  /** Stores `item`; null when it is here now, else why not. `ownId` decides what goes when there is no room. */
  put(
    target: Uint8Array,
    item: ItemToStore,
    by: { readonly from: PeerAddress; readonly cas: bigint | null },
    ownId: Uint8Array,
    nowMs: number,
  ): PutRefusal | null {
    const known = this.#items.get(idKey(target))
    const refusal = known === undefined ? null : refusalOf(known, item, by.cas)
    if (refusal !== null) return refusal
    if (known !== undefined && sameItem(known, item)) {
      known.atMs = nowMs
      return null
    }
    const owner = ownerKey(by.from)
    if (known !== undefined) this.#remove(known)
    const full = this.#makeRoom(target, owner, ownId)
    if (full !== null) {
      if (known !== undefined) this.#add(known)
      return full
    }
    this.#add({ ...item, target: Uint8Array.from(target), owner, atMs: nowMs })
    return null
  }

  /** Forgets items that were not put again. */
  expire(nowMs: number): void {
    for (const item of this.#items.values()) if (nowMs - item.atMs >= ITEM_TTL_MS) this.#remove(item)
  }

  #makeRoom(target: Uint8Array, owner: string, ownId: Uint8Array): PutRefusal | null {
    if ((this.#perOwner.get(owner) ?? 0) >= MAX_ITEMS_PER_ADDRESS)
      return { code: DHT_ERRORS.server, message: 'too many items of this address' }
    if (this.#items.size < MAX_ITEMS) return null
    let farthest: StoredItem | null = null
    for (const item of this.#items.values())
      if (farthest === null || compareDistance(ownId, item.target, farthest.target) > 0) farthest = item
    if (farthest === null || compareDistance(ownId, target, farthest.target) >= 0)
      return { code: DHT_ERRORS.server, message: 'no room' }
    this.#remove(farthest)
    return null
  }

  #add(item: StoredItem): void {
    this.#items.set(idKey(item.target), item)
    this.#perOwner.set(item.owner, (this.#perOwner.get(item.owner) ?? 0) + 1)
  }

  #remove(item: StoredItem): void {
    this.#items.delete(idKey(item.target))
    const left = (this.#perOwner.get(item.owner) ?? 1) - 1
    if (left <= 0) this.#perOwner.delete(item.owner)
    else this.#perOwner.set(item.owner, left)
  }
}

function sameItem(a: ItemToStore, b: ItemToStore): boolean {
  return a.proof?.seq === b.proof?.seq && sameBytes(a.value, b.value)
}

/** Why `item` may not take the place of `known` (BEP 44), or null. */
function refusalOf(known: ItemToStore, item: ItemToStore, cas: bigint | null): PutRefusal | null {
  if (known.proof === null || item.proof === null) return null
  if (cas !== null && cas !== known.proof.seq) return { code: DHT_ERRORS.casMismatch, message: 'cas does not match' }
  const older = item.proof.seq < known.proof.seq
  const other = item.proof.seq === known.proof.seq && !sameBytes(item.value, known.value)
  return older || other ? { code: DHT_ERRORS.seqTooLow, message: 'a newer item is here' } : null
}
