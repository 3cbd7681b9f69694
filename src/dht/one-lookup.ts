// Lookups with an end (BEP 33, 44, 51): scrape, samples, get and put, each over both families at once, each a promise.
// What nodes send is checked here: filters for size and sense, items for hash and signature.

import { sameBytes } from '../base/same-bytes.ts'
import { addressKey, type InfoHash, infoHashFromBytes } from '../base/ids.ts'
import type { Ed25519 } from '../ports/ed25519.ts'
import { parseIp } from '../wire/net/compact-address.ts'
import { addToFilter, FILTER_BYTES, filterCount, filterHas, mergeFilter } from '../wire/dht/dht-filter.ts'
import { immutableTarget, MAX_ITEM_BYTES, MAX_SALT_BYTES, mutableTarget, signedBytes } from '../wire/dht/dht-item.ts'
import type { DhtQuery, DhtReply, ItemProof } from '../wire/dht/krpc-types.ts'
import type { FamilyNode } from './family-node.ts'
import type { Candidate, Lookup } from './lookup.ts'

/** Most samples one call gathers. */
const MAX_SAMPLES = 20_000
/** A filter with more addresses than this is full of lies or useless (BEP 33). */
const MAX_FILTER_COUNT = 6000

/** Runs `query` towards `target` in every family; settles when all lookups are over. Items go before what can wait. */
export async function lookUp(
  nodes: readonly FamilyNode[],
  target: Uint8Array,
  query: DhtQuery,
  onReply: (reply: DhtReply, candidate: Candidate) => void,
): Promise<{ readonly node: FamilyNode; readonly lookup: Lookup }[]> {
  const runs = nodes.map(
    node =>
      new Promise<{ readonly node: FamilyNode; readonly lookup: Lookup }>(resolve => {
        const urgent = query.method === 'get'
        node.lookups.add({ target, query, onReply, onDone: lookup => resolve({ node, lookup }) }, urgent)
      }),
  )
  return Promise.all(runs)
}

/** How many seeds and other peers a torrent has, estimated (BEP 33). `nodes`: how many told. */
export interface SwarmEstimate {
  readonly seeds: number
  readonly peers: number
  readonly nodes: number
}

/** Asks the nodes near `infoHash` (20 bytes) who they have stored. */
export async function scrapeSwarm(nodes: readonly FamilyNode[], infoHash: Uint8Array): Promise<SwarmEstimate> {
  const seeds = new Uint8Array(FILTER_BYTES)
  const peers = new Uint8Array(FILTER_BYTES)
  const plain = new Map<string, Uint8Array>()
  let told = 0
  await lookUp(
    nodes,
    infoHash,
    { method: 'get_peers', infoHash, want: null, noSeed: false, scrape: true },
    ({ seedFilter, peerFilter, values }) => {
      const filters = [seedFilter, peerFilter].filter(filter => filter !== null)
      const sensible = filters.every(filter => filterCount(filter) <= MAX_FILTER_COUNT)
      if (filters.length > 0 && sensible) {
        told++
        if (seedFilter !== null) mergeFilter(seeds, seedFilter)
        if (peerFilter !== null) mergeFilter(peers, peerFilter)
      } else if (filters.length === 0 && values !== null && values.length > 0) {
        told++
        for (const { ip } of values) if (plain.size < MAX_FILTER_COUNT) plain.set(ip, parseIp(ip) ?? new Uint8Array(4))
      }
    },
  )
  // Nodes without BEP 33 do not say who is a seed: only those that no node calls a seed count as peers.
  for (const ip of plain.values()) if (!filterHas(seeds, ip)) addToFilter(peers, ip)
  return { seeds: Math.round(filterCount(seeds)), peers: Math.round(filterCount(peers)), nodes: told }
}

/** Infohashes that nodes near `target` (20 bytes) have, each once, and how many these nodes have in all (BEP 51). */
export async function sampleInfoHashes(
  nodes: readonly FamilyNode[],
  target: Uint8Array,
): Promise<{ readonly infoHashes: InfoHash[]; readonly nodes: number; readonly total: number }> {
  const infoHashes = new Set<InfoHash>()
  let told = 0
  let total = 0
  await lookUp(nodes, target, { method: 'sample_infohashes', target, want: null }, ({ samples, sampleTotal }) => {
    if (samples === null) return
    told++
    total += sampleTotal ?? samples.length
    for (const sample of samples) if (infoHashes.size < MAX_SAMPLES) infoHashes.add(infoHashFromBytes(sample))
  })
  return { infoHashes: [...infoHashes], nodes: told, total }
}

/**
 * What an item is found by: the hash of an immutable one, key (32 bytes) and salt (empty for none) of a mutable one, or
 * the target of one without salt whose key is not known: what nodes answer brings it, and only the key that hashes to
 * the target counts.
 */
export type ItemName =
  | { readonly target: Uint8Array }
  | { readonly key: Uint8Array; readonly salt: Uint8Array }
  | { readonly keyTarget: Uint8Array }

/** An item whose hash or signature was checked. `value` is raw bencode; `copies`: nodes that had this very one. */
export interface FoundItem {
  readonly value: Uint8Array
  readonly proof: ItemProof | null
  readonly copies: number
}

/**
 * An item to store: immutable without `proof`. Any node that has proof and value can store it, without the private key.
 */
export interface ItemToPut {
  readonly value: Uint8Array
  readonly proof: ItemProof | null
  readonly salt: Uint8Array
  /** Only over the item with this sequence number; null = over any older one. */
  readonly cas: bigint | null
}

/** What became of a put: nodes that stored it, error codes of those that did not, and a newer item if one was met. */
export interface PutResult {
  readonly target: Uint8Array
  readonly stored: number
  readonly errors: readonly number[]
  readonly newer: FoundItem | null
}

/** Where an item lies. */
export function itemTarget(name: ItemName): Uint8Array {
  if ('target' in name) return name.target
  return 'keyTarget' in name ? name.keyTarget : mutableTarget(name.key, name.salt)
}

const NO_SALT = new Uint8Array(0)

function isKeyOf(key: Uint8Array, name: Exclude<ItemName, { readonly target: Uint8Array }>): boolean {
  return 'key' in name ? sameBytes(key, name.key) : sameBytes(mutableTarget(key, NO_SALT), name.keyTarget)
}

/** The proof of a mutable item: signed with the key pair that `seed` (32 bytes) gives. */
export function signItem(
  ed25519: Ed25519,
  seed: Uint8Array,
  item: { readonly value: Uint8Array; readonly salt: Uint8Array; readonly seq: bigint },
): ItemProof {
  const signature = ed25519.sign(signedBytes(item.salt, item.seq, item.value), seed)
  return { key: ed25519.publicKey(seed), seq: item.seq, signature }
}

/** Keeps the best item that replies bring: a true one, of mutable ones the newest. */
class ItemSieve {
  readonly #name: ItemName
  readonly #ed25519: Ed25519
  #best: FoundItem | null = null
  /** Addresses of nodes that have a mutable item of this key. */
  readonly holders = new Set<string>()

  constructor(name: ItemName, ed25519: Ed25519) {
    this.#name = name
    this.#ed25519 = ed25519
  }

  get best(): FoundItem | null {
    return this.#best
  }

  add(reply: DhtReply, candidate: Candidate): void {
    const { value } = reply
    const name = this.#name
    if (value === null || value.length > MAX_ITEM_BYTES) return
    const proof = 'target' in name ? null : proofOf(reply, name)
    if (proof !== null) this.holders.add(addressKey(candidate.contact.address))
    const best = this.#best
    if (best !== null && sameBytes(best.value, value) && best.proof?.seq === proof?.seq) {
      this.#best = { ...best, copies: best.copies + 1 }
      return
    }
    const bestSeq = best?.proof?.seq ?? -1n
    if (proof !== null && proof.seq <= bestSeq) return
    if (this.#isTrue(value, proof)) this.#best = { value, proof, copies: 1 }
  }

  #isTrue(value: Uint8Array, proof: ItemProof | null): boolean {
    const name = this.#name
    if ('target' in name) return sameBytes(immutableTarget(value), name.target)
    if (proof === null) return false
    const salt = 'key' in name ? name.salt : NO_SALT
    return this.#ed25519.verify(proof.signature, signedBytes(salt, proof.seq, value), proof.key)
  }
}

function proofOf(reply: DhtReply, name: Exclude<ItemName, { readonly target: Uint8Array }>): ItemProof | null {
  const { key, seq, signature } = reply
  if (key === null || seq === null || signature === null || !isKeyOf(key, name)) return null
  return { key, seq, signature }
}

/** Finds an item; null when no node had a true one. */
export async function findItem(
  nodes: readonly FamilyNode[],
  ed25519: Ed25519,
  name: ItemName,
): Promise<FoundItem | null> {
  const target = itemTarget(name)
  const sieve = new ItemSieve(name, ed25519)
  await lookUp(nodes, target, { method: 'get', target, seq: null, want: null }, (reply, from) => sieve.add(reply, from))
  return sieve.best
}

/** Stores an item with the nodes nearest to it. Throws RangeError for one that no node would take. */
export async function storeItem(nodes: readonly FamilyNode[], ed25519: Ed25519, item: ItemToPut): Promise<PutResult> {
  if (item.value.length > MAX_ITEM_BYTES) throw new RangeError(`an item has at most ${MAX_ITEM_BYTES} bytes`)
  if (item.salt.length > MAX_SALT_BYTES) throw new RangeError(`a salt has at most ${MAX_SALT_BYTES} bytes`)
  const { proof, salt, value } = item
  const name: ItemName = proof === null ? { target: immutableTarget(value) } : { key: proof.key, salt }
  const target = itemTarget(name)
  const sieve = new ItemSieve(name, ed25519)
  const query = { method: 'get', target, seq: null, want: null } as const
  const lookups = await lookUp(nodes, target, query, (reply, from) => sieve.add(reply, from))
  const puts = lookups.flatMap(({ node, lookup }) =>
    lookup
      .writable()
      .map(candidate => putAt(node, candidate, item, sieve.holders.has(addressKey(candidate.contact.address)))),
  )
  const results = await Promise.all(puts)
  const best = sieve.best
  const newer = proof !== null && (best?.proof?.seq ?? -1n) > proof.seq ? best : null
  return {
    target,
    stored: results.filter(code => code === null).length,
    errors: results.filter(code => code !== null && code > 0).map(Number),
    newer,
  }
}

/** Puts the item at one node: null when it was stored, an error code, or 0 for silence. */
function putAt(node: FamilyNode, candidate: Candidate, item: ItemToPut, holds: boolean): Promise<number | null> {
  const { token, contact } = candidate
  if (token === null) return Promise.resolve(0)
  return new Promise(resolve => {
    node.rpc.ask(
      contact.address,
      // A node that has no item yet is not asked to compare (BEP 44).
      { method: 'put', token, value: item.value, proof: item.proof, salt: item.salt, cas: holds ? item.cas : null },
      {
        reply: () => resolve(null),
        failed: failure => resolve(failure.reason === 'error' ? failure.code : 0),
      },
    )
  })
}
