// What a channel's record says of a torrent: its metainfo cut down to what fits into one signed record. Pure.

import type { Metainfo, TorrentFile } from '../../../wire/metainfo/torrent-types.ts'
import { categoryOf } from '../wire/category.ts'
import {
  type ChannelFile,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_NAME_CHARACTERS,
  type TorrentContent,
} from '../wire/types.ts'

/**
 * Room for trackers and for files, bytes of UTF-8: with the longest name and description a record stays under
 * MAX_RECORD_BYTES.
 */
const TRACKER_BYTES = 1_024
const FILE_BYTES = 1_536
/** Around each text: its length and its place in the encoding. */
const FRAME_BYTES = 24
/** Trackers in a record. */
const MAX_TRACKERS = 16
/** Files that the category is guessed from. */
const MAX_GUESSED_FILES = 10_000

/** What a record may tell of `metainfo`; `description` is cut. */
export function torrentContent(metainfo: Metainfo, description: string): TorrentContent {
  const files = metainfo.files.filter(file => !file.padding)
  const seen = files.slice(0, MAX_GUESSED_FILES).map(channelFile)
  const name = cutCharacters(metainfo.name, MAX_NAME_CHARACTERS)
  return {
    kind: 'torrent',
    infoHash: metainfo.infoHash,
    name,
    description: cutCharacters(description, MAX_DESCRIPTION_CHARACTERS),
    size: files.reduce((sum, file) => sum + file.length, 0),
    files: fitting(seen, file => Buffer.byteLength(file.path), FILE_BYTES),
    fileCount: files.length,
    trackers: fittingTrackers(metainfo.announceTiers.flat()),
    category: categoryOf(name, seen),
  }
}

/** `text` cut to so many UTF-16 units, never between the halves of a character. */
export function cutCharacters(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

function channelFile(file: TorrentFile): ChannelFile {
  return { path: file.path.join('/'), size: file.length }
}

/** One that is too long does not keep the others out. */
function fittingTrackers(urls: readonly string[]): string[] {
  let left = TRACKER_BYTES
  const kept = urls.filter(url => {
    const bytes = Buffer.byteLength(url) + FRAME_BYTES
    if (bytes > left) return false
    left -= bytes
    return true
  })
  return kept.slice(0, MAX_TRACKERS)
}

/** The first of `list` that go into `room` bytes; the order tells the reader that what is missing comes after. */
function fitting<T>(list: readonly T[], bytesOf: (value: T) => number, room: number): T[] {
  const kept: T[] = []
  let left = room
  for (const value of list) {
    left -= bytesOf(value) + FRAME_BYTES
    if (left < 0) break
    kept.push(value)
  }
  return kept
}
