// Which downloads have, or may have, files in the places of another one's: two torrents of one film, versions of a
// followed torrent, what was made of a folder that is a download. Asked before anything of a download that forgets goes
// (decision 0546). All files of a torrent lie in destination/name, so that rows say it without a look at their files:
// by the paths in them, and by where those folders really are.
// Invariants: while it is not known, or in doubt, the answer is yes; a download that comes, is named or moves into the
// place of one that was asked about counts from that moment on, before it has touched a file.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InfoHash } from '../../../base/ids.ts'
import type { StoredDownload } from '../../../ports/records.ts'
import { foldName } from '../../../wire/metainfo/unique-paths.ts'
import { controlsOf } from '../download-controls.ts'
import type { DownloadEntry } from '../download-entry.ts'
import type { DownloadSet } from '../download-set.ts'
import { rootNames } from '../names/root-names.ts'
import { FolderNames, type FolderNamesDeps } from './folder-names.ts'

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

/** Places of one download, and whether one that came while they are looked for may be in them. */
interface Look {
  readonly entry: DownloadEntry
  readonly mine: readonly Place[]
  found: boolean
}

/** The places of all downloads. */
export class SharedPlaces {
  readonly #set: Pick<DownloadSet, 'entries' | 'listed'>
  readonly #deps: FolderNamesDeps
  readonly #names: FolderNames
  readonly #answers = new Map<InfoHash, Answer>()
  /** What findIn() is looking for. */
  readonly #looks = new Set<Look>()

  constructor(set: Pick<DownloadSet, 'entries' | 'listed'>, deps: FolderNamesDeps) {
    this.#set = set
    this.#deps = deps
    this.#names = new FolderNames(deps)
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

  /**
   * Whether another one has, or may have, files where those of `entry` lie in `folder`, of all its folders. Null: the
   * disks do not tell. Nothing of it is remembered.
   */
  async findIn(entry: DownloadEntry, folder: string): Promise<boolean | null> {
    if (!this.#set.listed) return null
    const mine = placesOf(entry.stored).filter(place => place.folder === folder)
    if (mine.length === 0) return false
    const look: Look = { entry, mine, found: false }
    this.#looks.add(look)
    try {
      const isMet = await this.#isMet(entry, mine)
      return look.found || isMet
    } catch {
      return look.found || null
    } finally {
      this.#looks.delete(look)
    }
  }

  /** The download came, or another name or folder is in its row. */
  changed(entry: DownloadEntry): void {
    const { infoHash } = entry.stored
    this.#answers.delete(infoHash)
    if (this.#answers.size === 0 && this.#looks.size === 0) return
    const theirs = placesOf(entry.stored)
    for (const look of this.#looks) if (look.entry !== entry) look.found ||= this.#mayMeet(look.mine, theirs)
    for (const [asked, answer] of this.#answers) {
      const other = this.#set.entries.get(asked)
      if (other === undefined) this.#answers.delete(asked)
      else if (this.#mayMeet(placesOf(other.stored), theirs)) this.#found(answer)
    }
  }

  /**
   * Downloads that forget, and have, or may have, files in the places of another one. When that one is removed and its
   * files stay, they stay for good: those that made them have them as others' files from then on.
   */
  async forgettingBeside({ stored }: DownloadEntry): Promise<InfoHash[]> {
    const rows = [...this.#set.entries.values()].map(entry => entry.stored)
    const forgetting = rows.filter(row => row !== stored && controlsOf(row).watchAndForget === true)
    if (forgetting.length === 0) return []
    const theirs = placesOf(stored)
    const folders = new Set([stored, ...forgetting].flatMap(placesOf).map(({ folder }) => folder))
    const known = folders.size === 1 || (await this.#names.find(folders).then(always, never))
    const meets = (mine: readonly Place[]): boolean =>
      known ? meet(mine, theirs) || this.#meetThere(mine, theirs) === true : this.#mayMeet(mine, theirs)
    return forgetting.filter(row => meets(placesOf(row))).map(({ infoHash }) => infoHash)
  }

  /** As far as it is known now: where two folders really are is looked up by the next search. */
  #mayMeet(mine: readonly Place[], theirs: readonly Place[]): boolean {
    return meet(mine, theirs) || this.#meetThere(mine, theirs) !== false
  }

  /** The same as meet(), by where other folders are than those of one path; null: one is not there, or not known. */
  #meetThere(mine: readonly Place[], theirs: readonly Place[]): boolean | null {
    let known = true
    for (const a of mine) {
      for (const b of theirs.filter(({ folder }) => folder !== a.folder)) {
        const [ours, others] = [this.#names.nameOf(a.folder), this.#names.nameOf(b.folder)]
        if (!ours || !others) known = false
        else if (
          isIn(below(ours.path, a.root), below(others.path, b.root)) ||
          (a.root === b.root && ours.id === others.id)
        )
          return true
      }
    }
    return known ? false : null
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
    const folders = new Set(mine.map(({ folder }) => folder))
    const isAny = async (meets: (theirs: readonly Place[]) => boolean): Promise<boolean> => {
      let count = 0
      for (const other of this.#set.entries.values()) {
        if (++count % A_TURN === 0) await nextTurn()
        if (other !== entry && meets(placesOf(other.stored))) return true
      }
      return false
    }
    const byPaths = await isAny(theirs => {
      for (const { folder } of theirs) folders.add(folder)
      return meet(mine, theirs)
    })
    if (byPaths || folders.size === 1) return byPaths
    await this.#names.find(folders)
    this.#names.keep(folders)
    return isAny(theirs => this.#meetThere(mine, theirs) === true)
  }
}

const always = (): boolean => true
const never = (): boolean => false

/** A place of the one is a place of the other, lies in it, or has it in itself, as their rows say. */
function meet(mine: readonly Place[], theirs: readonly Place[]): boolean {
  return mine.some(a => theirs.some(b => isIn(a.path, b.path)))
}

/** One of the two is the other, or lies in it. */
function isIn(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

/** The places of one row do not change: of many downloads they are worked out once. */
const known = new WeakMap<StoredDownload, readonly Place[]>()

/** None before its metadata is known: until that is in its row it has not touched a file. */
function placesOf(stored: StoredDownload): readonly Place[] {
  let places = known.get(stored)
  if (places !== undefined) return places
  const { pieceCount, destination, movingTo, movedFrom } = stored
  const folders = [destination, movingTo, movedFrom].filter(folder => folder !== null)
  const roots = rootNames(stored)
  places = pieceCount === 0 ? [] : folders.flatMap(folder => roots.map(root => placeOf(folder, root)))
  known.set(stored, places)
  return places
}

function placeOf(folder: string, name: string | null): Place {
  const root = name === null ? '' : foldName(name)
  const above = foldName(folder).replace(/\/+$/, '')
  return { folder, root, path: below(above, root) }
}

/** What of a torrent lies in a folder, both folded. */
function below(folder: string, root: string): string {
  return root === '' ? folder : `${folder}/${root}`
}
