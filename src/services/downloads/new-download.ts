// From a torrent source to the row that is stored, and from the row to the torrent the engine is given. Touches
// nothing.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DownloadControls, LoadedDownload, StoredDownload, StoredMetainfo } from '../../ports/records.ts'
import type { InfoHash, InfoHashV2 } from '../../base/ids.ts'
import type { TorrentSpec } from '../../torrent/types.ts'
import { decodeKeptInfo } from '../../wire/metainfo/kept-info.ts'
import { encodeLayersInSteps } from '../../wire/metainfo/piece-layers.ts'
import { safeName } from '../../wire/metainfo/safe-path.ts'
import { runStepsInTurns } from '../../wire/steps.ts'
import type { Metainfo, TorrentNotes } from '../../wire/metainfo/torrent-types.ts'
import { type Anonymity, checkSelection, fitSelection } from './add-checks.ts'
import type { AddDownload } from './downloads-api.ts'
import { changeControls, changesControls, choosePriorities, NO_CONTROLS, torrentControls } from './download-controls.ts'
import type { TorrentSource } from './torrent-source.ts'

/** A row before the store gave it its place. */
export type NewRow = Omit<StoredDownload, 'position'>

/** The trackers a source names: tiers of a file; every tracker of a magnet is a tier of its own. */
export function announceTiersOf(source: TorrentSource): readonly (readonly string[])[] {
  return source.kind === 'file' ? source.metainfo.announceTiers : source.magnet.trackers.map(url => [url])
}

/** The whole v2 info hash, where a source names it (BEP 52). */
export function infoHashV2Of(source: TorrentSource): InfoHashV2 | null {
  return source.kind === 'file' ? (source.metainfo.v2?.infoHash ?? null) : source.magnet.infoHashV2
}

/** The web seeds a source names (BEP 19). */
export function webSeedsOf(source: TorrentSource): readonly string[] {
  return (source.kind === 'file' ? source.metainfo.webSeeds : source.magnet.webSeeds) ?? []
}

/** The metainfo of a source, for a magnet from what was fetched before (`cached`), with the trackers of the source. */
export function metainfoOf(source: TorrentSource, cached: Metainfo | null): Metainfo | null {
  if (source.kind === 'file') return source.metainfo
  return cached === null ? null : { ...cached, announceTiers: announceTiersOf(source) }
}

/**
 * The selection of a new download, null = all. One that the client sent must fit (AppError InvalidParameter); that of
 * a magnet's `so` is cut to what there is.
 */
export function selectionOf(request: AddDownload, source: TorrentSource, metainfo: Metainfo | null): number[] | null {
  const count = metainfo?.files.length ?? null
  if (request.selected_files !== undefined) return checkSelection(request.selected_files, count)
  const offered = source.kind === 'magnet' ? source.magnet.selectedFiles : null
  if (offered === null) return null
  return checkSelection(count === null ? offered : (fitSelection(offered, count) ?? []), count)
}

/** What a new download was asked for, `selectedFiles` changed by its priorities. AppErrors as changeControls(). */
export function askedOf(
  request: AddDownload,
  selectedFiles: readonly number[] | null,
  metainfo: Metainfo | null,
): { readonly selectedFiles: readonly number[] | null; readonly controls: DownloadControls | null } {
  if (!changesControls(request)) return { selectedFiles, controls: null }
  const before = { selectedFiles, filePriorities: NO_CONTROLS.filePriorities }
  const wanted = request.file_priorities
  const choice = wanted === undefined ? before : choosePriorities(before, wanted, metainfo?.files.length ?? null)
  const { filePriorities } = choice
  return {
    selectedFiles: choice.selectedFiles,
    controls: { ...changeControls(NO_CONTROLS, request), filePriorities },
  }
}

/** What a new row is made from; `nowMs` since 1970. */
export interface NewRowFacts {
  readonly uri: string
  readonly source: TorrentSource
  readonly metainfo: Metainfo | null
  /** Absent = those of the source. */
  readonly announceTiers?: readonly (readonly string[])[]
  readonly selectedFiles: readonly number[] | null
  readonly controls: DownloadControls | null
  readonly destination: string
  readonly traits: Anonymity
  /** Added stopped; absent = it runs. */
  readonly paused?: boolean
  readonly nowMs: number
  /** See StoredDownload. */
  readonly queueOrder: number
}

/** The row of a new download. */
export function newRow(facts: NewRowFacts): NewRow {
  const { uri, source, metainfo, selectedFiles, controls, destination, traits, nowMs } = facts
  return {
    infoHash: source.infoHash,
    infoHashV2: metainfo?.v2?.infoHash ?? infoHashV2Of(source),
    name: metainfo?.name ?? shownName(source),
    sourceUri: uri,
    destination,
    announceTiers: facts.announceTiers ?? announceTiersOf(source),
    webSeeds: source.kind === 'magnet' && metainfo?.private === true ? [] : webSeedsOf(source),
    peers: source.kind === 'magnet' ? source.magnet.peers : [],
    addedAtMs: nowMs,
    hops: traits.hops,
    safeSeeding: traits.safeSeeding,
    selectedFiles,
    userStopped: facts.paused === true,
    totalUp: 0,
    totalDown: 0,
    finishedAtMs: null,
    error: '',
    pieceCount: metainfo?.pieceCount ?? 0,
    controls,
    seededSec: 0,
    goalReached: false,
    movingTo: null,
    movedFrom: null,
    queueOrder: facts.queueOrder,
  }
}

/** What a magnet calls itself, unless that names nothing on a disk: `..` would be the folder above. */
function shownName(source: TorrentSource): string {
  const name = source.kind === 'magnet' ? source.magnet.name : null
  return name === null || safeName(Buffer.from(name)) === null ? source.infoHash : name
}

/** What is kept of a torrent file beside its info dictionary. */
export function notesOf({ comment, createdBy, creationDateSec }: TorrentNotes): TorrentNotes {
  return { comment, createdBy, creationDateSec }
}

/** An empty dictionary. */
const NO_LAYERS = Buffer.from('de')

/** The `piece layers` to be stored, null where there is nothing to store (BEP 52); in turns of the event loop. */
export async function layersOf({ v2 }: Metainfo): Promise<Uint8Array | null> {
  const layers = v2 === null ? NO_LAYERS : await runStepsInTurns(encodeLayersInSteps(v2), nextTurn)
  return layers.length > NO_LAYERS.length ? layers : null
}

/** What is stored of a torrent's metainfo; in turns of the event loop. */
export async function storedMetainfo(metainfo: Metainfo): Promise<StoredMetainfo> {
  return { infoBytes: metainfo.infoBytes, pieceLayers: await layersOf(metainfo), notes: notesOf(metainfo) }
}

/**
 * The metainfo that was stored, of a torrent known as `infoHash`; in turns of the event loop. Rejects with DecodeError.
 */
export async function decodeStored(
  { notes, fileNames, ...kept }: StoredMetainfo,
  infoHash: InfoHash,
  announceTiers: StoredDownload['announceTiers'],
): Promise<Metainfo> {
  return { ...(await decodeKeptInfo({ ...kept, infoHash }, announceTiers, nextTurn, fileNames)), ...notes }
}

/** The engine's torrent of a row. */
export function specOf(stored: NewRow, metainfo: Metainfo | null, resume: LoadedDownload['resume']): TorrentSpec {
  const { infoHash, name, destination, announceTiers, peers, totalUp, totalDown } = stored
  const selectedFiles =
    metainfo === null ? stored.selectedFiles : fitSelection(stored.selectedFiles, metainfo.files.length)
  const running = !stored.userStopped
  return {
    infoHash,
    name,
    metainfo,
    destination,
    announceTiers,
    peers,
    selectedFiles,
    running,
    resume,
    totalUp,
    totalDown,
    finishedBefore: stored.finishedAtMs !== null,
    infoHashV2: stored.infoHashV2,
    ...(stored.queueOrder === undefined ? {} : { queueOrder: stored.queueOrder }),
    // A node that died before it noted that a magnet is private (DownloadDefaults.metadata).
    webSeeds: metainfo?.private === true && /^magnet:/i.test(stored.sourceUri) ? [] : stored.webSeeds,
    ...(stored.controls === null ? {} : { controls: torrentControls(stored.controls) }),
  }
}
