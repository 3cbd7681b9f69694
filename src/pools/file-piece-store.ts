// One torrent's bytes in files. Decides what is hashed, written and read where; the bytes move in the workers (hash and
// write) or in libuv's threads (reads, fdatasync). Invariants: nothing is written for a piece with a wrong hash; a
// descriptor is held exactly as long as its job; exclusive work (close, remove) never meets a job.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../base/errors.ts'
import type { PieceRun } from '../base/piece-run.ts'
import type { CachedReads } from '../io/files/cached-read.ts'
import { diskErrorFrom } from '../io/files/disk-errors.ts'
import type { DiskSpace } from '../io/files/disk-space.ts'
import { dropMoved, type MoveFiles, placeFiles, takeBack } from '../io/files/move-files.ts'
import type { OpenFiles } from '../io/files/open-files.ts'
import { FileNotes } from '../io/files/file-notes.ts'
import { NotedFiles } from '../io/files/noted-files.ts'
import type { OpenedFile } from '../io/files/safe-files.ts'
import { TorrentFolder } from '../io/files/torrent-folder.ts'
import type { VolumeLanes } from '../io/files/volume-lanes.ts'
import type { Arena, Slot } from '../ports/arena.ts'
import type { OwnFiles } from '../ports/own-files.ts'
import type { StoreVolume } from '../ports/volumes.ts'
import type {
  FileChoice,
  FileFacts,
  PieceStore,
  PieceVerdict,
  Punched,
  ReceivedBlock,
  StorageMove,
  StoreLayout,
} from '../ports/piece-store.ts'
import { fileOfPiece } from '../wire/metainfo/piece-layers.ts'
import { runStepsInTurns } from '../wire/steps.ts'
import type { ArenaNumber, PieceJobName, ReplyOf, RequestOf, Span } from './contract/jobs.ts'
import { MAX_JOB_FILES } from './contract/limits.ts'
import { arenaOf, type CommitPlan, commitPlan } from './commit-plan.ts'
import { DirectCommits } from './direct-commit.ts'
import { Fence } from './fence.ts'
import { FirstWrites } from './first-writes.ts'
import { type CheckParts, PieceCheck } from './piece-check.ts'
import { Preparation } from './preparation.ts'
import { rangeOf } from './piece-places.ts'
import { JobFailed } from './pool.ts'
import { type PunchFile, type PunchParts, punchSpans, runSpans } from './punch-spans.ts'
import { firstBytes, runsOf, sliceSegments } from './segments.ts'
import { SpanFiles } from './span-files.ts'
import { type FileSpan, filesOf, groupSpans, spanLength, SpanMap } from './spans.ts'
import type { VolumeJobs } from './volume-jobs.ts'

/** What every store of a node shares. */
export interface StoreParts {
  readonly jobs: Pick<VolumeJobs, 'run' | 'isReady' | 'post'>
  readonly files: OpenFiles
  readonly lanes: VolumeLanes
  /** Bytes that may be on their way to one volume. */
  readonly writingBytes: number
  readonly space: DiskSpace
  /** What a torrent in that folder never touches. */
  readonly own: (destination: string) => OwnFiles | null
  readonly cached: CachedReads
  /** Gives bytes of a file back to the disk; default: by the machine code, where it is there. */
  readonly punch?: PunchFile
  /** The arenas' buffers by ArenaNumber. */
  readonly arenas: readonly SharedArrayBuffer[]
}

/** PieceStore over the files of one torrent. */
export class FilePieceStore implements PieceStore {
  #layout: StoreLayout
  readonly #parts: StoreParts
  #folder: TorrentFolder
  readonly #notes: FileNotes
  /** The folder's files, judged by the notes. */
  #source: NotedFiles
  #spans: SpanMap | null = null
  #spanFiles: SpanFiles
  #firstWrites: FirstWrites
  #direct: DirectCommits
  readonly #fence = new Fence()
  /** Writes at work by piece, so that verify() covers them. */
  readonly #writing = new Map<number, Set<Promise<unknown>>>()
  /** Files written since the last sync(). */
  #dirty = new Set<number>()
  readonly #preparation = new Preparation()
  #volume: StoreVolume

  constructor(layout: StoreLayout, parts: StoreParts) {
    this.#layout = layout
    this.#parts = parts
    this.#folder = new TorrentFolder(layout, parts.lanes, parts.own(layout.destination))
    this.#notes = new FileNotes(
      file => layout.files[file]?.length ?? 0,
      file => this.#folder.pathOf(file),
    )
    this.#source = new NotedFiles(this.#folder, this.#notes)
    this.#spanFiles = new SpanFiles(this.#source, parts.files, parts.lanes)
    this.#firstWrites = new FirstWrites(layout, this.#folder, parts, this.#notes, this.#source)
    this.#direct = this.#directCommits()
    this.#volume = this.#volumeAt(layout.destination)
  }

  get volume(): StoreVolume {
    return this.#volume
  }

  prepare(signal?: AbortSignal): Promise<void> {
    return this.#fence.exclusive(async () => {
      // Descriptors of files that vanished must not live on next to their successors.
      await this.#parts.files.drop(this.#source)
      await this.#preparation.again(() => this.#folder.prepare(signal), signal)
      // What vanished cannot be flushed any more.
      for (const file of this.#dirty) if (!this.#folder.isMade(file)) this.#dirty.delete(file)
      this.#notes.keepOnly(file => this.#folder.isMade(file))
    })
  }

  unshared(indexes: readonly number[]): Promise<number[]> {
    return this.#fence.shared(() => this.#folder.unshared(indexes))
  }

  facts(signal?: AbortSignal): Promise<FileFacts[]> {
    return this.#fence.shared(() => this.#folder.facts(signal))
  }

  keptFacts(signal?: AbortSignal): Promise<FileFacts[]> {
    return this.#fence.shared(async () => {
      const { version } = this.#notes
      return runStepsInTurns(this.#notes.keptInSteps(await this.#folder.facts(signal), version), nextTurn)
    })
  }

  expect(facts: readonly FileFacts[], ownUntilMs: number): void {
    this.#notes.expect(facts, ownUntilMs)
  }

  accept(file: number): void {
    this.#notes.accept(file)
    this.#parts.files.forget(this.#source, file)
  }

  makeReady(piece: number): Promise<void> | null {
    const { offset, length } = rangeOf(this.#layout, piece)
    const spans = this.#map.spans(offset, length, MAX_JOB_FILES)
    const lacking = filesOf(spans).filter(file => !this.#folder.isMade(file))
    if (lacking.length === 0) return null
    return this.#fence.shared(async () => {
      await this.#prepared()
      await this.#firstWrites.makeAhead(lacking)
      await this.#parts.space.reserve(await this.#folder.root(), 0)
      const made = spans.filter(({ file }) => lacking.includes(file) && this.#firstWrites.isDone(file))
      // What is opened stays open for a while.
      await this.#spanFiles.withFiles(made, 'write', () => Promise.resolve())
    })
  }

  commit(piece: number, blocks: readonly ReceivedBlock[], patient = false): Promise<'ok' | 'bad-hash'> {
    return this.#commitNow(piece, blocks, patient) ?? this.#commitInTurn(piece, blocks)
  }

  /** Null when something has to be waited for, or is wrong with the blocks. */
  #commitNow(piece: number, blocks: readonly ReceivedBlock[], patient: boolean): Promise<'ok' | 'bad-hash'> | null {
    if (!this.#preparation.isDone || this.#writing.has(piece) || !this.#direct.open) return null
    let plan: CommitPlan
    try {
      plan = this.#planned(piece, blocks)
    } catch {
      return null
    }
    let noted = (): void => undefined
    const done = this.#direct.start(plan, patient, {
      ended: wrote => {
        if (wrote) this.#markDirty(plan.files)
        noted()
      },
      failure: (error, request) => this.#failureOf(error, request, plan.spans),
    })
    if (done === null) return null
    noted = this.#noteWrite(piece, blocks, done)
    return done
  }

  #commitInTurn(piece: number, blocks: readonly ReceivedBlock[]): Promise<'ok' | 'bad-hash'> {
    return this.#asWrite(piece, blocks, async () => {
      const { spans, files, length, request } = this.#planned(piece, blocks)
      const { arena, segments, hash, tree } = request
      await this.#prepared()
      // Hash first where the write would make or take a file, or needs more descriptors than a job may hold.
      if (files.length > MAX_JOB_FILES || !files.every(file => this.#firstWrites.isDone(file))) {
        const { verdict } = await this.#run('piece.commit', request, [])
        if (verdict === 'ok') await this.#writeSpans(arena, segments, spans)
        return verdict
      }
      await this.#parts.space.reserve(await this.#folder.root(), length)
      const { verdict } = await this.#spanFiles.withFiles(spans, 'write', open =>
        this.#noting(
          spans,
          () => this.#run('piece.commit', { arena, segments, hash, tree, spans: open }, spans),
          reply => reply.verdict === 'ok',
        ),
      )
      if (verdict === 'ok') this.#markDirty(files)
      return verdict
    })
  }

  #planned(piece: number, blocks: readonly ReceivedBlock[]): CommitPlan {
    return commitPlan(this.#layout, this.#map, this.#parts.arenas, piece, blocks)
  }

  writeBlocks(piece: number, blocks: readonly ReceivedBlock[]): Promise<void> {
    return this.#asWrite(piece, blocks, async () => {
      const { offset, length } = rangeOf(this.#layout, piece)
      const arena = arenaOf(this.#parts.arenas, blocks)
      const runs = runsOf(blocks)
      for (const run of runs)
        if (run.begin < 0 || run.begin + run.length > length) throw new RangeError(`blocks outside piece ${piece}`)
      await this.#prepared()
      const spans = runs.flatMap(run => this.#map.spans(offset + run.begin, run.length))
      await this.#writeSpans(
        arena,
        runs.flatMap(run => run.segments),
        spans,
      )
    })
  }

  async verify(piece: number): Promise<PieceVerdict> {
    return (await this.check(piece, 1))[0] as PieceVerdict
  }

  check(first: number, count: number): Promise<readonly PieceVerdict[]> {
    const pieces = Array.from({ length: count }, (_, i) => first + i)
    const before = pieces.flatMap(piece => [...(this.#writing.get(piece) ?? [])])
    return this.#fence.shared(async () => {
      if (before.length > 0) await Promise.allSettled(before)
      return this.#pieceCheck().verdicts(pieces)
    })
  }

  async leaves(piece: number): Promise<Uint8Array | null> {
    const { offset } = rangeOf(this.#layout, piece)
    const { v2, pieceLength } = this.#layout
    const file = v2 === null ? null : fileOfPiece(v2, piece)
    if (file === null) return null
    const length = Math.min(pieceLength, file.length - (piece - file.firstPiece) * pieceLength)
    return this.#fence.shared(async () => {
      const spans = this.#map.spans(offset, length)
      try {
        const use = (open: readonly Span[]) => this.#run('piece.leaves', { spans: open }, spans)
        const { leaves } = await this.#spanFiles.withFiles(spans, 'read', use)
        return leaves.length === 0 ? null : leaves
      } catch (error) {
        if (error instanceof AppError && (error.code === 'FileMissing' || error.code === 'FileChanged')) return null
        throw error
      }
    })
  }

  read(offset: number, length: number, _arena: Arena, slot: Slot): Promise<number> {
    const volume = this.#parts.lanes.volumeOf(this.#folder.place)
    volume.readers++
    const read = this.#fence.shared(async () => {
      const { totalLength } = this.#layout
      if (offset < 0 || offset > totalLength) throw new RangeError(`byte ${offset} is outside the torrent`)
      const wanted = Math.min(length, slot.bytes.length, totalLength - offset)
      if (wanted <= 0) return 0
      const into = slot.bytes.subarray(0, wanted)
      const missing = await this.#spanFiles.read(this.#map.spans(offset, wanted), into)
      if (missing !== null) await this.#endedEarly(missing)
      return wanted
    })
    return read.finally(() => volume.readers--)
  }

  /**
   * A file is shorter than what was read of it. Rejects with FileChanged when another program is seen to have cut it.
   */
  async #endedEarly(file: number): Promise<never> {
    const { files } = this.#parts
    files.forget(this.#source, file)
    files.release(await files.acquire(this.#source, [file], false))
    throw new AppError('DiskError', `A file of the download is shorter than it was: ${this.#folder.pathOf(file)}`)
  }

  readNow(offset: number, length: number, into: Uint8Array): number {
    const found = this.#openNow(offset, length)
    return found === null ? 0 : this.#parts.cached.read(found.file, found.position, found.length, into)
  }

  readPartsNow(offset: number, parts: readonly Uint8Array[]): number {
    const wanted = parts.reduce((sum, part) => sum + part.length, 0)
    const found = this.#openNow(offset, wanted)
    if (found === null) return 0
    const fitting = found.length === wanted ? parts : firstBytes(parts, found.length)
    return this.#parts.cached.readParts(found.file, found.position, fitting)
  }

  /**
   * The open file in which a range begins, and how much of the range lies there; null when no read can be had at once.
   */
  #openNow(offset: number, length: number): { file: OpenedFile; position: number; length: number } | null {
    const span = this.#fence.open ? this.#map.firstSpan(offset, length) : null
    const file = span === null || span.file < 0 ? null : this.#parts.files.peek(this.#source, span.file)
    return span === null || file === null ? null : { file, position: span.position, length: span.length }
  }

  punch(runs: readonly PieceRun[], may: () => boolean): Promise<Punched> {
    return this.#fence.exclusive(async () => {
      await this.#prepared()
      const spans = runSpans(this.#layout, this.#map, runs).filter(({ file }) => this.#folder.isMade(file))
      const noting: PunchParts['noting'] = (group, write) => this.#noting(group, write, () => false)
      const parts = { ...this.#parts, folder: this.#folder, files: this.#spanFiles, noting, may }
      return punchSpans(spans, this.#layout.claims, parts).finally(() => this.#markDirty(filesOf(spans)))
    })
  }

  sync(): Promise<void> {
    const takeDirty = (): Set<number> => {
      const dirty = this.#dirty
      this.#dirty = new Set()
      return dirty
    }
    return this.#fence.barrier(takeDirty, async dirty => {
      try {
        for (const file of dirty) await this.#spanFiles.flush(file, this.#notes)
        await this.#folder.flushNames(dirty)
      } catch (error) {
        this.#markDirty(dirty)
        throw error
      }
    })
  }

  close(): Promise<void> {
    return this.#fence.exclusive(() => this.#parts.files.drop(this.#source))
  }

  move(move: StorageMove): Promise<void> {
    return this.#fence.exclusive(async () => {
      const { files, lanes, space, own } = this.#parts
      const layout = { ...this.#layout, destination: move.destination, files: move.files ?? this.#layout.files }
      const to = new TorrentFolder(layout, lanes, own(layout.destination))
      const work: MoveFiles = { ...move, from: this.#folder, to, key: layout.key, lanes, space }
      await files.drop(this.#source)
      // Which files are there is looked at again; a file that needs a flush still does under its new name.
      this.#preparation.forget()
      const placed = await placeFiles(work)
      try {
        await move.commit()
      } catch (error) {
        await takeBack(work, placed)
        throw error
      }
      this.#layout = layout
      this.#folder = to
      this.#notes.moved()
      this.#source = new NotedFiles(to, this.#notes)
      this.#spanFiles = new SpanFiles(this.#source, files, lanes)
      this.#volume = this.#volumeAt(move.destination)
      this.#firstWrites = new FirstWrites(layout, to, this.#parts, this.#notes, this.#source)
      this.#direct = this.#directCommits()
    })
  }

  leave(folder: string, files = this.#layout.files): Promise<void> {
    const { lanes, own } = this.#parts
    const old = new TorrentFolder({ destination: folder, files }, lanes, own(folder))
    return this.#fence.shared(() => dropMoved(old, this.#folder, lanes))
  }

  remove(keeps?: FileChoice): Promise<void> {
    return this.#fence.exclusive(async () => {
      await this.#parts.files.drop(this.#source)
      this.#dirty.clear()
      this.#preparation.forget()
      await this.#folder.remove(keeps)
    })
  }

  /**
   * Runs shared work that verify() of the same piece has to wait for. Writes of one piece follow each other: blocks
   * that were spilled and given up must not land after the piece that took their place.
   */
  #asWrite<T>(piece: number, blocks: readonly ReceivedBlock[], work: () => Promise<T>): Promise<T> {
    const before = [...(this.#writing.get(piece) ?? [])]
    const inTurn = before.length === 0 ? work : () => Promise.allSettled(before).then(work)
    const done = this.#fence.shared(inTurn).finally(() => end())
    const end = this.#noteWrite(piece, blocks, done)
    return done
  }

  /** Counts a write that ends with `done`, until the answered call is made. */
  #noteWrite(piece: number, blocks: readonly ReceivedBlock[], done: Promise<unknown>): () => void {
    const volume = this.#parts.lanes.volumeOf(this.#folder.place)
    let bytes = 0
    for (const { length } of blocks) bytes += length
    volume.writingBytes += bytes
    const writing = this.#writing.get(piece) ?? new Set()
    this.#writing.set(piece, writing.add(done))
    return () => {
      volume.writingBytes -= bytes
      writing.delete(done)
      if (writing.size === 0) this.#writing.delete(piece)
    }
  }

  /** Before every write. */
  #prepared(): Promise<void> {
    return this.#preparation.once(() => this.#folder.prepare())
  }

  #volumeAt(folder: string): StoreVolume {
    return this.#parts.lanes.storeVolume(folder, this.#parts.writingBytes)
  }

  /** Of the folder where the files lie now. */
  #directCommits(): DirectCommits {
    const { jobs, files, space } = this.#parts
    const [folder, source, notes] = [this.#folder, this.#source, this.#notes]
    const [firstWrites, fence] = [this.#firstWrites, this.#fence]
    return new DirectCommits({ jobs, files, space, folder, source, notes, firstWrites, fence })
  }

  #pieceCheck(): PieceCheck {
    const hash: CheckParts['hash'] = (request, spans) => this.#run('pieces.hash', request, spans)
    return new PieceCheck({ layout: this.#layout, map: this.#map, files: this.#spanFiles, hash })
  }

  /** Made when it is first needed: it takes a while for very many files. */
  get #map(): SpanMap {
    return (this.#spans ??= new SpanMap(this.#layout.files))
  }

  #markDirty(files: Iterable<number>): void {
    for (const file of files) this.#dirty.add(file)
  }

  /** Writes segments to their spans, in as many jobs as the bound on files a job asks for. */
  async #writeSpans(arena: ArenaNumber, segments: readonly number[], spans: readonly FileSpan[]): Promise<void> {
    await this.#parts.space.reserve(await this.#folder.root(), spanLength(spans))
    const groups = groupSpans(spans, MAX_JOB_FILES)
    let at = 0
    for (const group of groups) {
      const length = spanLength(group)
      const part = groups.length === 1 ? segments : sliceSegments(segments, at, length)
      at += length
      await this.#firstWrites.make(arena, part, group)
      await this.#spanFiles.withFiles(group, 'write', open =>
        this.#noting(
          group,
          () => this.#run('blocks.write', { arena, segments: part, spans: open }, group),
          () => true,
        ),
      )
      this.#markDirty(filesOf(group))
    }
  }

  /** Runs a job that may write the spans (`wrote`): what changes of their files meanwhile is our doing. */
  async #noting<T>(spans: readonly FileSpan[], write: () => Promise<T>, wrote: (reply: T) => boolean): Promise<T> {
    const ends = new Map<number, number>()
    for (const { file, position, length } of spans) if (file >= 0) ends.set(file, position + length)
    for (const file of ends.keys()) this.#notes.writing(file)
    let done = false
    try {
      const reply = await write()
      done = wrote(reply)
      return reply
    } finally {
      for (const [file, end] of ends) this.#notes.wrote(file, done ? end : 0)
    }
  }

  /**
   * Runs a job and turns its failures into AppErrors that name the file. `spans` are those of the request, in order.
   */
  async #run<Name extends PieceJobName>(
    name: Name,
    request: RequestOf<Name>,
    spans: readonly FileSpan[],
  ): Promise<ReplyOf<Name>> {
    try {
      return await this.#parts.jobs.run(this.#folder.place, name, request)
    } catch (error) {
      throw this.#failureOf(error, request, spans)
    }
  }

  /** What a failure of a job is to callers. A bug stays one: no caller can cure it. */
  #failureOf(error: unknown, request: { readonly spans: readonly Span[] }, spans: readonly FileSpan[]): Error {
    if (!(error instanceof JobFailed) || error.data.code === 'BUG_IN_JOB') return error as Error
    const { code, text, fd } = error.data
    const file = spans[request.spans.findIndex(span => span.fd === fd)]?.file
    const path = file === undefined ? this.#layout.destination : this.#folder.pathOf(file)
    const failure = diskErrorFrom(code, path, text, error)
    if (failure.code === 'FileMissing') void this.#parts.files.drop(this.#source)
    return failure
  }
}
