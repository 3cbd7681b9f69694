// Resume data of libtorrent (1.x and 2.x), plain or with the `qBt-` keys of qBittorrent. Facts of the format:
// libtorrent's documentation of write_resume_data, qBittorrent's bencoderesumedatastorage.cpp; files that Debian's
// versions wrote.

import { DecodeError } from '../../base/errors.ts'
import {
  type InfoHash,
  infoHashFromBytes,
  type InfoHashV2,
  infoHashV2FromBytes,
  truncatedInfoHash,
} from '../../base/ids.ts'
import { cleanTiers } from '../tracker/announce-tiers.ts'
import {
  type BencodeDict,
  type BencodeValue,
  getBytes,
  getInt,
  getList,
  getText,
  utf8Text,
  visitListInSteps,
} from '../bencode.ts'
import type { Steps } from '../steps.ts'
import { webSeedList } from '../metainfo/web-seed-urls.ts'
import {
  bytesOfLength,
  count,
  fitLabels,
  type OtherState,
  pathText,
  resumeSlices,
  type ResumeShape,
  type SeenTimes,
  shortValues,
} from './other-state.ts'
import { piecesOfBytes, without } from './piece-bits.ts'

const SHORT = [
  'added_time',
  'auto_managed',
  'completed_time',
  'download_rate_limit',
  'file-format',
  'finished_time',
  'info-hash',
  'info-hash2',
  'name',
  'paused',
  'pieces',
  'qBt-category',
  'qBt-downloadPath',
  'qBt-name',
  'qBt-ratioLimit',
  'qBt-savePath',
  'qBt-seedingTimeLimit',
  'qBt-tags',
  'save_path',
  'seed_mode',
  'seeding_time',
  'sequential_download',
  'super_seeding',
  'total_downloaded',
  'total_uploaded',
  'trackers',
  'upload_rate_limit',
  'url-list',
] as const

/** `have` of a byte of `pieces`; in seed mode those that were verified meanwhile. */
const HAVE = 1
const VERIFIED = 2

/** Resume data whose torrent is not known yet. */
export interface LibtorrentResume {
  readonly infoHash: InfoHash
  readonly infoHashV2: InfoHashV2 | null
  readonly name: string | null
  /** The info dictionary, where the file itself has it. */
  readonly info: Uint8Array | null
  readonly slices: ReadonlyMap<string, Uint8Array>
  readonly short: BencodeDict
  /** Written by qBittorrent. */
  readonly qbittorrent: boolean
}

/** Reads what needs no torrent. In steps. Throws DecodeError. */
export function* openLibtorrentResume(bytes: Uint8Array): Steps<LibtorrentResume> {
  const slices = yield* resumeSlices(bytes)
  const short = shortValues(slices, SHORT)
  if (getText(short, 'file-format') !== 'libtorrent resume file')
    throw new DecodeError('it is no resume data of libtorrent')
  const infoHashV2 = v2Of(getBytes(short, 'info-hash2'))
  const v1 = getBytes(short, 'info-hash')
  const named = v1 === null || v1.length !== 20 || v1.every(byte => byte === 0) ? null : infoHashFromBytes(v1)
  const infoHash = named ?? (infoHashV2 === null ? null : truncatedInfoHash(infoHashV2))
  if (infoHash === null) throw new DecodeError('the resume data names no torrent')
  const info = slices.get('info') ?? null
  const qbittorrent = [...slices.keys()].some(key => key.startsWith('qBt-'))
  const name = textAt(short, 'qBt-name') ?? textAt(short, 'name')
  return { infoHash, infoHashV2, name, info, slices, short, qbittorrent }
}

/** Reads the rest; `shape` null = the torrent is not known. In steps. Throws DecodeError. */
export function* libtorrentState(resume: LibtorrentResume, shape: ResumeShape | null): Steps<OtherState> {
  const { slices, short, qbittorrent } = resume
  const trackers = trackersOf(short.get('trackers'))
  const webSeeds = webSeedList(short.get('url-list'))
  return {
    folders: foldersOf(short),
    ...(shape === null ? { have: null, doubted: null } : piecesOf(short, shape)),
    times: shape === null ? null : yield* timesOf(slices.get('file sizes'), shape),
    paths: shape === null ? null : yield* pathsOf(slices.get('mapped_files'), shape),
    priorities: shape === null ? null : yield* prioritiesOf(slices.get('file_priority'), shape, qbittorrent),
    // Both: it waits in libtorrent's queue.
    paused: getInt(short, 'paused') === 1 && getInt(short, 'auto_managed') !== 1,
    labels: labelsOf(short),
    ratio: ratioOf(getInt(short, 'qBt-ratioLimit')),
    seedingMinutes: minutesOf(getInt(short, 'qBt-seedingTimeLimit')),
    downLimit: count(getInt(short, 'download_rate_limit')),
    upLimit: count(getInt(short, 'upload_rate_limit')),
    uploaded: count(getInt(short, 'total_uploaded')),
    downloaded: count(getInt(short, 'total_downloaded')),
    added: count(getInt(short, 'added_time')),
    finished: count(getInt(short, 'completed_time')),
    seededSec: count(getInt(short, 'seeding_time')),
    sequential: getInt(short, 'sequential_download') === 1,
    superSeeding: getInt(short, 'super_seeding') === 1,
    trackers: trackers.length > 0 ? trackers : null,
    webSeeds: webSeeds.length > 0 ? webSeeds : null,
  }
}

function v2Of(bytes: Uint8Array | null): InfoHashV2 | null {
  return bytes === null || bytes.length !== 32 || bytes.every(byte => byte === 0) ? null : infoHashV2FromBytes(bytes)
}

/** `save_path` is where libtorrent has the files now; qBittorrent's own keys say where they should be. */
function foldersOf(short: BencodeDict): string[] {
  const texts = ['save_path', 'qBt-downloadPath', 'qBt-savePath'].map(key => pathText(getText(short, key)))
  return [...new Set(texts.filter(text => text !== null))]
}

function piecesOf(short: BencodeDict, { pieceCount }: ResumeShape): Pick<OtherState, 'have' | 'doubted'> {
  const bytes = bytesOfLength(short, 'pieces', pieceCount)
  const doubts = getInt(short, 'seed_mode') === 1
  // Nothing is known, or in seed mode the user said that all is there: libtorrent itself would check then.
  if (bytes === null) return { have: null, doubted: null }
  const have = piecesOfBytes(bytes, HAVE)
  return { have, doubted: doubts ? without(have, piecesOfBytes(bytes, VERIFIED)) : null }
}

/** Before 1.2: size and time of change of each file. */
function* timesOf(list: Uint8Array | undefined, { fileCount }: ResumeShape): Steps<SeenTimes | null> {
  if (list === undefined) return null
  const seconds: number[] = []
  yield* visitListInSteps(list, value => {
    if (seconds.length >= fileCount) throw new DecodeError('the resume data has times of more files than there are')
    const time = Array.isArray(value) ? value[1] : null
    seconds.push(typeof time === 'number' ? count(time) : 0)
  })
  return { rule: 'same', seconds }
}

/** Another number than that of the files: it counts padding otherwise, and says nothing. */
function* pathsOf(list: Uint8Array | undefined, { fileCount }: ResumeShape): Steps<string[] | null> {
  if (list === undefined) return null
  const paths: string[] = []
  yield* visitListInSteps(list, value => {
    if (paths.length > fileCount) return
    paths.push((value instanceof Uint8Array ? utf8Text(value) : null)?.replaceAll('\\', '/') ?? '')
  })
  return paths.length === fileCount ? paths : null
}

/** libtorrent's own are those of this node; 1 is qBittorrent's "normal". A shorter list leaves the last ones normal. */
function* prioritiesOf(
  list: Uint8Array | undefined,
  { fileCount }: ResumeShape,
  qbittorrent: boolean,
): Steps<number[] | null> {
  if (list === undefined) return null
  const levels: number[] = []
  yield* visitListInSteps(list, value => {
    if (levels.length > fileCount) return
    const level = typeof value === 'number' ? Math.max(0, Math.min(7, value)) : 4
    levels.push(qbittorrent && level === 1 ? 4 : level)
  })
  if (levels.length > fileCount) return null
  return levels.some(level => level !== 4) ? levels : null
}

function labelsOf(short: BencodeDict): string[] {
  const tags = (getList(short, 'qBt-tags') ?? []).map(textOf)
  return fitLabels([getText(short, 'qBt-category') ?? '', ...tags])
}

/** Thousandths; -2000 = as the settings say, -1000 = none. */
function ratioOf(value: number | null): number {
  if (value === null) return -2
  const ratio = value / 1000
  return ratio >= 0 || ratio === -1 ? ratio : -2
}

function minutesOf(value: number | null): number {
  return value === null ? -2 : value >= -1 ? value : -2
}

function trackersOf(value: BencodeValue | undefined): string[][] {
  if (!Array.isArray(value)) return []
  return cleanTiers(value.map(tier => (Array.isArray(tier) ? tier.map(textOf) : [])))
}

function textAt(dict: BencodeDict, key: string): string | null {
  return getText(dict, key) || null
}

function textOf(value: BencodeValue): string {
  return (value instanceof Uint8Array ? utf8Text(value) : null) ?? ''
}
