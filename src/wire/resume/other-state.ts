// What another client's resume file says of a torrent, in this node's terms. Types, and the few readings that the
// formats share. Everything in it was written by strangers: paths are texts that were not followed yet.

import { DecodeError } from '../../base/errors.ts'
import { type BencodeDict, decodeEntries, getBytes, visitDictInSteps } from '../bencode.ts'
import { plainLine } from '../plain-text.ts'
import type { Steps } from '../steps.ts'

/** What must be known of a torrent to read its resume file. */
export interface ResumeShape {
  readonly totalLength: number
  readonly pieceLength: number
  readonly pieceCount: number
  readonly fileCount: number
}

/** When the other client saw its files last, Unix time in seconds by file index; 0 = it does not say. */
export interface SeenTimes {
  /** `same`: the time of change must still be this one. `latest`: the file must not have been changed after it. */
  readonly rule: 'same' | 'latest'
  readonly seconds: readonly number[]
}

/** What another client knew of a torrent. Rates in bytes/s, times Unix time in seconds, 0 = none. */
export interface OtherState {
  /** Where its files may lie, the likeliest first, as that client names them. */
  readonly folders: readonly string[]
  /** One bit a piece, most significant first: verified there. Null = it does not say. */
  readonly have: Uint8Array | null
  /** Pieces of `have` that it would look at again itself; null = none. */
  readonly doubted: Uint8Array | null
  readonly times: SeenTimes | null
  /** Paths of the files by index as it names them, where it says so: below the folder, with `/`. */
  readonly paths: readonly string[] | null
  /** By file index: 0 = not wanted, 1 to 7; null = all alike. */
  readonly priorities: readonly number[] | null
  readonly paused: boolean
  readonly labels: readonly string[]
  /** Own limits: -2 = those of the settings, -1 = none. */
  readonly ratio: number
  readonly seedingMinutes: number
  readonly downLimit: number
  readonly upLimit: number
  readonly uploaded: number
  readonly downloaded: number
  readonly added: number
  readonly finished: number
  readonly seededSec: number
  readonly sequential: boolean
  readonly superSeeding: boolean
  /** By tier; null = those of the torrent file. */
  readonly trackers: readonly (readonly string[])[] | null
  readonly webSeeds: readonly string[] | null
}

/** Longest text that is kept, bytes. */
const MAX_TEXT_BYTES = 4096
/** Labels as this node has them: how many, and how long at most, bytes. */
const MAX_LABELS = 32
const MAX_LABEL_BYTES = 64

/** Labels cut to what this node takes: no commas, no control characters, bounded. */
export function fitLabels(texts: Iterable<string>): string[] {
  const labels = new Set<string>()
  for (const text of texts) {
    const label = plainLine(text.replaceAll(',', ' '), MAX_LABEL_BYTES)?.trim() ?? ''
    if (label !== '' && labels.size < MAX_LABELS) labels.add(label)
  }
  return [...labels]
}

/** Whether a text may be a path: bounded, no NUL. */
export function pathText(text: string | null): string | null {
  return text === null || text === '' || text.length > MAX_TEXT_BYTES || text.includes('\0') ? null : text
}

/** A whole number from 0 on, or 0. */
export function count(value: number | null): number {
  return value !== null && value > 0 ? value : 0
}

/** The raw values of the dictionary that a resume file is, in steps. Throws DecodeError. */
export function* resumeSlices(bytes: Uint8Array): Steps<Map<string, Uint8Array>> {
  const slices = new Map<string, Uint8Array>()
  yield* visitDictInSteps(bytes, (key, value) => {
    if (slices.size >= MAX_KEYS) throw new DecodeError('the resume data has too many keys')
    if (slices.has(key)) throw new DecodeError('the resume data has a key twice')
    slices.set(key, value)
  })
  return slices
}

/** No client writes a tenth of it. */
const MAX_KEYS = 1000

/** Those of `keys` that are there, decoded: short values only. Throws DecodeError. */
export function shortValues(slices: ReadonlyMap<string, Uint8Array>, keys: readonly string[]): BencodeDict {
  return decodeEntries(slices, keys)
}

/**
 * The bytes at `key` when there are `length` of them; null when there are none. Throws DecodeError for any other
 * length.
 */
export function bytesOfLength(dict: BencodeDict, key: string, length: number): Uint8Array | null {
  const bytes = getBytes(dict, key)
  if (bytes === null || bytes.length === 0) return null
  if (bytes.length !== length)
    throw new DecodeError(`${key} of the resume data has ${bytes.length} bytes, not ${length}`)
  return bytes
}
