// One torrent of another client taken over: read, compared with the files that are there, and added with what is left
// to trust. It writes nothing but this node's own records. Errors become results: one broken torrent stops no other.

import { AppError, DecodeError, errorText } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ClientPaths, PathCaller } from '../../ports/new-files.ts'
import type { FolderUse } from '../../ports/own-files.ts'
import type { FileFacts, PieceStore, PieceStores } from '../../ports/piece-store.ts'
import type { ProgressJournal } from '../../ports/progress-journal.ts'
import type { Random } from '../../ports/random.ts'
import type { OtherClient, OtherNames, ResumeFolder } from '../../ports/resume-folder.ts'
import type { VolumeWatch } from '../../ports/volumes.ts'
import { retryWhileBusy } from '../../torrent/pieces/busy-pool.ts'
import { forEachPiece, type PieceSet } from '../../base/piece-set.ts'
import { layoutOf } from '../../torrent/session/torrent-core.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { SeedableTorrent } from '../downloads/add-made.ts'
import type { AddDownload, ControlChange } from '../downloads/downloads-api.ts'
import type { ImportedTorrent, ImportReason } from './import-api.ts'
import { mappedPath, type PathMap } from './import-paths.ts'
import { hashAll, type ImportPlan, planImport } from './import-plan.ts'
import { type ImportSource, readImport } from './import-source.ts'
import { askedOf } from '../downloads/new-download.ts'

/** Endings that clients give to files that are not complete. */
const PARTIAL_ENDINGS = ['.part', '.!qB']
/** Names looked for where files are missing. */
const NAMES_LOOKED_FOR = 16

/** What the import needs of the downloads. */
export interface ImportedDownloads {
  /** AppErrors that adding would end in whatever the torrent. */
  checkAdding(): void
  has(infoHash: ImportSource['infoHash']): boolean
  /** False when it is known already. */
  addMade(made: SeedableTorrent): Promise<boolean>
  add(request: AddDownload): Promise<unknown>
}

/** What it needs of the node. */
export interface ImportParts {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly stores: PieceStores
  readonly journal: Pick<ProgressJournal, 'checkpoint'>
  readonly names: OtherNames
  /** The way to files that may lie on a volume that does not answer. */
  readonly volumes: Pick<VolumeWatch, 'inTime'>
  readonly paths: ClientPaths
  readonly downloads: ImportedDownloads
  /** Makes the folder ready; its real path. AppErrors InvalidParameter, PathNotAllowed, DiskFull. */
  prepareFolder(folder: string, use?: FolderUse): Promise<string>
}

/** What is asked of one import. */
export interface ImportOrder {
  readonly client: OtherClient
  readonly map: PathMap
  readonly dryRun: boolean
  /** Pieces hashed as evidence. */
  readonly sample: number
  readonly caller: PathCaller
  readonly signal: AbortSignal
}

/** Imports torrent `source` of the folder. Rejects with AppError NotReady or Aborted alone. */
export async function importOne(
  folder: ResumeFolder,
  source: string,
  order: ImportOrder,
  parts: ImportParts,
): Promise<ImportedTorrent> {
  const record = emptyRecord(source)
  try {
    const files = await folder.read(source)
    const read = await readImport(files, order.client)
    record.infohash = read.infoHash
    record.name = read.name
    if (parts.downloads.has(read.infoHash)) return { ...record, result: 'exists' }
    if (read.metainfo === null) return await importLink(record, read, order, parts)
    return await new TorrentImport(record, { ...read, metainfo: read.metainfo }, order, parts).run(files.resumeMs)
  } catch (error) {
    if (error instanceof AppError && (error.code === 'NotReady' || error.code === 'Aborted')) throw error
    const code = error instanceof AppError ? error.code : 'TorrentUnreadable'
    if (!(error instanceof AppError) && !(error instanceof DecodeError))
      parts.log.error('a torrent could not be imported', { source, error: errorText(error) })
    return { ...record, result: 'refused', reasons: [{ code, message: errorText(error) }] }
  }
}

function emptyRecord(source: string): ImportedTorrent {
  return {
    source,
    infohash: '',
    name: '',
    result: 'imported',
    reasons: [],
    destination: '',
    pieces: 0,
    pieces_kept: 0,
    pieces_to_check: 0,
    pieces_sampled: 0,
  }
}

type KnownSource = Omit<Extract<ImportSource, { readonly bytes: Uint8Array }>, 'metainfo'> & {
  readonly metainfo: Metainfo
}
type LinkSource = ImportSource & { readonly metainfo: null }

/** A torrent whose metadata never came has no data either: it begins again as a link. */
async function importLink(
  record: ImportedTorrent,
  { state, magnet }: LinkSource,
  order: ImportOrder,
  parts: ImportParts,
): Promise<ImportedTorrent> {
  const [named] = state.folders
  if (named === undefined) throw new AppError('TorrentUnreadable', 'The resume data names no folder.')
  const destination = await parts.paths.resolveNew(mappedPath(named, order.map), order.caller)
  const { file_priorities: _none, ...controls } = controlsOf(state)
  if (!order.dryRun)
    await parts.downloads.add({ uri: magnet, destination, linkless: true, paused: state.paused, ...controls })
  const message = 'The other client never had its metadata: it is looked for again.'
  return { ...record, destination, reasons: [{ code: 'metadata_missing', message }] }
}

/** What was asked of it there, in this node's words. */
function controlsOf(state: ImportSource['state']): ControlChange {
  const { downLimit, upLimit, ratio, seedingMinutes, priorities, labels } = state
  return {
    ...(downLimit > 0 && { max_download_speed: downLimit }),
    ...(upLimit > 0 && { max_upload_speed: upLimit }),
    ...(ratio !== -2 && { seeding_ratio: ratio }),
    ...(seedingMinutes !== -2 && { seeding_time: seedingMinutes }),
    ...(priorities !== null && { file_priorities: [...priorities] }),
    ...(labels.length > 0 && { labels: [...labels] }),
    ...(state.sequential && { sequential: true }),
    ...(state.superSeeding && { super_seeding: true }),
  }
}

/** A folder in which the files may lie, and what lies there. */
interface Place {
  readonly folder: string
  readonly facts: readonly FileFacts[]
}

/** The import of a torrent whose metadata is there. */
class TorrentImport {
  readonly #record: ImportedTorrent
  readonly #read: KnownSource
  readonly #order: ImportOrder
  readonly #parts: ImportParts

  constructor(record: ImportedTorrent, read: KnownSource, order: ImportOrder, parts: ImportParts) {
    this.#record = record
    this.#read = read
    this.#order = order
    this.#parts = parts
  }

  async run(resumeMs: number): Promise<ImportedTorrent> {
    const { metainfo, state } = this.#read
    const place = await this.#place()
    const record = this.#record
    record.destination = place.folder
    record.pieces = metainfo.pieceCount
    let plan = planImport(metainfo, state, place.facts, resumeMs)
    const reasons: ImportReason[] = [...plan.reasons]
    const partial = await this.#partialName(place.folder, plan)
    if (!plan.found && partial === null) throw this.#notThere(place.folder)
    if (partial !== null) reasons.push({ code: 'partial_name', message: partialText(partial) })
    if (plan.missing.length > 0 && this.#isRenamed()) reasons.push({ code: 'renamed', message: RENAMED })
    const sampled = await this.#sample(place.folder, plan)
    if (sampled.wrong !== null) {
      reasons.push({ code: 'sample_wrong', message: `Piece ${sampled.wrong} is not what it should be: all is hashed.` })
      plan = hashAll(metainfo, place.facts, reasons)
    }
    const paused = plan.missing.length > 0
    const added = this.#order.dryRun || (await this.#add(place, plan, state.paused || paused))
    if (!added) return { ...record, result: 'exists' }
    return {
      ...record,
      result: paused ? 'paused' : plan.piecesToCheck > 0 ? 'checking' : 'imported',
      reasons,
      pieces_kept: plan.piecesKept,
      pieces_to_check: plan.piecesToCheck,
      pieces_sampled: sampled.count,
    }
  }

  /** The first folder in which anything of it lies, or the likeliest. */
  async #place(): Promise<Place> {
    const { folders } = this.#read.state
    const { map, caller } = this.#order
    let first: Place | null = null
    for (const named of folders) {
      const folder = await this.#parts.paths.resolveNew(mappedPath(named, map), caller)
      const facts = await this.#withStore(folder, store => store.facts())
      const place = { folder, facts }
      if (facts.some(({ exists, sizeBytes }) => exists && sizeBytes > 0)) return place
      first ??= place
    }
    if (first === null) throw new AppError('TorrentUnreadable', 'The resume data names no folder.')
    return first
  }

  /** The name with which a missing file is there, unfinished. */
  async #partialName(folder: string, { missing }: ImportPlan): Promise<string | null> {
    const { files } = this.#read.metainfo
    for (const index of missing.slice(0, NAMES_LOOKED_FOR)) {
      const path = files[index]?.path ?? []
      const ending = await this.#parts.names.ending(folder, path, PARTIAL_ENDINGS)
      if (ending !== null) return path.join('/') + ending
    }
    return null
  }

  #isRenamed(): boolean {
    const { state, metainfo } = this.#read
    return state.paths?.some((path, index) => path !== metainfo.files[index]?.path.join('/')) ?? false
  }

  #notThere(folder: string): AppError {
    const renamed = this.#isRenamed() ? ` ${RENAMED}` : ''
    const text = `None of its files lies in ${folder} (links are not followed). If they are elsewhere here, say so with map.`
    return new AppError('FileMissing', text + renamed)
  }

  /** Hashes a few of the pieces that would be trusted. */
  async #sample(folder: string, plan: ImportPlan): Promise<{ count: number; wrong: number | null }> {
    const pieces = chosen(plan.kept, plan.piecesKept, this.#order.sample, this.#parts.random)
    const { signal } = this.#order
    let count = 0
    const wrong = await this.#withStore(folder, async store => {
      for (const piece of pieces) {
        if (signal.aborted) throw new AppError('Aborted')
        count += 1
        const verdict = await retryWhileBusy(this.#parts.clock, () => store.verify(piece), { signal })
        if (verdict !== 'ok') return piece
      }
      return null
    })
    return { count, wrong }
  }

  async #add(place: Place, plan: ImportPlan, paused: boolean): Promise<boolean> {
    const { metainfo, bytes, state } = this.#read
    const { downloads, journal, prepareFolder } = this.#parts
    const { selectedFiles, controls } = askedOf({ uri: '', ...controlsOf(state) }, null, metainfo)
    return downloads.addMade({
      metainfo,
      bytes,
      journal,
      facts: place.facts,
      destination: await prepareFolder(place.folder, { files: metainfo.files, linkless: true }),
      earlier: {
        resume: plan.resume,
        selectedFiles,
        controls,
        paused,
        announceTiers: state.trackers ?? metainfo.announceTiers,
        webSeeds: state.webSeeds ?? metainfo.webSeeds ?? [],
        totalUp: state.uploaded,
        totalDown: state.downloaded,
        addedAtMs: state.added * 1000,
        finishedAtMs: state.finished * 1000,
        seededSec: state.seededSec,
      },
    })
  }

  async #withStore<T>(folder: string, use: (store: PieceStore) => Promise<T>): Promise<T> {
    const store = this.#parts.stores.open(layoutOf(folder, this.#read.metainfo))
    const work = async (): Promise<T> => {
      try {
        return await use(store)
      } finally {
        await store.close()
      }
    }
    return this.#parts.volumes.inTime(folder, work())
  }
}

const RENAMED = 'The other client gave its files other names; this node knows them by those of the torrent alone.'

function partialText(name: string): string {
  return `Unfinished files have another name here (${name}): rename them, then check the download, to keep what is there.`
}

/** Some of the pieces of a set, each once. */
function chosen(set: PieceSet, size: number, wanted: number, random: Random): number[] {
  const places = new Set<number>()
  while (places.size < Math.min(wanted, size)) places.add(random.below(size))
  const pieces: number[] = []
  let at = 0
  if (places.size > 0) forEachPiece(set, piece => void (places.has(at++) && pieces.push(piece)))
  return pieces
}
