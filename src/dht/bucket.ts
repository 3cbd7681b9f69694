// One bucket of a routing table: live nodes, and replacements for those that fall silent (BEP 5, Kademlia 4.1). Prefers
// nodes whose id fits their address (BEP 42). Invariant: no two live nodes of one address group, never above capacity.

import type { NodeContact } from '../wire/dht/krpc-types.ts'

/** A node that has replied to us. Times are of the node's clock, milliseconds. */
export interface TableNode extends NodeContact {
  /** Its address as a map key, and the group it counts for. */
  readonly key: string
  readonly group: string
  /** Its id fits its address (BEP 42). */
  readonly fits: boolean
  rttMs: number
  lastReplyMs: number
  /** -Infinity: never. */
  lastQueryMs: number
  lastAskedMs: number
  /** Queries in a row that it left unanswered. */
  failures: number
}

/** What an operation changed among the live nodes. */
export interface BucketChange {
  readonly added: TableNode | null
  readonly removed: TableNode | null
}

const UNCHANGED: BucketChange = { added: null, removed: null }

/** Most replacements kept; as many as a bucket of BEP 5 has nodes. */
export const MAX_REPLACEMENTS = 8
/** Silences after which a node gives its place to a replacement: BEP 5 asks for a second try. */
const REPLACED_AFTER = 2
/** Silences after which a node goes although no replacement waits for its place. */
const DROPPED_AFTER = 6

/** Live nodes and replacements of one stretch of the id space. */
export class Bucket {
  readonly capacity: number
  /** When a node here was added, replaced or heard. */
  lastChangedMs: number
  #nodes: TableNode[] = []
  #replacements: TableNode[] = []

  constructor(capacity: number, nowMs: number) {
    this.capacity = capacity
    this.lastChangedMs = nowMs
  }

  get nodes(): readonly TableNode[] {
    return this.#nodes
  }

  get replacements(): readonly TableNode[] {
    return this.#replacements
  }

  get full(): boolean {
    return this.#nodes.length >= this.capacity
  }

  /** A place for a node that has just replied and is not here; it may become a replacement instead, or nothing. */
  offer(node: TableNode): BucketChange {
    this.#forget(node.key)
    const rival = this.#nodes.find(other => other.group === node.group)
    if (rival !== undefined) {
      const better = rival.failures >= REPLACED_AFTER || (node.fits && !rival.fits)
      return better ? this.#swap(rival, node) : UNCHANGED
    }
    if (!this.full) {
      this.#nodes.push(node)
      return { added: node, removed: null }
    }
    const silent = this.#nodes.find(other => other.failures >= REPLACED_AFTER)
    if (silent !== undefined) return this.#swap(silent, node)
    const misfit = node.fits ? this.#nodes.find(other => !other.fits) : undefined
    if (misfit === undefined) {
      this.#hold(node)
      return UNCHANGED
    }
    this.#hold(misfit)
    return this.#swap(misfit, node)
  }

  /** True when a node with this standing might get a place or become a replacement: worth a ping. */
  hasUseFor(fits: boolean): boolean {
    if (!this.full || this.#replacements.length < MAX_REPLACEMENTS) return true
    return this.#nodes.some(node => node.failures > 0 || (fits && !node.fits))
  }

  /** A live node left a query unanswered. */
  failed(node: TableNode): BucketChange {
    node.failures++
    if (node.failures >= REPLACED_AFTER) {
      const next = this.#takeReplacement(node)
      if (next !== null) return this.#swap(node, next)
    }
    return node.failures >= DROPPED_AFTER ? this.remove(node) : UNCHANGED
  }

  /** Takes a live node out. */
  remove(node: TableNode): BucketChange {
    this.#nodes = this.#nodes.filter(other => other !== node)
    return { added: null, removed: node }
  }

  #swap(out: TableNode, into: TableNode): BucketChange {
    this.#nodes = this.#nodes.map(node => (node === out ? into : node))
    return { added: into, removed: out }
  }

  #forget(key: string): void {
    this.#replacements = this.#replacements.filter(other => other.key !== key)
  }

  /** One replacement a group; the oldest misfit goes first, then the oldest. */
  #hold(node: TableNode): void {
    this.#replacements = this.#replacements.filter(other => other.group !== node.group)
    this.#replacements.push(node)
    if (this.#replacements.length <= MAX_REPLACEMENTS) return
    const misfit = this.#replacements.findIndex(other => !other.fits)
    this.#replacements.splice(Math.max(0, misfit), 1)
  }

  /** The youngest replacement that may be beside the others, one whose id fits if there is any. */
  #takeReplacement(leaving: TableNode): TableNode | null {
    const groups = new Set(this.#nodes.filter(node => node !== leaving).map(node => node.group))
    const free = this.#replacements.filter(node => !groups.has(node.group))
    const chosen = free.findLast(node => node.fits) ?? free.at(-1)
    if (chosen === undefined) return null
    this.#forget(chosen.key)
    return chosen
  }
}
