// The list of downloads as it changes, for those who watch it: first the whole list in parts, then only records that
// are new or different, and what was removed. Made of the list's shared chunks (download-list.ts): what did not change
// is seen by identity, so that a quiet list of ten thousand costs nothing. Invariant: a follower that applies every
// line has the list as it was at most POLL_MS * QUIET_POLLS and a rebuild ago. A follower without room gets nothing
// until it has some, and then one difference for all that happened meanwhile.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { EventSubscription } from '../events/events-api.ts'
import type { DownloadChunk, DownloadList, ListedDownload } from './download-list.ts'

/** Changes by requests are looked for this often, all others every QUIET_POLLS times. */
const POLL_MS = 250
const QUIET_POLLS = 4
/** Records in a line. */
const LINE_RECORDS = 64

const HEAD = Buffer.from('{"type":"downloads_changed","event":{"downloads":[')

/** What differs between two states of the list; each record ends in a comma. */
interface Difference {
  readonly records: readonly Uint8Array[]
  readonly removed: readonly string[]
}

interface Follower {
  readonly deliver: (line: Uint8Array) => boolean
  readonly room: () => undefined | Promise<void>
  closed: boolean
  /** Ends the wait for the next look. */
  wake: () => void
}

/**
 * The list of downloads as it changes, for those who watch it: first the whole list in parts, then only records that
 * are new or different, and what was removed.
 */
export class DownloadDeltas {
  readonly #list: DownloadList
  readonly #deps: { readonly clock: Clock; readonly log: Log }

  constructor(list: DownloadList, deps: { readonly clock: Clock; readonly log: Log }) {
    this.#list = list
    this.#deps = deps
  }

  /** See DownloadsService.followList. `listed`: settles when it is known which downloads there are. */
  follow(
    listed: Promise<void>,
    deliver: (line: Uint8Array) => boolean,
    room: () => undefined | Promise<void>,
  ): EventSubscription {
    const follower: Follower = { deliver, room, closed: false, wake: () => undefined }
    this.#serve(follower, listed).catch((error: unknown) =>
      this.#deps.log.error('the list could not be followed', { error }),
    )
    return {
      close() {
        follower.closed = true
        follower.wake()
      },
    }
  }

  async #serve(follower: Follower, listed: Promise<void>): Promise<void> {
    await listed
    let seen: readonly DownloadChunk[] = []
    for (let first = true; !follower.closed; first = false) {
      const version = this.#list.version
      const now = await this.#list.chunks()
      const difference = differenceOf(seen, now)
      if (first || difference.records.length > 0 || difference.removed.length > 0) await send(follower, difference)
      seen = now
      await this.#nextLook(follower, version)
    }
  }

  async #nextLook(follower: Follower, version: number): Promise<void> {
    for (let polls = 0; polls < QUIET_POLLS && !follower.closed && this.#list.version === version; polls++) {
      let timer: Timer | null = null
      await new Promise<void>(resolve => {
        follower.wake = resolve
        timer = this.#deps.clock.after(POLL_MS, resolve)
      })
      ;(timer as Timer | null)?.cancel()
    }
  }
}

async function send(follower: Follower, { records, removed }: Difference): Promise<void> {
  let at = 0
  do {
    const full = follower.room()
    if (full !== undefined) await full
    if (follower.closed) return
    const end = at + LINE_RECORDS
    const line = lineOf(records.slice(at, end), at === 0 ? removed : [], end >= records.length)
    if (!follower.deliver(line)) follower.closed = true
    at = end
    // A whole list is work for several turns.
    await nextTurn()
  } while (at < records.length && !follower.closed)
}

function lineOf(records: readonly Uint8Array[], removed: readonly string[], complete: boolean): Buffer {
  const tail = Buffer.from(`],"removed":${JSON.stringify(removed)},"complete":${complete}}}\n`)
  const last = records.at(-1)
  if (last === undefined) return Buffer.concat([HEAD, tail])
  return Buffer.concat([HEAD, ...records.slice(0, -1), last.subarray(0, -1), tail])
}

function differenceOf(before: readonly DownloadChunk[], now: readonly DownloadChunk[]): Difference {
  const [old, fresh] = [new Set(before), new Set(now)]
  const gone = new Map<ListedDownload, Uint8Array>()
  for (const chunk of before) if (!fresh.has(chunk)) for (const [one, record] of recordsOf(chunk)) gone.set(one, record)
  const records: Uint8Array[] = []
  const known = new Set<string>()
  for (const chunk of now) {
    if (old.has(chunk)) continue
    for (const [one, record] of recordsOf(chunk)) {
      const last = gone.get(one)
      gone.delete(one)
      if (last !== undefined && Buffer.compare(last, record) === 0) continue
      records.push(record)
      if (last === undefined) known.add(infohashIn(record))
    }
  }
  // One that was removed and added again is there.
  const removed = [...gone.values()].map(infohashIn).filter(infohash => !known.has(infohash))
  return { records, removed }
}

function* recordsOf(chunk: DownloadChunk): Generator<[ListedDownload, Uint8Array], void> {
  let begin = 0
  for (const [i, one] of chunk.downloads.entries()) {
    const end = chunk.ends[i] ?? begin
    yield [one, chunk.bytes.subarray(begin, end)]
    begin = end
  }
}

function infohashIn(record: Uint8Array): string {
  const { infohash } = JSON.parse(Buffer.from(record.subarray(0, -1)).toString()) as { infohash: string }
  return infohash
}
