// Fetches hashes from peers (BEP 52): the piece layers that a magnet's info dictionary lacks, and the leaf hashes of
// pieces that failed, which tell the bad blocks from the good ones. Pure bookkeeping: it is handed peers, messages and
// the time. Invariants: nothing counts that its root does not prove; a request is open at one peer at most; everything
// is bounded by the number of pieces.

import { DecodeError } from '../../base/errors.ts'
import { MAX_HASHES, provesRange } from '../../wire/metainfo/hash-proof.ts'
import { HASH_BYTES, hashText, layersAbove, leafCount } from '../../wire/metainfo/merkle.ts'
import type { HashRange } from '../../wire/peer/messages.ts'
import { fileOfPiece, missingLayers, pieceLayerOf, pieceTree } from '../../wire/metainfo/piece-layers.ts'
import type { V2Content, V2File } from '../../wire/metainfo/torrent-types.ts'

/** A request without an answer for this long is given to another peer. */
const TIMEOUT_MS = 10_000
/** A peer that refused or fell silent is not asked again for this long. */
const PAUSE_MS = 15_000
/** Requests open at one peer. */
const PER_PEER = 4
/** Pieces whose leaf hashes are looked for at a time; more failed pieces go without. */
const MAX_LEAF_PIECES = 8
/** Peers asked for a range of leaf hashes: they are of use for a while only. */
const MAX_LEAF_TRIES = 10

/** A peer that may be asked. */
export interface HashPeer {
  readonly key: string
  ask(range: HashRange): void
}

/** What this part tells others. */
export interface HashFetchHooks {
  /** All piece layers are known: the hash of every piece (V2Content.pieceRoots). Once. */
  layersKnown(pieceRoots: Uint8Array): void
  /** The true leaf hashes of a piece, 32 bytes a leaf. */
  leavesKnown(piece: number, leaves: Uint8Array): void
  /** The peer sent hashes that their root does not prove. */
  guilty(key: string): void
}

/** A range that is needed. */
interface Want {
  readonly id: string
  readonly range: HashRange
  /** The node that proves the answer. */
  readonly target: Uint8Array
  /** The proved hashes of the range. */
  take(hashes: Uint8Array): void
  /** The piece that these are leaf hashes of; null for a piece layer. */
  readonly piece: number | null
  /** Peers that may still be asked for it. */
  tries: number
}

interface Asked {
  readonly want: Want
  readonly peer: string
  readonly atMs: number
}

interface WantedLeaves {
  readonly leaves: Uint8Array
  /** Ranges still to come. */
  left: number
}

/** The fetching of one torrent's hashes. */
export class HashFetch {
  readonly #v2: V2Content
  readonly #pieceLength: number
  readonly #hooks: HashFetchHooks
  readonly #pieceRoots: Uint8Array
  /** Files without a layer by their root: equal files share it. */
  readonly #sameRoot = new Map<string, V2File[]>()
  /** Made one by one: a torrent may lack very many. */
  readonly #layers: Generator<Want, void>
  /** Ranges to ask for before those of #layers. */
  #again: Want[] = []
  readonly #asked = new Map<string, Asked>()
  readonly #leaves = new Map<number, WantedLeaves>()
  readonly #pausedUntil = new Map<string, number>()
  /** Answers that may still come although they are no longer waited for, by peer. */
  readonly #late = new Map<string, number>()
  #layersLeft = 0

  constructor(v2: V2Content, pieceLength: number, hooks: HashFetchHooks) {
    this.#pieceRoots = new Uint8Array(v2.pieceRoots)
    // What is learned about layers counts for leaf hashes too.
    this.#v2 = { ...v2, pieceRoots: this.#pieceRoots }
    this.#pieceLength = pieceLength
    this.#hooks = hooks
    for (const file of missingLayers(v2)) {
      const same = this.#sameRoot.get(hashText(file.root))
      if (same !== undefined) {
        same.push(file)
        continue
      }
      this.#sameRoot.set(hashText(file.root), [file])
      this.#layersLeft += Math.ceil(file.pieceCount / MAX_HASHES)
    }
    this.#layers = this.#layerWants()
  }

  /** Every piece layer is known. */
  get complete(): boolean {
    return this.#layersLeft === 0
  }

  /** Something did not come yet. */
  get busy(): boolean {
    return !this.complete || this.#leaves.size > 0
  }

  /** Asks `peer` for what it may be asked for now. */
  ask(peer: HashPeer, nowMs: number): void {
    if ((this.#pausedUntil.get(peer.key) ?? 0) > nowMs) return
    let open = 0
    for (const asked of this.#asked.values()) if (asked.peer === peer.key) open += 1
    for (; open < PER_PEER; open += 1) {
      const want = this.#next()
      if (want === null) return
      this.#asked.set(want.id, { want, peer: peer.key, atMs: nowMs })
      peer.ask(want.range)
    }
  }

  /** An answer came; the views in it are not kept. Throws DecodeError when it was not asked for. */
  hashes(key: string, range: HashRange, hashes: Uint8Array): void {
    const want = this.#answered(key, range)
    if (want === null) return
    if (provesRange(want.range, hashes, want.target))
      return want.take(hashes.subarray(0, want.range.count * HASH_BYTES))
    this.#again.push(want)
    this.#hooks.guilty(key)
  }

  /** A peer refuses a range. Throws DecodeError when it was not asked for it. */
  rejected(key: string, range: HashRange, nowMs: number): void {
    const want = this.#answered(key, range)
    if (want === null) return
    this.#retry(want)
    this.#pausedUntil.set(key, nowMs + PAUSE_MS)
  }

  /**
   * The leaf hashes of a piece would be of use: the senders of its blocks are known. Does nothing where there are too
   * many already.
   */
  wantLeaves(piece: number): void {
    const file = fileOfPiece(this.#v2, piece)
    const tree = pieceTree(this.#v2, this.#pieceLength, piece)
    if (file === null || tree === null || tree.height === 0) return
    if (this.#leaves.has(piece) || this.#leaves.size >= MAX_LEAF_PIECES) return
    // What was wanted of the piece before, and is not any more.
    for (const { want } of this.#asked.values()) if (want.piece === piece) return
    this.#again = this.#again.filter(want => want.piece !== piece)
    const count = leafCount(tree.length)
    const width = Math.min(MAX_HASHES, 2 ** tree.height)
    const wanted: WantedLeaves = { leaves: new Uint8Array(count * HASH_BYTES), left: Math.ceil(count / width) }
    this.#leaves.set(piece, wanted)
    const firstLeaf = (piece - file.firstPiece) * 2 ** pieceLayerOf(this.#pieceLength)
    for (let at = 0; at < count; at += width) {
      const index = firstLeaf + at
      const range = { root: file.root, baseLayer: 0, index, count: width, proofLayers: tree.height - 1 }
      const take = (hashes: Uint8Array): void => this.#takeLeaves(piece, wanted, at, hashes)
      // The hash of the piece is known, so that its proof ends there.
      this.#again.push({
        id: idOf(range),
        range,
        target: new Uint8Array(tree.root),
        take,
        piece,
        tries: MAX_LEAF_TRIES,
      })
    }
  }

  /** The piece is right now: its leaf hashes are of no use any more. */
  forgetLeaves(piece: number): void {
    this.#leaves.delete(piece)
  }

  peerGone(key: string): void {
    this.#pausedUntil.delete(key)
    this.#late.delete(key)
    for (const [id, { want, peer }] of this.#asked) {
      if (peer !== key) continue
      this.#asked.delete(id)
      this.#retry(want)
    }
  }

  /** Once a second: requests that stay without an answer are given up. */
  tick(nowMs: number): void {
    for (const [id, { want, peer, atMs }] of this.#asked) {
      if (nowMs - atMs < TIMEOUT_MS) continue
      this.#asked.delete(id)
      this.#retry(want)
      this.#late.set(peer, (this.#late.get(peer) ?? 0) + 1)
      this.#pausedUntil.set(peer, nowMs + PAUSE_MS)
    }
  }

  #next(): Want | null {
    for (let want = this.#again.pop(); want !== undefined; want = this.#again.pop()) {
      // Leaf hashes may have lost their use meanwhile.
      if (want.piece === null || this.#leaves.has(want.piece)) return want
    }
    const layer = this.#layers.next()
    return layer.done === true ? null : layer.value
  }

  #retry(want: Want): void {
    want.tries -= 1
    if (want.tries > 0) this.#again.push(want)
    else if (want.piece !== null) this.#leaves.delete(want.piece)
  }

  /** The want that this is the answer to; null for one that comes too late. */
  #answered(key: string, range: HashRange): Want | null {
    const id = idOf(range)
    const asked = this.#asked.get(id)
    if (asked !== undefined && asked.peer === key && asked.want.range.proofLayers === range.proofLayers) {
      this.#asked.delete(id)
      return asked.want
    }
    const late = this.#late.get(key) ?? 0
    if (late === 0) throw new DecodeError('an answer on hashes nobody asked for')
    this.#late.set(key, late - 1)
    return null
  }

  *#layerWants(): Generator<Want, void> {
    const baseLayer = pieceLayerOf(this.#pieceLength)
    for (const files of this.#sameRoot.values()) {
      const { root, pieceCount } = files[0] as V2File
      const proofLayers = layersAbove(pieceCount) - 1
      for (let index = 0; index < pieceCount; index += MAX_HASHES) {
        const count = Math.max(2, Math.min(MAX_HASHES, 2 ** layersAbove(pieceCount - index)))
        const range = { root, baseLayer, index, count, proofLayers }
        const take = (hashes: Uint8Array): void => this.#takeLayer(files, index, hashes)
        yield { id: idOf(range), range, target: root, take, piece: null, tries: Infinity }
      }
    }
  }

  #takeLayer(files: readonly V2File[], index: number, hashes: Uint8Array): void {
    for (const { firstPiece, pieceCount } of files) {
      // What is beyond the last piece is padding.
      const known = hashes.subarray(0, (pieceCount - index) * HASH_BYTES)
      this.#pieceRoots.set(known, (firstPiece + index) * HASH_BYTES)
    }
    this.#layersLeft -= 1
    if (this.#layersLeft === 0) this.#hooks.layersKnown(this.#pieceRoots)
  }

  #takeLeaves(piece: number, wanted: WantedLeaves, at: number, hashes: Uint8Array): void {
    wanted.leaves.set(hashes.subarray(0, wanted.leaves.length - at * HASH_BYTES), at * HASH_BYTES)
    wanted.left -= 1
    if (wanted.left > 0 || this.#leaves.get(piece) !== wanted) return
    this.#leaves.delete(piece)
    this.#hooks.leavesKnown(piece, wanted.leaves)
  }
}

function idOf({ root, baseLayer, index, count }: HashRange): string {
  return `${hashText(root)} ${baseLayer} ${index} ${count}`
}
