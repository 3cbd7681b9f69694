// Answers peers' requests for hashes (BEP 52): those of the piece layer, from the metainfo, and leaf hashes, computed
// from the bytes on disk. One request of a torrent is worked on at a time, in turns of the event loop; each gets an
// answer. Invariants: the queue is bounded, in all and for each peer; what goes out leads to the file's root.

import { isSubtree, MAX_HASHES, uncleCount } from '../../wire/metainfo/hash-proof.ts'
import { HASH_BYTES, hashText, layersAbove, rootOf, sameHash } from '../../wire/metainfo/merkle.ts'
import { MerkleNodes } from '../../wire/metainfo/merkle-nodes.ts'
import { encodeHashes, encodeHashReject, type HashRange } from '../../wire/peer/messages.ts'
import { layerOf, pieceLayerOf, type PieceTree, pieceTree, treeHeight } from '../../wire/metainfo/piece-layers.ts'
import { runStepsInTurns, type Steps } from '../../wire/steps.ts'
import type { V2Content, V2File } from '../../wire/metainfo/torrent-types.ts'

/** Requests waiting, and of one peer: as many as a peer of ours would send, and some more. */
const MAX_QUEUE = 64
const MAX_QUEUE_PER_PEER = 16
/** Pieces whose leaf hashes are kept: the ranges of a piece come one after the other. */
const KEPT_PIECES = 8
/** Most leaf hashes of one request, for the largest piece there is (libtorrent asks for whole pieces). */
const MAX_LEAVES = 8192

/** A peer that asks. */
export interface HashAsker {
  readonly key: string
  send(bytes: Uint8Array): void
}

/** What is served. */
export interface HashSource {
  readonly v2: V2Content
  readonly pieceLength: number
  /** We have the piece. */
  has(piece: number): boolean
  /** Leaf hashes of what is on disk of it, null when there is nothing. */
  leaves(piece: number): Promise<Uint8Array | null>
  /** A turn of the event loop. */
  turn(): Promise<unknown>
}

interface Waiting {
  readonly peer: HashAsker
  readonly range: HashRange
}

/** The serving side of one torrent. */
export class HashServe {
  readonly #source: HashSource
  readonly #pieceLayer: number
  readonly #byRoot: ReadonlyMap<string, V2File>
  readonly #layers = new Map<V2File, MerkleNodes>()
  readonly #leaves = new Map<number, Uint8Array>()
  #queue: Waiting[] = []
  #working = false

  constructor(source: HashSource) {
    this.#source = source
    this.#pieceLayer = pieceLayerOf(source.pieceLength)
    this.#byRoot = new Map(source.v2.files.map(file => [hashText(file.root), file]))
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#queue.length
  }

  /** A request came; the view in it is not kept. Answers false when it was refused at once. */
  request(peer: HashAsker, range: HashRange): boolean {
    const file = this.#byRoot.get(hashText(range.root))
    const mine = this.#queue.reduce((count, waiting) => count + (waiting.peer.key === peer.key ? 1 : 0), 0)
    const room = this.#queue.length < MAX_QUEUE && mine < MAX_QUEUE_PER_PEER
    if (file === undefined || !room || !this.#canServe(file, range)) {
      peer.send(encodeHashReject(range))
      return false
    }
    this.#queue.push({ peer, range: { ...range, root: file.root } })
    if (!this.#working) void this.#work()
    return true
  }

  /** Nothing more goes to this peer. */
  peerGone(key: string): void {
    this.#queue = this.#queue.filter(waiting => waiting.peer.key !== key)
  }

  /** Pieces were lost or are checked again: leaf hashes must be computed again. */
  forget(): void {
    this.#leaves.clear()
  }

  /** Whether the file has such nodes, and we may have them. */
  #canServe(file: V2File, range: HashRange): boolean {
    const { baseLayer, index, count, proofLayers } = range
    const height = treeHeight(file.length)
    if (!isSubtree(range) || baseLayer >= height || proofLayers >= height - baseLayer) return false
    if (index + count > 2 ** (height - baseLayer)) return false
    if (baseLayer === this.#pieceLayer && file.pieceCount > 1) return count <= MAX_HASHES && this.#knowsLayer(file)
    if (baseLayer !== 0 || count > MAX_LEAVES || !(file.pieceCount === 1 || this.#knowsLayer(file))) return false
    const pieces = this.#piecesOf(file, range)
    // Several pieces for one request only where they are small.
    return (pieces.length === 1 || count <= MAX_HASHES) && pieces.every(piece => this.#source.has(piece))
  }

  #knowsLayer(file: V2File): boolean {
    return pieceTree(this.#source.v2, this.#source.pieceLength, file.firstPiece) !== null
  }

  /** The pieces with content that the leaves of a range lie in. */
  #piecesOf(file: V2File, { index, count }: HashRange): number[] {
    const width = 2 ** this.#pieceLayer
    const first = Math.floor(index / width)
    const last = Math.min(file.pieceCount - 1, Math.floor((index + count - 1) / width))
    const pieces: number[] = []
    for (let piece = first; piece <= last; piece++) pieces.push(file.firstPiece + piece)
    // Nothing but padding: the leaves are known, their uncles come from the last piece.
    return pieces.length > 0 ? pieces : [file.firstPiece + file.pieceCount - 1]
  }

  async #work(): Promise<void> {
    this.#working = true
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const { peer, range } = next
      const hashes = await this.#answer(range).catch(() => null)
      peer.send(hashes === null ? encodeHashReject(range) : encodeHashes(range, hashes))
    }
    this.#working = false
  }

  /** The hashes of a range and their uncles; null when the disk does not have what we thought. */
  async #answer(range: HashRange): Promise<Uint8Array | null> {
    const file = this.#byRoot.get(hashText(range.root))
    if (file === undefined) return null
    const below = new Map<number, MerkleNodes>()
    if (range.baseLayer !== this.#pieceLayer || file.pieceCount === 1) {
      for (const piece of this.#piecesOf(file, range)) {
        const leaves = await this.#leavesOf(piece)
        if (leaves === null) return null
        below.set(piece - file.firstPiece, new MerkleNodes(leaves, 0))
      }
    }
    return runStepsInTurns(this.#collect(file, range, below), () => this.#source.turn())
  }

  *#collect(file: V2File, range: HashRange, below: ReadonlyMap<number, MerkleNodes>): Steps<Uint8Array> {
    const { baseLayer, index, count } = range
    const uncles = uncleCount(range)
    const hashes = new Uint8Array((count + uncles) * HASH_BYTES)
    for (let i = 0; i < count; i++) hashes.set(yield* this.#node(file, baseLayer, index + i, below), i * HASH_BYTES)
    const up = layersAbove(count)
    for (let i = 0; i < uncles; i++) {
      const layer = up + i
      const at = Math.floor(index / 2 ** layer)
      const sibling = at % 2 === 0 ? at + 1 : at - 1
      hashes.set(yield* this.#node(file, baseLayer + layer, sibling, below), (count + i) * HASH_BYTES)
    }
    return hashes
  }

  /** Node `index` of `layer` of the file's tree, from leaf hashes of its piece or from the piece layer. */
  *#node(file: V2File, layer: number, index: number, below: ReadonlyMap<number, MerkleNodes>): Steps<Uint8Array> {
    if (file.pieceCount > 1 && layer >= this.#pieceLayer) {
      return yield* this.#layerNodes(file).node(layer - this.#pieceLayer, index)
    }
    // A file of one piece has one tree; in others every piece has its own, as wide as a piece.
    const width = file.pieceCount === 1 ? Infinity : 2 ** (this.#pieceLayer - layer)
    const piece = width === Infinity ? 0 : Math.floor(index / width)
    const inPiece = width === Infinity ? index : index % width
    const nodes = below.get(piece) ?? new MerkleNodes(new Uint8Array(0), 0)
    return yield* nodes.node(layer, inPiece)
  }

  #layerNodes(file: V2File): MerkleNodes {
    let nodes = this.#layers.get(file)
    if (nodes === undefined) {
      nodes = new MerkleNodes(layerOf(this.#source.v2, file), this.#pieceLayer)
      this.#layers.set(file, nodes)
    }
    return nodes
  }

  /** Leaf hashes that the piece's hash vouches for. */
  async #leavesOf(piece: number): Promise<Uint8Array | null> {
    const { v2, pieceLength } = this.#source
    const kept = this.#leaves.get(piece)
    if (kept !== undefined) return kept
    const tree = pieceTree(v2, pieceLength, piece)
    const leaves = await this.#source.leaves(piece)
    if (leaves === null || tree === null || !this.#leads(leaves, tree)) return null
    for (const oldest of this.#leaves.keys()) {
      if (this.#leaves.size < KEPT_PIECES) break
      this.#leaves.delete(oldest)
    }
    this.#leaves.set(piece, leaves)
    return leaves
  }

  #leads(leaves: Uint8Array, tree: PieceTree): boolean {
    return sameHash(rootOf(leaves, 0, tree.height), tree.root)
  }
}
