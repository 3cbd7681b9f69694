// The command `create`: a torrent of files, made without a node. Progress goes to standard error, info hashes to
// standard output, or the torrent itself where that is asked for.

import { join, resolve } from 'node:path'
import { AppError, errorText } from '../base/errors.ts'
import { AllowedPaths, FreshFiles } from '../io/files/client-paths.ts'
import { SystemClock } from '../io/clock.ts'
import { SharedArena } from '../pools/arena.ts'
import { FilePieceStores } from '../pools/piece-stores.ts'
import type { Log } from '../ports/log.ts'
import type { CreateTorrent } from '../services/downloads/torrents-api.ts'
import { type MadeTorrent, makeTorrent } from '../services/making/new-torrent.ts'
import { newTorrentOptions } from '../services/making/new-torrent-options.ts'
import { watchStopSignals } from './exit.ts'
import { readVersion } from './version.ts'

/** What the command line gives. */
export interface CreateArguments {
  /** --output: a file, `-` for standard output; null = next to the content. */
  readonly output: string | null
  /** --threads, or null. */
  readonly threads: number | null
  readonly quiet: boolean
  readonly request: Pick<
    CreateTorrent,
    | 'path'
    | 'format'
    | 'piece_length'
    | 'trackers'
    | 'web_seeds'
    | 'private'
    | 'source'
    | 'comment'
    | 'created_by'
    | 'creation_date'
  >
}

const EXIT_MADE = 0
const EXIT_FAILED = 1

/** Runs of pieces in hashing at a time, a thread. */
const DEPTH_A_THREAD = 2
const DEFAULT_DEPTH = 8

/** The line of progress is redrawn no more often. */
const PROGRESS_EVERY_MS = 200

/** Time for workers to end, ms: nothing of theirs is kept. */
const STOP_LIMIT_MS = 1000

/** Errors of the workers show in what fails because of them. */
const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  part: () => silentLog,
}

/** Makes one torrent; the exit code. Never rejects. */
export async function runCreate(args: CreateArguments): Promise<number> {
  const signals = watchStopSignals()
  const abort = new AbortController()
  void signals.first.then(() => abort.abort())
  const stores = openStores(args.threads)
  try {
    await create(args, stores, abort.signal)
    return EXIT_MADE
  } catch (error) {
    process.stderr.write(`tributary: ${problem(error)}\n`)
    return EXIT_FAILED
  } finally {
    await stores.stop(STOP_LIMIT_MS)
    signals.close()
  }
}

/** Workers and descriptors; nothing is received here, so the arenas are as small as they can be. */
function openStores(threads: number | null): FilePieceStores {
  return new FilePieceStores(threads === null ? {} : { threads }, {
    blockArena: new SharedArena({ id: 'block', bytes: 1 }),
    rangeArena: new SharedArena({ id: 'range', bytes: 1 }),
    clock: new SystemClock(),
    log: silentLog,
  })
}

async function create(args: CreateArguments, stores: FilePieceStores, signal: AbortSignal): Promise<void> {
  const { request, output, threads } = args
  const nowSec = Math.floor(new SystemClock().wallMs() / 1000)
  const options = newTorrentOptions(request, { createdBy: `Tributary/${readVersion()}`, nowSec })
  const path = await new AllowedPaths(() => [], null).resolve(resolve(request.path), { anyPath: true })
  const content = await stores.contents(null).list(path, signal)
  const files = new FreshFiles()
  const target = targetOf(output, content)
  if (target !== null) await files.check(target)
  const depth = threads === null ? DEFAULT_DEPTH : DEPTH_A_THREAD * Math.max(1, threads)
  const line = new ProgressLine(args.quiet)
  const made = await makeTorrent(content, options, {
    signal,
    depth,
    toSeed: false,
    progress: (done, total) => line.show(done, total),
  }).finally(() => line.end())
  if (target === null) process.stdout.write(made.bytes)
  else {
    await files.write(target, made.bytes)
    process.stdout.write(summary(target, made))
  }
  // A script reads what it asked for on standard output; this is for who made it by hand.
  if (made.metainfo.v2 !== null && !args.quiet) process.stderr.write(`tributary: ${unreadFor(made)}\n`)
  if (content.skipped > 0) process.stderr.write(`tributary: ${content.skipped} links or devices were left out\n`)
}

/** Where the torrent goes; null = standard output. */
function targetOf(output: string | null, content: { readonly name: string; readonly parent: string }): string | null {
  if (output === '-') return null
  if (output === null) return join(content.parent, `${content.name}.torrent`)
  return resolve(output)
}

/** Who cannot read it (src/docs/network.md, tried in test/interop). */
function unreadFor({ metainfo }: MadeTorrent): string {
  const kind = metainfo.pieceHashes.length > 0 ? 'hybrid' : 'v2'
  return `clients without BEP 52 (Transmission, aria2, rTorrent, WebTorrent) may refuse a ${kind} torrent; --v1 makes one that all read`
}

function summary(target: string, { metainfo }: MadeTorrent): string {
  const lines = [target]
  if (metainfo.pieceHashes.length > 0) lines.push(`v1 ${metainfo.infoHash}`)
  if (metainfo.v2 !== null) lines.push(`v2 ${metainfo.v2.infoHash}`)
  return `${lines.join('\n')}\n`
}

function problem(error: unknown): string {
  if (error instanceof AppError) return error.code === 'Aborted' ? 'given up' : error.message
  return `unexpected error: ${errorText(error)}`
}

/** One line on a terminal that is written over; nothing where standard error is no terminal. */
class ProgressLine {
  readonly #clock = new SystemClock()
  readonly #quiet: boolean
  #shownMs = -Infinity
  #shown = false

  constructor(quiet: boolean) {
    this.#quiet = quiet || !process.stderr.isTTY
  }

  show(done: number, total: number): void {
    const nowMs = this.#clock.now()
    if (this.#quiet || (nowMs - this.#shownMs < PROGRESS_EVERY_MS && done < total)) return
    this.#shownMs = nowMs
    this.#shown = true
    const mebibytes = (done / (1024 * 1024)).toFixed(0)
    process.stderr.write(`\r${Math.floor((100 * done) / Math.max(1, total))} % hashed, ${mebibytes} MiB`)
  }

  end(): void {
    if (this.#shown) process.stderr.write('\n')
    this.#shown = false
  }
}
