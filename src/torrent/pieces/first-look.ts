// Whether files that are there belong to a torrent that has not noted them as its own, seen from their sizes and from
// what hashing said of their pieces. A file is foreign when it is longer than the torrent says, or when at least one
// piece that lies wholly in it holds data and none of all its pieces is right (decision 0460). Pure.

import { pieceBytes, piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'
import type { FileFacts, FoundFile, PieceVerdict } from '../../ports/piece-store.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { type PieceSet, setRange } from '../../base/piece-set.ts'

/** A file that is looked at. */
interface Stranger {
  readonly file: TorrentFile
  readonly longer: boolean
  /** There, without a byte. */
  readonly empty: boolean
  /** Pieces that hold bytes of no other file; `first` is above `last` when there is none. */
  readonly first: number
  readonly last: number
  fits: boolean
  /** A piece of its own holds other data than zeros, and is not right. */
  differs: boolean
}

/** One look at the files of a torrent. */
export class FirstLook {
  /** In the order of the torrent. */
  readonly #strangers: readonly Stranger[]
  readonly #lengths: TorrentLengths

  /** `isOwn`: noted as the torrent's. */
  constructor(
    lengths: TorrentLengths,
    files: readonly TorrentFile[],
    facts: readonly FileFacts[],
    isOwn: (index: number) => boolean,
  ) {
    this.#lengths = lengths
    this.#strangers = strangersOf(lengths, files, facts, isOwn)
  }

  /** Nothing is there that is not the torrent's. */
  get isEmpty(): boolean {
    return this.#strangers.length === 0
  }

  /** Adds to `check` what must be hashed for it; a file with a piece in `have` fits. */
  plan(have: PieceSet, check: PieceSet): void {
    for (const stranger of this.#strangers) {
      const { file, longer, empty } = stranger
      if (file.length === 0 || empty) continue
      const [first, last] = piecesOfRange(this.#lengths, file.offset, file.length)
      for (let piece = first; piece <= last && !stranger.fits; piece += 1) stranger.fits = have.get(piece)
      if (!stranger.fits && !longer) setRange(check, first, last, true)
    }
  }

  /** What hashing said of a piece. */
  take(piece: number, verdict: PieceVerdict): void {
    if (verdict === 'missing' || verdict === 'zeros') return
    const { pieceLength } = this.#lengths
    const end = piece * pieceLength + pieceBytes(this.#lengths, piece)
    for (let at = this.#behind(piece * pieceLength); at < this.#strangers.length; at += 1) {
      const stranger = this.#strangers[at] as Stranger
      if (stranger.file.offset >= end) return
      if (verdict === 'ok') stranger.fits = true
      else if (piece >= stranger.first && piece <= stranger.last) stranger.differs = true
    }
  }

  /** What is known of each file by now. */
  found(): Map<number, FoundFile> {
    return new Map(this.#strangers.map(stranger => [stranger.file.index, this.#verdictOn(stranger)]))
  }

  /** Why a file is foreign, for people. */
  whyForeign(index: number): string {
    const stranger = this.#strangers.find(({ file }) => file.index === index)
    return stranger?.longer === true ? 'it is longer than the torrent says' : 'nothing in it fits'
  }

  #verdictOn({ file, longer, fits, differs, first, last }: Stranger): FoundFile {
    if (longer) return 'foreign'
    if (fits) return 'fits'
    if (differs) return 'foreign'
    // Pieces of its own hold zeros, or are not there: only what it shares with others may hold anything.
    const { pieceLength } = this.#lengths
    if (first > last) return { from: file.length, to: file.length }
    const from = Math.max(0, first * pieceLength - file.offset)
    return { from, to: Math.max(from, Math.min(file.length, (last + 1) * pieceLength - file.offset)) }
  }

  /** The first that ends behind `offset`. */
  #behind(offset: number): number {
    let low = 0
    let high = this.#strangers.length
    while (low < high) {
      const middle = (low + high) >> 1
      const { file } = this.#strangers[middle] as Stranger
      if (file.offset + file.length <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

function strangersOf(
  lengths: TorrentLengths,
  files: readonly TorrentFile[],
  facts: readonly FileFacts[],
  isOwn: (index: number) => boolean,
): Stranger[] {
  const strangers: Stranger[] = []
  let before: TorrentFile | undefined
  /** The one whose next neighbour is not known yet. */
  let open: { file: TorrentFile; before: TorrentFile | undefined; sizeBytes: number } | null = null
  const close = (after: TorrentFile | undefined): void => {
    if (open !== null) strangers.push(strangerOf(lengths, open.file, [open.before, after], open.sizeBytes))
    open = null
  }
  // One pass: there may be 200,000 files.
  for (const file of files) {
    if (file.padding) continue
    const { exists = false, sizeBytes = 0 } = facts[file.index] ?? {}
    const isStranger = exists && !isOwn(file.index)
    if (file.length === 0) {
      if (isStranger && sizeBytes > 0) strangers.push(strangerOf(lengths, file, [undefined, undefined], sizeBytes))
      continue
    }
    close(file)
    if (isStranger) open = { file, before, sizeBytes }
    before = file
  }
  close(undefined)
  return strangers.sort((a, b) => a.file.offset - b.file.offset || a.file.length - b.file.length)
}

function strangerOf(
  lengths: TorrentLengths,
  file: TorrentFile,
  [before, after]: readonly [TorrentFile | undefined, TorrentFile | undefined],
  sizeBytes: number,
): Stranger {
  const [first, last] = file.length === 0 ? [1, 0] : ownPieces(lengths, file, before, after)
  const [longer, empty] = [sizeBytes > file.length, sizeBytes === 0]
  return { file, longer, empty, first, last, fits: false, differs: false }
}

/** The pieces of a file that hold nothing of the files around it; padding is of no file. */
function ownPieces(
  lengths: TorrentLengths,
  file: TorrentFile,
  before: TorrentFile | undefined,
  after: TorrentFile | undefined,
): [first: number, last: number] {
  let [first, last] = piecesOfRange(lengths, file.offset, file.length)
  if (before !== undefined && before.offset + before.length > first * lengths.pieceLength) first += 1
  if (after !== undefined && after.offset < last * lengths.pieceLength + pieceBytes(lengths, last)) last -= 1
  return [first, last]
}
