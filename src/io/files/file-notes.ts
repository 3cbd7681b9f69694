// How the files of one torrent were left: device, inode, size and time of each that was used. A look at a file is
// judged by its note, so that a change by another program is seen. Pure; knows no disk. Invariants: a file that this
// node is writing, or has written and not flushed, is judged by its inode and length alone; a look that began before a
// write ended proves nothing.

import { type FileChange, FileChanged, type FileFacts, UNFIT_BYTES, unfitFacts } from '../../ports/piece-store.ts'
import { runSteps, type Steps } from '../../wire/steps.ts'
import type { FileLook } from './safe-files.ts'

/** File times nearer than this are the same: records and copies lose fractions. */
const SAME_TIME_MS = 1
/**
 * Some file systems keep whole seconds, or every second one, and show more only until the file is read from disk again.
 */
const COARSE_TIME_MS = 2000

/** Facts judged in one step. */
const FACTS_A_STEP = 4096

interface Note {
  /** False: the next look says how the file is. */
  known: boolean
  /** Null: not seen yet, only size and time are. */
  inode: { readonly dev: bigint; readonly ino: bigint } | null
  sizeBytes: number
  mtimeMs: number
  /** A time up to this one is of our own writes. */
  ownUntilMs: number
  /** Nothing was written since size and time were noted. */
  settled: boolean
  /** It was found changed, and not accepted since. */
  refused: boolean
  /** Writes under way. */
  writes: number
  /** Grows with each change of the note. */
  version: number
}

/** The notes of one torrent. */
export class FileNotes {
  readonly #lengthOf: (file: number) => number
  readonly #pathOf: (file: number) => string
  readonly #notes = new Map<number, Note>()
  #expected: readonly FileFacts[] = []
  #ownUntilMs = 0
  #version = 1

  /** `lengthOf`: what the torrent says; `pathOf`: for messages. */
  constructor(lengthOf: (file: number) => number, pathOf: (file: number) => string) {
    this.#lengthOf = lengthOf
    this.#pathOf = pathOf
  }

  /** Grows with every change of any note. */
  get version(): number {
    return this.#version
  }

  /** See PieceStore.expect. */
  expect(facts: readonly FileFacts[], ownUntilMs: number): void {
    this.#expected = facts
    this.#ownUntilMs = ownUntilMs
    this.#version += 1
    this.#notes.clear()
  }

  /** See PieceStore.accept. */
  accept(file: number): void {
    const note = this.#note(file)
    note.known = false
    note.inode = null
    note.refused = false
    this.#touch(note)
  }

  /** Files that are not there are created again: how they were left says nothing of what comes. */
  keepOnly(isThere: (file: number) => boolean): void {
    for (const file of this.#notes.keys()) if (!isThere(file)) this.accept(file)
  }

  /** The files lie in another folder: sizes and times stay. */
  moved(): void {
    for (const note of this.#notes.values()) {
      note.inode = null
      this.#touch(note)
    }
  }

  /** To be asked for before a look begins; it is judged by what this answers. Null: the file is as it was left. */
  judge(file: number): (seen: FileLook) => FileChanged | null {
    const { version } = this.#note(file)
    return seen => {
      const note = this.#note(file)
      const change = changeOf(note, seen, note.version === version, this.#lengthOf(file))
      if (change !== null) {
        note.refused = true
        return new FileChanged(file, change, this.#pathOf(file))
      }
      if (note.version === version) this.#learn(note, seen)
      return null
    }
  }

  /** A write to the file begins. */
  writing(file: number): void {
    const note = this.#note(file)
    note.settled = false
    note.writes += 1
    this.#touch(note)
  }

  /** It has ended; `end`: the file is at least that long now. */
  wrote(file: number, end: number): void {
    const note = this.#note(file)
    note.writes = Math.max(0, note.writes - 1)
    note.sizeBytes = Math.max(note.sizeBytes, end)
    this.#touch(note)
  }

  /**
   * To be asked for before a flush: what is answered takes a look made after it, which counts unless something was
   * written or the file is not as it was left: that is left for the next user to see.
   */
  settling(file: number): (seen: FileLook) => void {
    const { version } = this.#note(file)
    return seen => {
      const note = this.#note(file)
      if (note.version !== version) return
      if (changeOf(note, seen, true, this.#lengthOf(file)) !== null) return
      note.known = false
      this.#learn(note, seen)
      this.#touch(note)
    }
  }

  /** `facts`, taken since `version`, with unfitFacts() for files that are not as they were left. */
  kept(facts: readonly FileFacts[], version: number): FileFacts[] {
    return runSteps(this.keptInSteps(facts, version))
  }

  /**
   * As kept(), in steps: a look that began before a change of a note proves nothing of it, whenever the change comes.
   */
  *keptInSteps(facts: readonly FileFacts[], version: number): Steps<FileFacts[]> {
    const kept: FileFacts[] = []
    for (const fact of facts) {
      kept.push(this.#kept(fact, version))
      if (kept.length % FACTS_A_STEP === 0) yield
    }
    return kept
  }

  #kept(fact: FileFacts, version: number): FileFacts {
    const note = this.#notes.get(fact.index) ?? this.#fromExpected(fact.index)
    if (note.refused) return unfitFacts(fact.index)
    if (!note.known || !note.settled || note.version > version || !fact.exists) return fact
    const seen = { ...fact, ...(note.inode ?? { dev: 0n, ino: 0n }) }
    return changeOf(note, seen, true, this.#lengthOf(fact.index)) === null ? fact : unfitFacts(fact.index)
  }

  #learn(note: Note, { dev, ino, sizeBytes, mtimeMs }: FileLook): void {
    note.inode = { dev, ino }
    if (note.known && !note.settled) return
    note.sizeBytes = sizeBytes
    note.mtimeMs = mtimeMs
    note.ownUntilMs = 0
    note.settled = note.writes === 0
    note.known = true
  }

  #touch(note: Note): void {
    note.version = ++this.#version
  }

  #note(file: number): Note {
    let note = this.#notes.get(file)
    if (note === undefined) {
      note = this.#fromExpected(file)
      this.#notes.set(file, note)
    }
    return note
  }

  #fromExpected(file: number): Note {
    const fact = this.#expected[file]
    const known = fact?.exists === true
    return {
      known,
      inode: null,
      sizeBytes: known ? fact.sizeBytes : 0,
      mtimeMs: known ? fact.mtimeMs : 0,
      ownUntilMs: this.#ownUntilMs,
      settled: known,
      refused: false,
      writes: 0,
      version: 0,
    }
  }
}

/** `fresh`: the look began after the last change of the note. */
function changeOf(note: Note, seen: FileLook, fresh: boolean, length: number): FileChange | null {
  if (note.inode !== null && (note.inode.dev !== seen.dev || note.inode.ino !== seen.ino)) return 'replaced'
  if (!note.known || !fresh) return null
  // An earlier run found it changed; how is not known any more.
  if (note.sizeBytes === UNFIT_BYTES) return 'changed'
  if (seen.sizeBytes < note.sizeBytes) return 'cut'
  const ours = !note.settled || (seen.mtimeMs > note.mtimeMs && seen.mtimeMs <= note.ownUntilMs)
  if (seen.sizeBytes > (ours ? Math.max(length, note.sizeBytes) : note.sizeBytes)) return 'grown'
  return ours || sameTime(seen.mtimeMs, note.mtimeMs) ? null : 'changed'
}

function sameTime(seenMs: number, notedMs: number): boolean {
  const apart = Math.abs(seenMs - notedMs)
  return apart < SAME_TIME_MS || (seenMs % 1000 === 0 && apart < COARSE_TIME_MS)
}
