// Which downloads have, or may have, files in the places of another one's: two torrents of one film, versions of a
// followed torrent, what was made of a folder that is a download. Asked before anything of a download that forgets goes
// (decision 0546). All files of a torrent lie in destination/name, so that rows say it without a look at their files.
// Invariants: while it is not known, or in doubt, the answer is yes; a download that comes, is named or moves into the
// place of one that was asked about counts from that moment on, before it has touched a file.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { StoredDownload } from '../../ports/records.ts'
import { safeName } from '../../wire/metainfo/safe-path.ts'
import { foldName } from '../../wire/metainfo/unique-paths.ts'
import { controlsOf } from './download-controls.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'

/** Where a folder lies without links, and which one it is by whatever path (bind mounts). */
export interface FolderName {
  readonly path: string
  readonly id: string
}

/** What it needs of the node. */
export interface SharedPlacesDeps {
  readonly clock: Pick<Clock, 'now'>
  /** Null: there is no such folder. Rejects, or does not settle, where that cannot be told now. */
  identifyFolder(folder: string): Promise<FolderName | null>
}

/** Downloads gone through in one turn of the loop. */
const A_TURN = 2000
/** An answer is looked at again after this time: others go, and folders become links. */
const STALE_MS = 60_000
/** Downloads that were asked about, and are remembered. */
const MAX_ANSWERS = 1024

/** A folder and what is in it of a torrent: a file, or a folder with all its files. Folded: case is ignored. */
interface Place {
  /** As the row says it. */
  readonly folder: string
  readonly root: string
  readonly path: string
}

interface Answer {
  /** Null: not known. */
  shares: boolean | null
  /** When it was looked for last; null: never. */
  atMs: number | null
  /** The search that is under way; `found`: what it or those that came meanwhile say. */
  search: { readonly done: Promise<void>; found: boolean } | null
}

/** The places of all downloads. */
export class SharedPlaces {
  readonly #set: Pick<DownloadSet, 'entries' | 'listed'>
  readonly #deps: SharedPlacesDeps
  readonly #answers = new Map<InfoHash, Answer>()

  constructor(set: Pick<DownloadSet, 'entries' | 'listed'>, deps: SharedPlacesDeps) {
    this.#set = set
    this.#deps = deps
  }

  /** From memory: see TorrentEvents.sharesFiles. */
  shares(infoHash: InfoHash): boolean {
    return this.#answerOf(infoHash)?.shares !== false
  }

  /** The same when it is known; settles no sooner than the disks tell where their folders are. Null: they cannot. */
  async find(infoHash: InfoHash): Promise<boolean | null> {
    await this.#answerOf(infoHash)?.search?.done
    return this.#answerOf(infoHash)?.shares ?? null
  }

  /** The download came, or another name or folder is in its row. */
  changed(entry: DownloadEntry): void {
    const { infoHash } = entry.stored
    this.#answers.delete(infoHash)
    if (this.#answers.size === 0) return
    const theirs = placesOf(entry.stored)
    for (const [asked, answer] of this.#answers) {
      const other = this.#set.entries.get(asked)
      if (other === undefined) this.#answers.delete(asked)
      // Whether two folders are one is looked up by the next search: until then it may be so.
      else if (meet(placesOf(other.stored), theirs, () => true)) this.#found(answer)
    }
  }

  #found(answer: Answer): void {
    answer.shares = true
    // Whoever asks next has it looked for again.
    answer.atMs = null
    if (answer.search !== null) answer.search.found = true
  }

  /** Null: it is no download. */
  #answerOf(infoHash: InfoHash): Answer | null {
    const entry = this.#set.entries.get(infoHash)
    if (entry === undefined || !this.#set.listed) return null
    let answer = this.#answers.get(infoHash)
    if (answer === undefined) {
      this.#makeRoom()
      answer = { shares: null, atMs: null, search: null }
      this.#answers.set(infoHash, answer)
    }
    const isStale = answer.atMs === null || this.#deps.clock.now() - answer.atMs >= STALE_MS
    if (isStale && answer.search === null) this.#search(entry, answer)
    return answer
  }

  /** The one that was asked about first goes. */
  #makeRoom(): void {
    if (this.#answers.size < MAX_ANSWERS) return
    const [oldest] = [...this.#answers].find(([, { search }]) => search === null) ?? []
    if (oldest !== undefined) this.#answers.delete(oldest)
  }

  #search(entry: DownloadEntry, answer: Answer): void {
    const work = async (): Promise<boolean> => {
      const mine = placesOf(entry.stored)
      // Without metadata nothing is known of its files.
      return mine.length === 0 || (await this.#isMet(entry, mine))
    }
    const done = work()
      .catch(() => null)
      .then(shares => {
        answer.shares = answer.search?.found === true || shares
        answer.atMs = this.#deps.clock.now()
        answer.search = null
      })
    answer.search = { done, found: false }
  }

  async #isMet(entry: DownloadEntry, mine: readonly Place[]): Promise<boolean> {
    const folders = new Set<string>()
    let count = 0
    for (const other of this.#set.entries.values()) {
      if (++count % A_TURN === 0) await nextTurn()
      if (other === entry) continue
      const alike = (folder: string): boolean => {
        folders.add(folder)
        return false
      }
      if (meet(mine, placesOf(other.stored), (_, theirs) => alike(theirs))) return true
    }
    return folders.size > 0 && this.#isOne(new Set(mine.map(({ folder }) => folder)), folders)
  }

  /** One of the folders is one of the others, by another path. */
  async #isOne(mine: ReadonlySet<string>, theirs: ReadonlySet<string>): Promise<boolean> {
    const names = async (folders: ReadonlySet<string>) =>
      Promise.all([...folders].map(folder => this.#deps.identifyFolder(folder)))
    const [ours, others] = [await names(mine), await names(theirs)]
    return ours.some(a => others.some(b => a !== null && b !== null && (a.path === b.path || a.id === b.id)))
  }
}

/**
 * A place of the one is a place of the other, lies in it, or has it in itself. `isOne`: asked of two folders with other
 * paths in which the same name lies.
 */
function meet(
  mine: readonly Place[],
  theirs: readonly Place[],
  isOne: (mine: string, theirs: string) => boolean,
): boolean {
  return mine.some(a =>
    theirs.some(
      b =>
        a.path === b.path ||
        a.path.startsWith(`${b.path}/`) ||
        b.path.startsWith(`${a.path}/`) ||
        (a.root === b.root && isOne(a.folder, b.folder)),
    ),
  )
}

/**
 * Downloads that forget, and have, or may have, files in the places of another one. When that one is removed and its
 * files stay, they stay for good: those that made them have them as others' files from then on.
 */
export function forgettingBeside(set: Pick<DownloadSet, 'entries'>, { stored }: DownloadEntry): InfoHash[] {
  const rows = [...set.entries.values()].map(one => one.stored)
  const forgetting = rows.filter(row => row !== stored && controlsOf(row).watchAndForget === true)
  return forgetting.filter(row => meet(placesOf(row), placesOf(stored), () => true)).map(({ infoHash }) => infoHash)
}

/** The places of one row do not change: of many downloads they are worked out once. */
const known = new WeakMap<StoredDownload, readonly Place[]>()

/** None before its metadata is known: until that is in its row it has not touched a file. */
function placesOf(stored: StoredDownload): readonly Place[] {
  let places = known.get(stored)
  if (places !== undefined) return places
  const { name, pieceCount, destination, movingTo, movedFrom } = stored
  const folders = [destination, movingTo, movedFrom].filter(folder => folder !== null)
  places = pieceCount === 0 ? [] : folders.map(folder => placeOf(folder, name))
  known.set(stored, places)
  return places
}

function placeOf(folder: string, name: string): Place {
  // What is not UTF-8 in a name is `_` on the disk.
  const safe = safeName(Buffer.from(name.replaceAll('\ufffd', '_')))
  const root = safe === null ? '' : foldName(safe)
  const above = foldName(folder).replace(/\/+$/, '')
  return { folder, root, path: root === '' ? above : `${above}/${root}` }
}
