// The films and sounds of a download, with the subtitles that go with each. Names only; pure.

import { type NamedFile, playedFiles } from '../../../http/playlist/sidecars.ts'
import { endingOf, playedType } from './media-types.ts'

/** A file of a download. */
export interface SizedFile extends NamedFile {
  /** Bytes. */
  readonly size: number
}

/** Subtitles in a file of their own. */
export interface MediaSubtitle extends NamedFile {
  /** By the ending of its name. */
  readonly type: string
}

/** A film or a sound. */
export interface MediaFile extends SizedFile {
  readonly mime: string
  readonly subtitles: readonly MediaSubtitle[]
}

/** Files of one download that are shown. */
export const MAX_FILES = 10_000
const MAX_SUBTITLES = 8
/** What televisions read, the best known first. */
const SUBTITLE_TYPES: readonly string[] = ['srt', 'smi', 'ass', 'ssa', 'vtt', 'sub']

/** Those among `files`, in the order of their names. */
export function mediaFiles(files: readonly SizedFile[]): MediaFile[] {
  const sizes = new Map(files.map(({ index, size }) => [index, size]))
  const found: MediaFile[] = []
  for (const { index, name, sidecars } of playedFiles(files)) {
    const mime = playedType(name)
    if (mime === null) continue
    found.push({ index, name, size: sizes.get(index) ?? 0, mime, subtitles: subtitlesOf(sidecars) })
    if (found.length >= MAX_FILES) break
  }
  return found
}

function subtitlesOf(sidecars: readonly NamedFile[]): MediaSubtitle[] {
  const rank = ({ type }: MediaSubtitle): number => SUBTITLE_TYPES.indexOf(type)
  return sidecars
    .map(({ index, name }) => ({ index, name, type: endingOf(name) }))
    .filter(({ type }) => SUBTITLE_TYPES.includes(type))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MAX_SUBTITLES)
}
