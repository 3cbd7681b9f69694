// Resume files of Transmission (2.x to 4.x): a dictionary, keys with `-` (4.1 also `_`). Facts of the format: its own
// source, resume.c and resume.cc; files that Debian's 3.00 wrote.

import { DecodeError } from '../../base/errors.ts'
import {
  type BencodeDict,
  type BencodeValue,
  getDict,
  getInt,
  getList,
  getText,
  utf8Text,
  visitListInSteps,
} from '../bencode.ts'
import type { Steps } from '../steps.ts'
import {
  count,
  fitLabels,
  type OtherState,
  pathText,
  resumeSlices,
  type ResumeShape,
  type SeenTimes,
  shortValues,
} from './other-state.ts'
import { allPieces, noPieces, piecesOfBits, piecesOfBlocks, without } from './piece-bits.ts'

const SHORT = [
  'added-date',
  'destination',
  'done-date',
  'downloaded',
  'incomplete-dir',
  'labels',
  'paused',
  'ratio-limit',
  'seeding-time-seconds',
  'sequential-download',
  'speed-limit-down',
  'speed-limit-up',
  'uploaded',
] as const

/** Modes of `ratio-limit`: 0 = as the settings say. */
const OWN_RATIO = 1
const NO_RATIO = 2

/** Reads one. In steps. Throws DecodeError. */
export function* transmissionResume(bytes: Uint8Array, shape: ResumeShape): Steps<OtherState> {
  const slices = dashed(yield* resumeSlices(bytes))
  const short = shortValues(slices, SHORT)
  const times = yield* progressOf(slices.get('progress'), shape)
  const unwanted = yield* numbers(slices.get('dnd'), shape.fileCount)
  const levels = yield* numbers(slices.get('priority'), shape.fileCount)
  return {
    folders: [pathText(getText(short, 'destination')), pathText(getText(short, 'incomplete-dir'))].filter(isText),
    ...times,
    paths: yield* namesOf(slices, shape),
    priorities: prioritiesOf(unwanted, levels),
    paused: getInt(short, 'paused') === 1,
    labels: fitLabels((getList(short, 'labels') ?? []).map(textOf)),
    ratio: ratioOf(getDict(short, 'ratio-limit')),
    seedingMinutes: -2,
    downLimit: limitOf(getDict(short, 'speed-limit-down')),
    upLimit: limitOf(getDict(short, 'speed-limit-up')),
    uploaded: count(getInt(short, 'uploaded')),
    downloaded: count(getInt(short, 'downloaded')),
    added: count(getInt(short, 'added-date')),
    finished: count(getInt(short, 'done-date')),
    seededSec: count(getInt(short, 'seeding-time-seconds')),
    sequential: getInt(short, 'sequential-download') === 1,
    superSeeding: false,
    trackers: null,
    webSeeds: null,
  }
}

/** 4.1 writes `_` where all before wrote `-`. */
function dashed(slices: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  return new Map([...slices].map(([key, value]) => [key.replaceAll('_', '-'), value]))
}

interface Progress {
  readonly have: Uint8Array | null
  readonly doubted: Uint8Array | null
  readonly times: SeenTimes | null
}

function* progressOf(slice: Uint8Array | undefined, shape: ResumeShape): Steps<Progress> {
  if (slice === undefined) return { have: null, doubted: null, times: null }
  const slices = dashed(yield* resumeSlices(slice))
  const short = shortValues(slices, ['blocks', 'bitfield', 'have', 'pieces'])
  const have = haveOf(short, shape)
  const checked = setOf(short.get('pieces'), shape.pieceCount)
  return {
    have,
    doubted: have === null || checked === null ? null : without(have, checked),
    times: yield* timesOf(slices, shape),
  }
}

/** `blocks` (3.x on) or `bitfield` say which blocks are there; `have` is "all" of a whole torrent. */
function haveOf(progress: BencodeDict, shape: ResumeShape): Uint8Array | null {
  const blocks = progress.get('blocks') ?? progress.get('bitfield')
  const word = wordOf(blocks) ?? (blocks === undefined ? wordOf(progress.get('have')) : null)
  if (word === 'all') return allPieces(shape.pieceCount)
  if (word === 'none') return noPieces(shape.pieceCount)
  return blocks instanceof Uint8Array ? piecesOfBlocks(blocks, shape) : null
}

function setOf(value: BencodeValue | undefined, pieceCount: number): Uint8Array | null {
  const word = wordOf(value)
  if (word === 'all') return allPieces(pieceCount)
  if (word === 'none') return noPieces(pieceCount)
  return value instanceof Uint8Array ? piecesOfBits(value, pieceCount) : null
}

/** `all` or `none`; bits otherwise. */
function wordOf(value: BencodeValue | undefined): string | null {
  const text = value instanceof Uint8Array && value.length <= 4 ? utf8Text(value) : null
  return text === 'all' || text === 'none' ? text : null
}

/**
 * `mtimes`: of each file when it was checked. `time-checked` (3.x): when that was, one time or one a piece of the file.
 */
function* timesOf(slices: ReadonlyMap<string, Uint8Array>, { fileCount }: ResumeShape): Steps<SeenTimes | null> {
  const [same, latest] = [slices.get('mtimes'), slices.get('time-checked')]
  const seconds: number[] = []
  const list = same ?? latest
  if (list === undefined) return null
  yield* visitListInSteps(list, value => {
    if (seconds.length >= fileCount) throw new DecodeError('the resume data has times of more files than there are')
    seconds.push(timeOf(value))
  })
  return { rule: same === undefined ? 'latest' : 'same', seconds }
}

/** A list is a base and, for each piece, seconds behind it, 0 = never. The oldest counts; 0 = not all were checked. */
function timeOf(value: BencodeValue): number {
  if (typeof value === 'number') return count(value)
  if (!Array.isArray(value)) return 0
  const [base = 0, ...behind] = value.map(one => (typeof one === 'number' ? one : 0))
  const oldest = behind.reduce((least, one) => Math.min(least, one), Number.MAX_SAFE_INTEGER)
  return oldest <= 0 || behind.length === 0 ? 0 : count(base + oldest)
}

/** Paths below the folder, where files or the torrent have another name than in the torrent file. */
function* namesOf(slices: ReadonlyMap<string, Uint8Array>, { fileCount }: ResumeShape): Steps<string[] | null> {
  const list = slices.get('files')
  if (list === undefined) return null
  const names: string[] = []
  yield* visitListInSteps(list, value => {
    if (names.length >= fileCount) throw new DecodeError('the resume data names more files than there are')
    names.push(textOf(value))
  })
  return names.length === fileCount ? names : null
}

function* numbers(list: Uint8Array | undefined, fileCount: number): Steps<number[] | null> {
  if (list === undefined) return null
  const found: number[] = []
  yield* visitListInSteps(list, value => {
    if (found.length >= fileCount) throw new DecodeError('the resume data has more files than there are')
    found.push(typeof value === 'number' ? value : 0)
  })
  return found
}

/** -1, 0 and 1 become 1, 4 and 7. */
function prioritiesOf(unwanted: readonly number[] | null, levels: readonly number[] | null): number[] | null {
  const length = Math.max(unwanted?.length ?? 0, levels?.length ?? 0)
  const found = Array.from({ length }, (_, file) =>
    unwanted?.[file] === 1 ? 0 : 4 + 3 * Math.sign(levels?.[file] ?? 0),
  )
  return found.some(one => one !== 4) ? found : null
}

function ratioOf(limit: BencodeDict | null): number {
  if (limit === null) return -2
  const mode = getInt(limit, 'ratio-mode') ?? getInt(limit, 'ratio_mode')
  if (mode === NO_RATIO) return -1
  // A real number, as text.
  const ratio = Number(getText(limit, 'ratio-limit') ?? getText(limit, 'ratio_limit') ?? Number.NaN)
  return mode === OWN_RATIO && Number.isFinite(ratio) && ratio >= 0 ? ratio : -2
}

function limitOf(limit: BencodeDict | null): number {
  if (limit === null) return 0
  const value = (name: string): number | null => getInt(limit, name) ?? getInt(limit, name.replaceAll('-', '_'))
  if (value('use-speed-limit') !== 1) return 0
  return count(value('speed-Bps') ?? getInt(limit, 'speed_Bps') ?? 1000 * (value('speed') ?? 0))
}

function textOf(value: BencodeValue): string {
  return (value instanceof Uint8Array ? utf8Text(value) : null) ?? ''
}

function isText(text: string | null): text is string {
  return text !== null
}
