// Progress, events, rates and node values, as ports/records.ts asks for them, over the database thread.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InfoHash } from '../base/ids.ts'
import type { FileFacts, FileMark } from '../ports/piece-store.ts'
import type { FileRun, MadeFile, ResumeData } from '../ports/progress-journal.ts'
import {
  type EventLog,
  type LoggedEvent,
  MAX_EVENT_CHARS,
  type NewEvent,
  type NodeValues,
  type ProgressRecords,
  type RateRecords,
} from '../ports/records.ts'
import { runStepsInTurns } from '../wire/steps.ts'
import { packFacts, unpackResume } from './packed-progress.ts'
import type { RecordJobs } from './jobs.ts'
import type { RecordsLink } from './records-link.ts'
import type { LazyTotals } from './lazy-totals.ts'

const MAX_READ_EVENTS = 1000
/** Pieces of a torrent journalled by one job: those that come while the job waits for its batch. */
const MAX_JOINED_PIECES = 512
const MAX_VALUE_BYTES = 64 * 1024

/** ProgressRecords over the database. */
export class DatabaseProgress implements ProgressRecords {
  readonly #link: RecordsLink
  readonly #totals: LazyTotals
  readonly #now: () => number

  constructor(link: RecordsLink, totals: LazyTotals, now: () => number) {
    this.#link = link
    this.#totals = totals
    this.#now = now
  }

  pieceVerified(infoHash: InfoHash, piece: number, awaited: boolean): Promise<void> {
    const atMs = this.#now()
    const into = (args: RecordJobs['progress.verified']['args']): boolean => {
      if (args[0] !== infoHash || args[1].length >= MAX_JOINED_PIECES) return false
      args[1].push(piece)
      args[2] = atMs
      return true
    }
    const durable = this.#link.join('progress.verified', into, infoHash, [piece], atMs)
    if (awaited) this.#link.hasten()
    return durable
  }

  async piecesDropped(infoHash: InfoHash, pieces: readonly number[]): Promise<void> {
    await this.#link.run('progress.dropped', infoHash, pieces)
  }

  async checkpoint(infoHash: InfoHash, have: Uint8Array, files: readonly FileFacts[]): Promise<void> {
    this.#totals.write(infoHash)
    // The caller's bits go on changing while the job waits.
    await this.#link.run('progress.checkpoint', infoHash, Uint8Array.from(have), packFacts(files), this.#now())
  }

  async doubt(infoHash: InfoHash, files: readonly number[]): Promise<void> {
    await this.#link.run('progress.doubt', infoHash, files)
  }

  async reset(infoHash: InfoHash): Promise<void> {
    await this.#link.run('progress.reset', infoHash)
  }

  ownFiles(infoHash: InfoHash): Promise<readonly FileRun[]> {
    return this.#link.run('files.own', infoHash)
  }

  async noteOwnFiles(infoHash: InfoHash, runs: readonly FileRun[]): Promise<void> {
    await this.#link.run('files.noteOwn', infoHash, runs)
  }

  madeFiles(infoHash: InfoHash): Promise<readonly MadeFile[]> {
    return this.#link.run('files.made', infoHash)
  }

  async noteMadeFile(infoHash: InfoHash, file: number, mark: FileMark): Promise<void> {
    await this.#link.run('files.noteMade', infoHash, file, mark)
  }

  async keepMadeFiles(infoHash: InfoHash): Promise<void> {
    await this.#link.run('files.keepMade', infoHash)
  }

  async loadResume(infoHash: InfoHash): Promise<ResumeData | null> {
    return runStepsInTurns(unpackResume(await this.#link.run('progress.resume', infoHash)), nextTurn)
  }
}

/** EventLog over the database. */
export class DatabaseEventLog implements EventLog {
  readonly #link: RecordsLink
  readonly #now: () => number

  constructor(link: RecordsLink, now: () => number) {
    this.#link = link
    this.#now = now
  }

  append(events: readonly NewEvent[]): Promise<number> {
    const long = events.find(({ payload }) => payload.length > MAX_EVENT_CHARS)
    if (long === undefined) {
      const types = events.map(({ type }) => type)
      const payloads = events.map(({ payload }) => payload)
      return this.#link.run('event.append', this.#now(), types, payloads)
    }
    return Promise.reject(new RangeError(`the payload of ${long.type} has ${long.payload.length} characters`))
  }

  readSince(since: number, limit: number): Promise<LoggedEvent[]> {
    return this.#link.run('event.read', since, Math.min(limit, MAX_READ_EVENTS))
  }

  bounds(): Promise<{ oldest: number | null; newest: number }> {
    return this.#link.run('event.bounds')
  }
}

/** RateRecords over the database. */
export class DatabaseRates implements RateRecords {
  readonly #link: RecordsLink

  constructor(link: RecordsLink) {
    this.#link = link
  }

  read(infoHashes: readonly InfoHash[]): Promise<(Uint8Array | null)[]> {
    return this.#link.run('rates.read', infoHashes)
  }

  write(rows: readonly (readonly [infoHash: InfoHash, sums: Uint8Array])[]): Promise<void> {
    return this.#link.run('rates.write', rows)
  }
}

/** NodeValues over the database. */
export class DatabaseNodeValues implements NodeValues {
  readonly #link: RecordsLink

  constructor(link: RecordsLink) {
    this.#link = link
  }

  get(key: string): Promise<Uint8Array | null> {
    return this.#link.run('node.get', key)
  }

  async set(key: string, value: Uint8Array): Promise<void> {
    checkValue(key, value)
    await this.#link.run('node.set', key, value)
  }

  async getOrSet(key: string, value: Uint8Array): Promise<Uint8Array> {
    checkValue(key, value)
    return this.#link.run('node.getOrSet', key, value)
  }
}

function checkValue(key: string, value: Uint8Array): void {
  if (value.length > MAX_VALUE_BYTES) throw new RangeError(`the value of ${key} has ${value.length} bytes`)
}
