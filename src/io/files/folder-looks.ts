// Size and time of the files of many torrents that lie in few folders, as when a node starts: torrents of one
// destination are looked at one after the other from one open folder, so that each costs a call a file and not also
// those that resolve, open and close the folder. Invariants: no path is followed through a link below the destination,
// as in FolderWalk; a folder is open for a few dozen torrents at most, so that facts are not older than that.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { realpath } from 'node:fs/promises'
import { AppError } from '../../base/errors.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import type { FileFacts, StoreLayout } from '../../ports/piece-store.ts'
import { runStepsInTurns } from '../../wire/steps.ts'
import { diskError } from './disk-errors.ts'
import { absentFacts, statFile } from './file-facts.ts'
import { planFolders } from './folder-plan.ts'
import { entriesThere, FolderWalk, type WalkPlace } from './folder-walk.ts'
import { FolderChain } from './folder-way.ts'
import { procAvailable } from './safe-files.ts'
import type { VolumeLanes } from './volume-lanes.ts'

/** Torrents that are looked at from one open folder. */
const MAX_LOOKS = 64
/** Looks at one destination at a time: more than its volume has turns for bring nothing. */
const MAX_WALKERS = 3
/** One more goes when so many wait. */
const WAITING_A_WALKER = 8
/** Turns of the loop that an open folder waits for another torrent: who adds many does so in turns. */
const LINGER_TURNS = 4
/** Folders that a walker has open below each other. */
const FOLDERS_OPEN = 32

/** One torrent that waits to be looked at. */
interface Look {
  readonly files: StoreLayout['files']
  readonly settle: (facts: Promise<FileFacts[]>) => void
}

/** Looks at one destination. */
interface Place {
  readonly waiting: Look[]
  walkers: number
}

/** Where folders are resolved: counted by tests. */
export interface LookDeps {
  readonly lanes: VolumeLanes
  /** What a torrent in that folder never touches. */
  readonly own: (destination: string) => OwnFiles | null
  readonly resolve?: (path: string) => Promise<string>
}

/** Looks at files of torrents, those of one destination together. */
export class FolderLooks {
  readonly #deps: LookDeps
  readonly #places = new Map<string, Place>()

  constructor(deps: LookDeps) {
    this.#deps = deps
  }

  /** As PieceStore.facts(). */
  facts({ destination, files }: Pick<StoreLayout, 'destination' | 'files'>): Promise<FileFacts[]> {
    return new Promise(settle => {
      const place = this.#places.get(destination) ?? { waiting: [], walkers: 0 }
      this.#places.set(destination, place)
      place.waiting.push({ files, settle })
      if (place.walkers >= MAX_WALKERS || place.waiting.length <= place.walkers * WAITING_A_WALKER) return
      place.walkers += 1
      void this.#walk(destination, place)
    })
  }

  /** Looks at what waits until nothing does. Never rejects. */
  async #walk(destination: string, place: Place): Promise<void> {
    while (place.waiting.length > 0) await this.#lookAtSome(destination, place.waiting)
    place.walkers -= 1
    if (place.walkers === 0) this.#places.delete(destination)
  }

  async #lookAtSome(destination: string, waiting: Look[]): Promise<void> {
    const opened = await this.#open(destination)
    for (let left = MAX_LOOKS; left > 0; left--) {
      for (let turns = LINGER_TURNS; waiting.length === 0 && turns > 0; turns--) await nextTurn()
      const look = waiting.shift()
      if (look === undefined) break
      const facts = opened instanceof Error ? Promise.reject(opened) : this.#look(look, opened)
      look.settle(facts)
      await facts.catch(() => undefined)
    }
    if (opened === null || opened instanceof Error) return
    // Too many wait for the volume: closed without a turn, never left open.
    await opened.place.turn(() => opened.chain.close()).catch(() => opened.chain.close())
  }

  /** Null where the destination is gone; what else the disk said. */
  async #open(destination: string): Promise<{ place: WalkPlace; chain: FolderChain } | Error | null> {
    const { lanes, own, resolve = realpath } = this.#deps
    try {
      const root = await lanes.run(destination, () => resolve(destination))
      const folders = { create: false, proc: procAvailable, own: own(destination) }
      const place: WalkPlace = { root, folders, turn: call => lanes.run(root, call) }
      return { place, chain: new FolderChain(root, folders, FOLDERS_OPEN) }
    } catch (error) {
      const failure = diskError(error, destination)
      return isGone(failure) ? null : failure
    }
  }

  async #look({ files }: Look, opened: { place: WalkPlace; chain: FolderChain } | null): Promise<FileFacts[]> {
    const [top] = await runStepsInTurns(planFolders(files), nextTurn)
    const facts = await runStepsInTurns(absentFacts(files.length), nextTurn)
    if (top === undefined || opened === null) return facts
    const { place, chain } = opened
    const work = {
      entries: entriesThere,
      file: async (...[folder, file]: Parameters<typeof statFile>): Promise<void> => {
        facts[file.index] = await statFile(folder, file)
      },
    }
    await new FolderWalk(work, { place, skips: true, signal: undefined, chain }).run(top)
    return facts
  }
}

function isGone(error: Error): boolean {
  return error instanceof AppError && (error.code === 'FileMissing' || error.code === 'UnsafePath')
}
