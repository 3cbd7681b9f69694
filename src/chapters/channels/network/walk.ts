// Finds the ids in which the set under a signed head differs from the set that is held: goes down the tree where hashes
// differ. Every node is checked against what its parent says of it, the root against the head, so that any holder can
// serve any part and a lie costs one question. It ends: counts add up at every node, and the number of changes is
// bounded.

import { sameBytes } from '../../../base/same-bytes.ts'
import { DecodeError } from '../../../base/errors.ts'
import type { Overlay, Peer } from '../../overlay/core/index.ts'
import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { Random } from '../../../ports/random.ts'
import { decodeTreeNode, isNodeOf } from '../wire/tree.ts'
import type { ChannelHead, RecordId, TreeNode } from '../wire/types.ts'
import { MAX_ASKED_NODES } from '../wire/channel-messages.ts'
import type { ChannelRequestClient } from './request-client.ts'
import { choosePeer } from './choice.ts'
import type { Holders } from './holders.ts'
import { MAX_WALK_IDS } from './limits.ts'
import { questionForTree } from './questions.ts'
import { chunksOf, inParallel } from '../../../base/bounded-parallel.ts'

/** Questions of a walk, and of a fetch, that are out at a time. */
const WALK_PARALLEL = 8

/** What it works with. */
export interface WalkDeps {
  readonly overlay: Overlay
  readonly random: Random
  readonly catalogue: ChannelCatalogue
  readonly requests: ChannelRequestClient
  readonly holders: Holders
}

/** The ids in which two sets differ. */
export interface Difference {
  readonly added: RecordId[]
  readonly removed: RecordId[]
}

/** A subtree that has to be looked at. */
interface Place {
  readonly prefix: string
  readonly count: number
  readonly hash: Uint8Array
  /** Our ids there, where a leaf of ours is further up; null: our tree is asked. */
  readonly ours: readonly RecordId[] | null
}

/** Why a walk ended without a difference. */
export class WalkFailed extends Error {}

/** The difference. Rejects with WalkFailed when no holder gave what is needed, and with errors of the catalogue. */
export async function walkTree(head: ChannelHead, holdsSome: boolean, deps: WalkDeps): Promise<Difference> {
  const walk = new Walk(head, deps)
  let places: readonly Place[] = [{ prefix: '', count: head.records, hash: head.root, ours: holdsSome ? null : [] }]
  while (places.length > 0) places = await walk.level(places)
  return walk.found
}

class Walk {
  readonly found: Difference = { added: [], removed: [] }
  readonly #head: ChannelHead
  readonly #deps: WalkDeps
  #next: Place[] = []

  constructor(head: ChannelHead, deps: WalkDeps) {
    this.#head = head
    this.#deps = deps
  }

  /** Looks at these, and answers the places below that differ. */
  async level(places: readonly Place[]): Promise<readonly Place[]> {
    this.#next = []
    await inParallel(chunksOf(places, MAX_ASKED_NODES), WALK_PARALLEL, async some => {
      for (const [place, node] of await this.#fetch(some)) await this.#look(place, node)
      const { added, removed } = this.found
      if (added.length + removed.length > MAX_WALK_IDS) throw new WalkFailed('too much differs')
    })
    return this.#next
  }

  /** The nodes at these places, from any peer that has them. */
  async #fetch(places: readonly Place[]): Promise<Map<Place, TreeNode>> {
    const { channel, sequence } = this.#head
    const { holders, requests, overlay } = this.#deps
    const nodes = new Map<Place, TreeNode>()
    const tried = new Set<Peer>()
    for (;;) {
      const left = places.filter(place => !nodes.has(place))
      if (left.length === 0) return nodes
      const peer = choosePeer(holders.holdersOf(channel, sequence), tried, this.#deps)
      if (peer === null) throw new WalkFailed('nobody gave what is needed')
      const prefixes = left.map(place => place.prefix)
      const answer = await requests.ask(peer, questionForTree(overlay, channel, sequence, prefixes))
      const came = nodes.size
      for (const [at, bytes] of answer.items) this.#check(left[at] as Place, bytes, peer, nodes)
      if (nodes.size === came || holders.isBlamed(peer)) tried.add(peer)
    }
  }

  #check(place: Place, bytes: Uint8Array, peer: Peer, nodes: Map<Place, TreeNode>): void {
    const node = nodeOf(bytes, place)
    if (node === null) this.#deps.holders.blame(peer)
    else nodes.set(place, node)
  }

  async #look(place: Place, node: TreeNode): Promise<void> {
    const { added, removed } = this.found
    const ours = place.ours ?? (await this.#ourNode(place.prefix))
    if (node.kind === 'leaf') {
      const theirs = new Set(node.ids)
      const own = new Set(isIds(ours) ? ours : await this.#idsBelow(ours, place.prefix))
      for (const id of theirs) if (!own.has(id)) added.push(id)
      for (const id of own) if (!theirs.has(id)) removed.push(id)
    } else if (isIds(ours)) this.#descendFromIds(place, node, ours)
    else await this.#descend(place, node, ours)
  }

  /** Both have an inner node there: children that differ, and ours that they do not have. */
  async #descend({ prefix }: Place, node: InnerNode, ours: InnerNode): Promise<void> {
    for (const { digit, count, hash } of node.children) {
      const own = ours.children.find(child => child.digit === digit)
      if (own !== undefined && own.count === count && sameBytes(own.hash, hash)) continue
      this.#next.push({ prefix: prefix + hex(digit), count, hash, ours: own === undefined ? [] : null })
    }
    for (const { digit } of ours.children) {
      if (node.children.some(child => child.digit === digit)) continue
      const below = prefix + hex(digit)
      const own = await this.#ourNode(below)
      for (const id of isIds(own) ? own : await this.#idsBelow(own, below)) this.found.removed.push(id)
    }
  }

  #descendFromIds({ prefix }: Place, node: InnerNode, ours: readonly RecordId[]): void {
    const digits = new Set<string>()
    for (const { digit, count, hash } of node.children) {
      const below = prefix + hex(digit)
      digits.add(hex(digit))
      this.#next.push({ prefix: below, count, hash, ours: ours.filter(id => id.startsWith(below)) })
    }
    this.found.removed.push(...ours.filter(id => !digits.has(id.charAt(prefix.length))))
  }

  /** What we hold there: an inner node, or ids. */
  async #ourNode(prefix: string): Promise<InnerNode | readonly RecordId[]> {
    const node = (await this.#deps.catalogue.treeNode(this.#head.channel, prefix))?.node
    if (node === undefined) return []
    return node.kind === 'leaf' ? node.ids : node
  }

  async #idsBelow(node: InnerNode, prefix: string): Promise<RecordId[]> {
    const ids: RecordId[] = []
    for (const { digit } of node.children) {
      const below = await this.#ourNode(prefix + hex(digit))
      for (const id of isIds(below) ? below : await this.#idsBelow(below, prefix + hex(digit))) ids.push(id)
    }
    return ids
  }
}

type InnerNode = Extract<TreeNode, { kind: 'inner' }>

function isIds(ours: InnerNode | readonly RecordId[]): ours is readonly RecordId[] {
  return Array.isArray(ours)
}

function hex(digit: number): string {
  return digit.toString(16)
}

/** The node that `bytes` are, where it is the one that belongs there; else null. */
function nodeOf(bytes: Uint8Array, place: Place): TreeNode | null {
  try {
    const node = decodeTreeNode(bytes, place.prefix)
    return isNodeOf(node, place) ? node : null
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
