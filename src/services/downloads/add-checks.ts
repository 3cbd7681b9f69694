// The rules of PUT and PATCH that need no engine: anonymity, selected files. Pure; they throw before anything changes.

import { AppError } from '../../base/errors.ts'
import type { PatchDownload } from './downloads-api.ts'
import type { AnonymousEngines } from './torrent-engine.ts'

/** Section download_defaults, as far as the rules need it. */
export interface AnonymityDefaults {
  readonly anonymityEnabled: boolean
  readonly numberHops: number
  readonly safeSeedingEnabled: boolean
}

/** How a download hides. */
export interface Anonymity {
  readonly hops: number
  readonly safeSeeding: boolean
}

/** Whether there may be circuits; null: this node has none. */
export type CircuitsCheck = Pick<AnonymousEngines, 'check'> | null

/** More hops than this no circuit of the network has. */
const MAX_HOPS = 3

/** No torrent has more files than this; a longer selection is a mistake. */
export const MAX_SELECTED_FILES = 1_000_000

/** AppError InvalidParameter unless `hops` is a whole number from 0 to 3. */
export function checkHops(hops: number): void {
  if (!Number.isInteger(hops) || hops < 0 || hops > MAX_HOPS) {
    throw new AppError('InvalidParameter', `anon_hops: must be a whole number from 0 to ${MAX_HOPS}.`)
  }
}

/**
 * Hops and safe_seeding of a new download. What is absent comes from the defaults; the default of safe_seeding counts
 * only for hops above 0. AppErrors InvalidParameter, SafeSeedingRequired, CircuitsUnavailable.
 */
export function anonymityOf(
  wanted: { readonly anon_hops?: number; readonly safe_seeding?: boolean },
  defaults: AnonymityDefaults,
  circuits: CircuitsCheck,
): Anonymity {
  const hops = hopsOf(wanted.anon_hops, defaults)
  const safeSeeding = wanted.safe_seeding ?? (hops > 0 && defaults.safeSeedingEnabled)
  if (hops === 0) return { hops, safeSeeding }
  if (!safeSeeding) throw new AppError('SafeSeedingRequired')
  checkCircuits(hops, circuits)
  return { hops, safeSeeding }
}

/** How many hops are wanted where nothing else is asked for than `wanted`. AppError InvalidParameter. */
export function hopsOf(wanted: number | undefined, defaults: AnonymityDefaults): number {
  const hops = wanted ?? (defaults.anonymityEnabled ? defaults.numberHops : 0)
  checkHops(hops)
  return hops
}

/** AppError CircuitsUnavailable for hops above 0 where the settings forbid circuits. */
export function checkCircuits(hops: number, circuits: CircuitsCheck): void {
  if (hops === 0) return
  if (circuits === null) throw new AppError('CircuitsUnavailable')
  circuits.check()
}

/**
 * The selection in order and without doubles. AppError InvalidParameter when an index is not a whole number from 0 up
 * to, not including, `fileCount`; with null (metadata unknown) only the lower bound is checked.
 */
export function checkSelection(files: readonly number[], fileCount: number | null): number[] {
  if (files.length > MAX_SELECTED_FILES) throw new AppError('InvalidParameter', 'selected_files: too many indexes.')
  const limit = fileCount ?? MAX_SELECTED_FILES
  for (const index of files) {
    if (!Number.isInteger(index) || index < 0 || index >= limit) {
      throw new AppError('InvalidParameter', `selected_files: index ${index} out of range.`)
    }
  }
  return [...new Set(files)].sort((a, b) => a - b)
}

/** Drops the indexes that the metadata, now known, does not have; null (all files) stays null. */
export function fitSelection(files: readonly number[] | null, fileCount: number): readonly number[] | null {
  return files === null ? null : files.filter(index => index < fileCount)
}

/** Rules of PATCH that need no download (decisions part 2). AppErrors InvalidParameter, CircuitsUnavailable. */
export function checkPatch(change: PatchDownload, circuits: CircuitsCheck): void {
  if (change.anon_hops === undefined) return
  const others = Object.entries(change).filter(([name, value]) => name !== 'anon_hops' && value !== undefined)
  if (others.length > 0) {
    throw new AppError('InvalidParameter', 'anon_hops must be the only parameter in this request.')
  }
  checkHops(change.anon_hops)
  checkCircuits(change.anon_hops, circuits)
}
