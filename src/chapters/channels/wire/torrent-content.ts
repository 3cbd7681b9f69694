// What a torrent record says, as bytes. Of files and trackers as many are written as fit; what is read was written so
// or is refused.

import { DecodeError } from '../../../base/errors.ts'
import { infoHashBytes, infoHashFromBytes } from '../../../base/ids.ts'
import type { OverlayReader } from '../../overlay/wire/reader.ts'
import type { OverlayWriter } from '../../overlay/wire/writer.ts'
import { MOST_U48, readText, readU48, writeText, writeU48 } from './fields.ts'
import { isFilePath, isProse, isTitle } from './texts.ts'
import type { ChannelFile, TorrentContent } from './types.ts'

/** Most trackers of a torrent record, and their bytes together. */
export const MAX_RECORD_TRACKERS = 16
const MAX_TRACKER_BYTES = 1024
/**
 * Files are written as long as the content stays below this many bytes: lists of thousands of files tell a reader
 * nothing.
 */
const ROOM_OF_FILES = 3000
const MAX_FILES = 255
const MAX_FILE_COUNT = 1_000_000

const TRACKER = /^(?:https?|udp|wss?):\/\/[\x21-\x7e]{3,500}$/
const CATEGORY = /^[a-z]{1,16}$/

/** Whether a record can have `category`. */
export function isCategory(category: string): boolean {
  return CATEGORY.test(category)
}

/** Writes a torrent's content. Trackers and files that are not taken or do not fit are left out. */
export function writeTorrent(content: TorrentContent, to: OverlayWriter): void {
  to.put(infoHashBytes(content.infoHash))
  writeText(content.name, to)
  writeText(content.description, to)
  writeU48(content.size, to)
  writeText(content.category, to)
  const trackers = fittingTrackers(content.trackers)
  to.u8(trackers.length)
  for (const tracker of trackers) writeText(tracker, to)
  const files = fittingFiles(content.files, ROOM_OF_FILES - to.length)
  to.u32(Math.max(content.fileCount, files.length))
  to.u8(files.length)
  for (const file of files) {
    writeText(file.path, to)
    writeU48(file.size, to)
  }
}

function fittingTrackers(trackers: readonly string[]): string[] {
  const fitting: string[] = []
  let room = MAX_TRACKER_BYTES
  for (const tracker of new Set(trackers)) {
    if (!TRACKER.test(tracker)) continue
    room -= tracker.length
    if (room < 0 || fitting.length === MAX_RECORD_TRACKERS) break
    fitting.push(tracker)
  }
  return fitting
}

function fittingFiles(files: readonly ChannelFile[], bytes: number): ChannelFile[] {
  const fitting: ChannelFile[] = []
  let room = bytes
  for (const file of files) {
    if (!isFilePath(file.path) || !(file.size >= 0 && file.size <= MOST_U48)) continue
    room -= Buffer.byteLength(file.path) + 8
    if (room < 0 || fitting.length === MAX_FILES) break
    fitting.push(file)
  }
  return fitting
}

/** Reads a torrent's content. Throws DecodeError. */
export function readTorrent(from: OverlayReader): TorrentContent {
  const infoHash = infoHashFromBytes(from.take(20))
  const name = readText(from, isTitle, 'a name')
  const description = readText(from, isProse, 'a description')
  const size = readU48(from)
  const category = readText(from, isCategory, 'a category')
  const trackers = readTrackers(from)
  const room = ROOM_OF_FILES - from.at
  const fileCount = from.u32()
  const files = readFiles(from, room)
  if (fileCount < files.length || fileCount > MAX_FILE_COUNT) throw new DecodeError(`${fileCount} files`)
  return { kind: 'torrent', infoHash, name, description, size, files, fileCount, trackers, category }
}

function readTrackers(from: OverlayReader): string[] {
  const count = from.u8()
  const trackers = new Set<string>()
  for (let at = 0; at < count; at++) trackers.add(readText(from, text => TRACKER.test(text), 'a tracker'))
  const read = [...trackers]
  if (read.length !== count || fittingTrackers(read).length !== count) throw new DecodeError(`${count} trackers`)
  return read
}

function readFiles(from: OverlayReader, room: number): ChannelFile[] {
  const count = from.u8()
  const files: ChannelFile[] = []
  for (let at = 0; at < count; at++) files.push({ path: readText(from, isFilePath, 'a path'), size: readU48(from) })
  if (fittingFiles(files, room).length !== count) throw new DecodeError('more files than are written')
  return files
}
