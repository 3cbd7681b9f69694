// The state of one torrent, owned by torrent.ts and worked on by the torrent-*.ts parts, each with its own job.
// Holds data and small reads of it, no decisions. Everything happens on one thread: a part may read what another wrote.

import { AppError } from '../../base/errors.ts'
import type { InfoHash, InfoHashV2 } from '../../base/ids.ts'
import { ByteSums } from '../../base/byte-sums.ts'
import { BLOCK_BYTES, pieceBytes, type TorrentLengths } from '../../base/lengths.ts'
import type { FileClaims, PieceStore, StoreLayout } from '../../ports/piece-store.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { bytesLeft } from '../pieces/bytes-left.ts'
import { DiskRetries } from '../pieces/disk-retries.ts'
import type { Engine } from './engine.ts'
import type { Ticker } from './tickers.ts'
import { piecePadding, wantedPieces } from '../pieces/file-pieces.ts'
import { OwnFiles } from '../pieces/own-files.ts'
import { KnownPeers } from '../peers/known-peers.ts'
import type { PeerSession } from '../peers/peer-session.ts'
import { PiecePicker } from '../pieces/piece-picker.ts'
import { priorityBands } from '../pieces/piece-ranks.ts'
import { countAndNot, countBits, emptyPieceSet, type PieceSet } from '../../base/piece-set.ts'
import { RateLimiter } from '../../base/rate-limiter.ts'
import { RateMeter } from '../../base/rate-meter.ts'
import { SmartBan } from '../pieces/smart-ban.ts'
import { OpenReaders } from '../streams/open-readers.ts'
import type { PieceOrder, TorrentSpec, TorrentStatus } from '../types.ts'

/** Blocks that a torrent may have asked for and hold while its folders are being made: 4 MiB. */
const AHEAD_BLOCKS = 256
/** Free credits, as part of all, that such a torrent leaves to others. */
const AHEAD_LEAVES_PART = 2

/** Who read a torrent that forgets is waited for so long before its seeds are left. */
const READERS_BACK_MS = 300_000

/** What becomes known with the metadata. */
export interface TorrentContent {
  /** Its files have the names they have on the disk, which change by a move (see StorageMove). */
  metainfo: Metainfo
  readonly lengths: TorrentLengths
  /** Blocks of a full piece: (piece x this + block) names a block. */
  readonly stride: number
  readonly store: PieceStore
  /** Its reads and writes that are tried again. */
  readonly retries: DiskRetries
  /** Whose files lie in its places. */
  readonly own: OwnFiles
  readonly picker: PiecePicker
  /** Pieces that the selected files need. */
  wanted: PieceSet
  /**
   * Of those that are had the ones in files that somebody changed: nobody gets them until they are hashed. Null: none.
   */
  doubted: PieceSet | null
  /** Of those that are had the ones whose bytes are about to go: nobody gets them. Null: none. */
  leaving: PieceSet | null
}

/** The state of one torrent. */
export class TorrentCore {
  readonly engine: Engine
  readonly infoHash: InfoHash
  /** The v2 info hash that the metadata must have; null: none was named. */
  readonly infoHashV2: InfoHashV2 | null
  destination: string
  readonly peers = new Map<string, PeerSession>()
  readonly known = new KnownPeers()
  readonly readers: OpenReaders
  readonly smartBan = new SmartBan()
  readonly down = new RateMeter()
  readonly up = new RateMeter()
  readonly downLimiter: RateLimiter
  readonly upLimiter: RateLimiter
  content: TorrentContent | null = null
  name: string
  selected: readonly number[] | null
  #order: PieceOrder = { filePriorities: new Map(), sequential: false }
  status: TorrentStatus
  errorText = ''
  /** When its state changed last, clock ms; below all others: it goes on as it was before a suspension. */
  sinceMs = Number.NEGATIVE_INFINITY
  /** Peers may be connected. */
  online = false
  /** Pieces may be asked for, written and served: data is checked. */
  working = false
  /** It works while its folders are being made, for readers only: what comes in waits for them in memory. */
  aheadOfFolders = false
  /** Each peer hears of a few pieces only, while everything is there (BEP 16). */
  superSeeding: boolean
  /** Only what readers want is fetched, kept for a while and told to nobody: see read-cache.ts. */
  forgets: boolean
  /** What the user wants of that: counts when the pieces that are on their way out have gone, or were kept. */
  toForget: boolean
  /** Bytes that it had and dropped, since the start. */
  forgottenBytes = 0
  /** Files of others that are in the way are written over: the user says so. */
  overwrite: boolean
  /** Progress of the present check, 0 to 1. */
  checkProgress = 0
  /** Payload of all time. */
  readonly total = new ByteSums()
  /** Payload since start-up. */
  readonly session = new ByteSums()

  /** Calls the parts that wait for time, while there is something to watch: set when all parts are made. */
  ticker: Ticker | null = null
  /** Connections in a row that opened and ended in the handshake, under a mode that has no other kind to try. */
  refusedHandshakes = 0

  constructor(engine: Engine, spec: TorrentSpec) {
    this.engine = engine
    this.readers = new OpenReaders(engine.clock.now())
    this.infoHash = spec.infoHash
    this.infoHashV2 = spec.infoHashV2 ?? null
    this.destination = spec.destination
    this.name = spec.name
    this.selected = spec.selectedFiles
    this.total.down = spec.totalDown
    this.total.up = spec.totalUp
    this.status = 'stopped'
    this.superSeeding = spec.controls?.superSeeding === true
    this.forgets = this.toForget = spec.controls?.forgets === true
    this.overwrite = spec.controls?.overwrite === true
    this.downLimiter = new RateLimiter(0, engine.shared.downLimiter)
    this.upLimiter = new RateLimiter(0, engine.shared.upLimiter)
  }

  /** The mode of encryption that keeps peers away, as far as it is seen. */
  get encryptionTrouble(): 'require' | 'off' | null {
    const { mode } = this.engine.connections.encryption.settings
    if (this.peers.size > 0 || this.refusedHandshakes === 0) return null
    return mode === 'require' || mode === 'off' ? mode : null
  }

  /** There may be something to watch: its parts are called until there is not. */
  activate(): void {
    if (this.ticker !== null) this.engine.tickers.activate(this.ticker)
  }

  now(): number {
    return this.engine.clock.now()
  }

  /** Every selected piece is there, and is to stay. */
  get complete(): boolean {
    const content = this.content
    return !this.forgets && content !== null && countAndNot(content.wanted.buffer, content.picker.have.buffer) === 0
  }

  /** BEP 21: it wants nothing, and others can get from it only a part. */
  get isPartialSeed(): boolean {
    const { content, complete } = this
    return complete && content !== null && content.picker.haveCount < content.lengths.pieceCount
  }

  /** Something is to be fetched now. */
  get needsPieces(): boolean {
    return this.working && this.content !== null && this.content.picker.needCount > 0
  }

  /**
   * Blocks that may be asked for now, as far as its own files let them come in (many where there are folders), and
   * films that are played beside it.
   */
  get blockRoom(): number {
    const { turns } = this.engine.shared
    if (turns.active && turns.makesWay(this.infoHash, this.down.rate(this.now()), this.now())) return 0
    if (!this.aheadOfFolders || this.content === null) return Number.POSITIVE_INFINITY
    const { budget } = this.engine.shared
    const spare = budget.free - Math.ceil(budget.limit / AHEAD_LEAVES_PART)
    return Math.max(0, Math.min(spare, AHEAD_BLOCKS - this.content.picker.openBlocks))
  }

  /**
   * Nothing is to be fetched, neither for the selection nor for a reader of another file. One that forgets is content
   * when nobody has read it for a while: players come back after short pauses.
   */
  get satisfied(): boolean {
    if (this.content?.picker.needCount !== 0) return false
    return this.forgets ? this.readers.open === 0 && this.now() - this.readers.leftMs > READERS_BACK_MS : this.complete
  }

  isSeed(peer: PeerSession): boolean {
    const content = this.content
    if (content === null) return peer.early?.bits === 'all'
    return content.picker.peerCount(peer.key) === content.lengths.pieceCount
  }

  /** Sets up what the metadata brings: store, picker, wanted pieces. Nothing is had yet. */
  setContent(metainfo: Metainfo): TorrentContent {
    const { totalLength, pieceLength, pieceCount } = metainfo
    const padding = piecePadding(metainfo, metainfo.files)
    const lengths = { totalLength, pieceLength, pieceCount, padding }
    const stride = Math.ceil(pieceLength / BLOCK_BYTES)
    const picker = new PiecePicker(lengths, this.engine.random, maxOpenPieces(this.engine.shared.budget.limit, stride))
    const own = this.#ownFiles(metainfo, lengths, picker)
    const retries = new DiskRetries(this.engine.clock)
    const store = retries.patient(this.engine.deps.stores.open(layoutOf(this.destination, metainfo, own)))
    this.name = metainfo.name
    this.content = {
      metainfo,
      lengths,
      stride,
      store,
      retries,
      own,
      picker,
      wanted: emptyPieceSet(pieceCount),
      doubted: null,
      leaving: null,
    }
    // A selection made before the metadata was known may name files that do not exist.
    const count = metainfo.files.length
    this.setSelected(this.selected?.filter(index => Number.isInteger(index) && index >= 0 && index < count) ?? null)
    return this.content
  }

  #ownFiles({ files }: Metainfo, lengths: TorrentLengths, picker: PiecePicker): OwnFiles {
    const { infoHash } = this
    const { journal, events } = this.engine.deps
    return new OwnFiles({
      infoHash,
      lengths,
      files,
      journal,
      have: () => picker.have,
      overwrites: () => this.overwrite,
      setAside: (path, kept) => events.fileSetAside?.(infoHash, path, kept),
    })
  }

  /** Changes the selection; answers open pieces that nobody needs any more. Throws AppError InvalidParameter. */
  setSelected(files: readonly number[] | null): number[] {
    const content = this.content
    if (content !== null && files !== null) checkIndexes(files, content.metainfo.files.length)
    this.selected = files
    if (content === null) return []
    content.wanted = wantedPieces(content.lengths, content.metainfo.files, files)
    this.#rank(content)
    return content.picker.setWanted(content.wanted)
  }

  /** Changes which pieces come first. */
  setOrder(order: PieceOrder): void {
    this.#order = order
    if (this.content !== null) this.#rank(this.content)
  }

  #rank({ lengths, metainfo, picker }: TorrentContent): void {
    const { filePriorities, sequential } = this.#order
    picker.setRanks(priorityBands(lengths, metainfo.files, this.selected, filePriorities), sequential)
  }

  /** Bytes of the wanted pieces that are not there. One that forgets never counts as one that has all. */
  bytesLeft(): number {
    const content = this.content
    if (content === null) return 0
    const left = bytesLeft(content.lengths, content.wanted, content.picker.have)
    return this.forgets ? Math.max(left, pieceBytes(content.lengths, 0)) : left
  }

  /** Bytes of the torrent that are not there, wanted or not. */
  bytesMissing(): number {
    const content = this.content
    if (content === null) return 0
    const { lengths, picker } = content
    const last = lengths.pieceCount - 1
    const short = picker.have.get(last) ? 0 : lengths.pieceLength - pieceBytes(lengths, last)
    return (lengths.pieceCount - picker.haveCount) * lengths.pieceLength - short
  }

  /** Share of the wanted pieces that is there, 0 to 1. */
  wantedProgress(): number {
    const content = this.content
    if (content === null) return 0
    const wanted = countBits(content.wanted.buffer)
    if (wanted === 0) return 1
    return 1 - countAndNot(content.wanted.buffer, content.picker.have.buffer) / wanted
  }
}

/** What a store of the torrent's files is made from. */
export function layoutOf(destination: string, metainfo: Metainfo, claims?: FileClaims): StoreLayout {
  const { infoHash: key, files, totalLength, pieceLength, pieceCount, pieceHashes, v2 } = metainfo
  const layout = { key, destination, files, totalLength, pieceLength, pieceCount, pieceHashes, v2 }
  return claims === undefined ? layout : { ...layout, claims }
}

/** Throws AppError InvalidParameter unless every index names one of `count` files. */
function checkIndexes(files: readonly number[], count: number): void {
  for (const index of files) {
    if (!Number.isInteger(index) || index < 0 || index >= count) {
      throw new AppError('InvalidParameter', `There is no file with the index ${index}.`)
    }
  }
}

/** Pieces in progress at once: as many as half of the block budget holds, so that the other half can be on its way. */
function maxOpenPieces(budget: number, stride: number): number {
  return Math.max(4, Math.floor(budget / 2 / stride))
}
