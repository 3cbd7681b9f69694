// What users ask of one download beside running and hops: limits, order, priorities, goals, labels. Pure: checks, and
// the new values; nothing is applied here.

import { AppError } from '../../base/errors.ts'
import type { DownloadControls, StoredDownload } from '../../ports/records.ts'
import type { TorrentControls } from '../../torrent/types.ts'
import type { ControlChange } from './downloads-api.ts'

/** Nothing was asked for. */
export const NO_CONTROLS: DownloadControls = {
  maxDownloadRate: 0,
  maxUploadRate: 0,
  seedingRatio: null,
  seedingMinutes: null,
  filePriorities: [],
  sequential: false,
  superSeeding: false,
  labels: [],
}

/** In ControlChange: a goal is that of the settings. */
export const GOAL_OF_SETTINGS = -2
/** In ControlChange: seeding never ends for this. */
export const NO_GOAL = -1
/** Priority of a file that was given none. */
const NORMAL = 4
const HIGHEST = 7
/** Labels of one download, and characters of one. */
const MAX_LABELS = 32
const MAX_LABEL_CHARS = 64

/** A selection with the priorities of files that have another than 4. */
export interface FileChoice {
  /** Null = all. */
  readonly selectedFiles: readonly number[] | null
  readonly filePriorities: DownloadControls['filePriorities']
}

/** What was asked of a download. */
export function controlsOf(stored: Pick<StoredDownload, 'controls'>): DownloadControls {
  return stored.controls ?? NO_CONTROLS
}

/** The same for the engine. */
export function torrentControls(controls: DownloadControls): TorrentControls {
  const { maxDownloadRate, maxUploadRate, sequential, superSeeding = false, overwrite = false } = controls
  const filePriorities = new Map(controls.filePriorities)
  const forgets = controls.watchAndForget === true
  return { maxDownloadRate, maxUploadRate, sequential, superSeeding, overwrite, forgets, filePriorities }
}

/** Whether a request asks for anything of this file. */
export function changesControls(change: ControlChange): boolean {
  return controlNames.some(name => change[name] !== undefined)
}

const controlNames = [
  'max_download_speed',
  'max_upload_speed',
  'seeding_ratio',
  'seeding_time',
  'file_priorities',
  'sequential',
  'super_seeding',
  'overwrite',
  'watch_and_forget',
  'labels',
] as const satisfies readonly (keyof ControlChange)[]

/** The values after a change, priorities left out. AppError InvalidParameter: nothing must be changed then. */
export function changeControls(before: DownloadControls, change: ControlChange): DownloadControls {
  return {
    maxDownloadRate: change.max_download_speed ?? before.maxDownloadRate,
    maxUploadRate: change.max_upload_speed ?? before.maxUploadRate,
    seedingRatio: change.seeding_ratio === undefined ? before.seedingRatio : goalOf(change.seeding_ratio),
    seedingMinutes: change.seeding_time === undefined ? before.seedingMinutes : goalOf(change.seeding_time),
    filePriorities: before.filePriorities,
    sequential: change.sequential ?? before.sequential,
    superSeeding: change.super_seeding ?? before.superSeeding === true,
    overwrite: change.overwrite ?? before.overwrite === true,
    watchAndForget: change.watch_and_forget ?? before.watchAndForget === true,
    labels: change.labels === undefined ? before.labels : checkLabels(change.labels),
  }
}

/**
 * Selection and priorities after `wanted` (ControlChange.file_priorities). AppErrors InvalidParameter, MetadataNotFound
 * while the number of files is not known: which files "all but one" are cannot be said then.
 */
export function choosePriorities(before: FileChoice, wanted: readonly number[], fileCount: number | null): FileChoice {
  if (fileCount === null) throw new AppError('MetadataNotFound', 'file_priorities: the files are not known yet.')
  if (wanted.length > fileCount) {
    throw new AppError('InvalidParameter', `file_priorities: ${wanted.length} values for ${fileCount} files.`)
  }
  const selected = new Set(before.selectedFiles ?? Array.from({ length: fileCount }, (_, index) => index))
  const levels = new Map(before.filePriorities)
  for (const [index, level] of wanted.entries()) {
    if (!Number.isInteger(level) || level < -1 || level > HIGHEST) {
      throw new AppError('InvalidParameter', `file_priorities: ${level} is not a whole number from -1 to ${HIGHEST}.`)
    }
    if (level === -1) continue
    if (level === 0) selected.delete(index)
    else selected.add(index)
    if (level === NORMAL) levels.delete(index)
    else if (level > 0) levels.set(index, level)
  }
  return {
    selectedFiles: selected.size === fileCount ? null : [...selected].sort((a, b) => a - b),
    filePriorities: [...levels].sort(([a], [b]) => a - b),
  }
}

/** The priority that a file's record shows. */
export function shownPriority(priorities: ReadonlyMap<number, number>, index: number, selected: boolean): number {
  return selected ? (priorities.get(index) ?? NORMAL) : 0
}

/** A limit of its own and the common one: the lower; 0 = none. */
export function limitInForce(own: number, common: number): number {
  if (own === 0) return common
  return common === 0 ? own : Math.min(own, common)
}

/** A goal as the interface shows it. */
export function shownGoal(goal: number | null): number {
  return goal ?? GOAL_OF_SETTINGS
}

function goalOf(wanted: number): number | null {
  if (wanted === GOAL_OF_SETTINGS) return null
  if (wanted !== NO_GOAL && wanted < 0) {
    throw new AppError('InvalidParameter', 'seeding_ratio, seeding_time: -2, -1, or a number from 0.')
  }
  return wanted
}

/** Whether a download has a label, letter by letter. */
export function hasLabel({ stored }: { readonly stored: Pick<StoredDownload, 'controls'> }, label: string): boolean {
  return controlsOf(stored).labels.includes(label)
}

/** A label as a key may be bound to it. AppError InvalidParameter. */
export function checkLabel(label: string): string {
  const [clean] = checkLabels([label])
  if (clean === undefined) throw new AppError('InvalidParameter', 'label: must not be empty.')
  return clean
}

function checkLabels(labels: readonly string[]): string[] {
  const clean = [...new Set(labels.map(label => label.trim()))].filter(label => label !== '')
  if (clean.length > MAX_LABELS) throw new AppError('InvalidParameter', `labels: at most ${MAX_LABELS}.`)
  const wrong = clean.find(label => label.length > MAX_LABEL_CHARS || [...label].some(notInLabels))
  if (wrong !== undefined) {
    const rule = `at most ${MAX_LABEL_CHARS} characters, no commas and no control characters`
    throw new AppError('InvalidParameter', `labels: ${rule}.`)
  }
  return clean
}

/** Control characters would break lists in logs and terminals; commas, those of clients that join labels. */
function notInLabels(character: string): boolean {
  return character < ' ' || character === '\u007f' || character === ','
}
