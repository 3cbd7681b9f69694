// One walk over a torrent's folders on the disk, those above before those below. Only what is there is visited: of a
// torrent of 200,000 folders a few may have been made. Invariants: a visit is short, since it holds a lane of the
// volume and a long one makes it look stalled; small folders are done from the one above them, so that a folder costs
// its own calls and not its depth.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../base/errors.ts'
import { runStepsInTurns } from '../../wire/steps.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { foldName } from '../../wire/metainfo/unique-paths.ts'
import { diskError } from './disk-errors.ts'
import { listedEntries, type PlannedEntries, type PlannedFolder } from './folder-plan.ts'
import { FolderChain, type FolderWay, type OpenFolders } from './folder-way.ts'
import type { SafeFolder } from './safe-files.ts'

/**
 * Entries that are tried one by one, there or not: fewer calls than a listing, and the folder may be full of others'.
 */
const FEW_ENTRIES = 16
/** Entries worked on in one visit. */
const ENTRIES_A_VISIT = 256
/** Folders that one visit has open below each other. */
const FOLDERS_OPEN = 32
/** Names of a folder that are held at a time; in a fuller one every entry is tried. */
const MAX_NAMES = 1_000_000

/** Where a walk goes. */
export interface WalkPlace {
  /** The destination, without links. */
  readonly root: string
  readonly folders: OpenFolders
  /** Runs a visit when the volume has a turn. */
  turn(call: () => Promise<void>): Promise<void>
}

/** What a walk does. */
export interface FolderWork {
  /** What of the plan there is to do in an open folder; entriesThere() for what is there. */
  entries(folder: SafeFolder, plan: PlannedFolder): Promise<PlannedEntries>
  file(folder: SafeFolder, file: TorrentFile): Promise<void>
  /** Before a folder below is entered, in the one above it; false: it is left out. */
  before?(above: FolderWay, below: PlannedFolder): Promise<boolean>
  /** After a folder below is done, in the one above it. */
  after?(folder: SafeFolder, below: PlannedFolder): Promise<void>
}

/** How a walk goes. */
export interface WalkOptions {
  readonly place: WalkPlace
  /**
   * Folders that are missing, or are links, are left out; otherwise the walk rejects with FileMissing or UnsafePath.
   */
  readonly skips: boolean
  /** The walk rejects with AppError Aborted soon after it fires. */
  readonly signal: AbortSignal | undefined
  /** Folders that are open already, at the same place; they stay open. Absent: it opens its own, and closes them. */
  readonly chain?: FolderChain
}

/** One walk. */
export class FolderWalk {
  readonly #work: FolderWork
  readonly #options: WalkOptions
  readonly #chain: FolderChain

  constructor(work: FolderWork, options: WalkOptions) {
    this.#work = work
    this.#options = options
    this.#chain = options.chain ?? new FolderChain(options.place.root, options.place.folders, FOLDERS_OPEN)
  }

  /** From `plan` down. Rejects with what the disk or the work said: what is done until then stays done. */
  async run(plan: PlannedFolder): Promise<void> {
    try {
      await this.#walk(plan)
    } finally {
      if (this.#options.chain === undefined) await this.#options.place.turn(() => this.#chain.close())
    }
  }

  async #walk(plan: PlannedFolder): Promise<void> {
    let { files, below }: PlannedEntries = { files: [], below: [] }
    await this.#visit(plan, async ({ folder }) => {
      ;({ files, below } = await this.#work.entries(folder, plan))
      await this.#files(folder, files.slice(0, ENTRIES_A_VISIT))
    })
    for (let at = ENTRIES_A_VISIT; at < files.length; at += ENTRIES_A_VISIT)
      await this.#visit(plan, ({ folder }) => this.#files(folder, files.slice(at, at + ENTRIES_A_VISIT)))
    for (const batch of batches(below)) await this.#below(plan, batch)
  }

  async #below(plan: PlannedFolder, batch: readonly PlannedFolder[]): Promise<void> {
    const large: PlannedFolder[] = []
    await this.#visit(plan, async way => {
      for (const child of batch) {
        stopWhen(this.#options.signal)
        if ((await this.#work.before?.(way, child)) === false) continue
        if (isSmall(child)) await this.#inside(way, child)
        else large.push(child)
      }
    })
    for (const child of large) await this.#walk(child)
    if (this.#work.after === undefined || large.length === 0) return
    await this.#visit(plan, async ({ folder }) => {
      for (const child of large) await this.#work.after?.(folder, child)
    })
  }

  /** All of a small folder, from the one above it. */
  async #inside(above: FolderWay, plan: PlannedFolder): Promise<void> {
    const { after, before } = this.#work
    await this.#skipping(() =>
      above.enter(plan.parts.at(-1) ?? '', async way => {
        const { files, below } = await this.#work.entries(way.folder, plan)
        await this.#files(way.folder, files)
        for (const child of below)
          if ((await before?.call(this.#work, way, child)) !== false) await this.#inside(way, child)
      }),
    )
    await after?.call(this.#work, above.folder, plan)
  }

  async #files(folder: SafeFolder, files: readonly TorrentFile[]): Promise<void> {
    for (const file of files) {
      stopWhen(this.#options.signal)
      await this.#work.file(folder, file)
    }
  }

  #visit(plan: PlannedFolder, use: (way: FolderWay) => Promise<void>): Promise<void> {
    stopWhen(this.#options.signal)
    const { turn } = this.#options.place
    return this.#skipping(() =>
      turn(async () => {
        const way = await this.#chain.at(plan.parts)
        try {
          await use(way)
        } catch (error) {
          throw diskError(error, way.folder.path)
        }
      }),
    )
  }

  async #skipping(call: () => Promise<void>): Promise<void> {
    try {
      await call()
    } catch (error) {
      const isGone = error instanceof AppError && (error.code === 'FileMissing' || error.code === 'UnsafePath')
      if (!this.#options.skips || !isGone) throw error
    }
  }
}

/** What of the plan may be in the folder: all of a short plan, else what its listing has. */
export async function entriesThere(folder: SafeFolder, plan: PlannedFolder): Promise<PlannedEntries> {
  const all = { files: plan.files, below: [...plan.below.values()] }
  if (all.files.length + all.below.length <= FEW_ENTRIES) return all
  const names = new Set<string>()
  for await (const name of folder.names()) {
    if (names.size === MAX_NAMES) return all
    names.add(foldName(name))
  }
  return runStepsInTurns(
    listedEntries(plan, folded => names.has(folded)),
    nextTurn,
  )
}

function stopWhen(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AppError('Aborted')
}

function isSmall({ height, weight }: PlannedFolder): boolean {
  return height < FOLDERS_OPEN && weight <= ENTRIES_A_VISIT
}

/** Folders that are done in one visit to the one above. */
function* batches(folders: readonly PlannedFolder[]): Generator<readonly PlannedFolder[]> {
  let batch: PlannedFolder[] = []
  let weight = 0
  for (const folder of folders) {
    const own = isSmall(folder) ? folder.weight : 1
    if (weight + own > ENTRIES_A_VISIT) {
      yield batch
      batch = []
      weight = 0
    }
    batch.push(folder)
    weight += own
  }
  if (batch.length > 0) yield batch
}
