// Files of downloads as streams: finds the file, waits for metadata, and keeps count of open readers and where they
// are. The order of pieces is the engine's business; the bytes on the wire are the HTTP front's.

import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FileReader } from '../../torrent/types.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { Asker, StreamableFile, StreamReader } from './streams-api.ts'
import { withDeadline } from '../deadline.ts'
import type { DownloadEntry, OpenReader } from './download-entry.ts'

/** A stream of a magnet waits this long for its metadata (decisions part 2). */
const METADATA_LIMIT_MS = 60_000
/** Files of a download that are kept ready for the next request. */
const MAX_KEPT_FILES = 64

/**
 * The file behind `/stream/{fileIndex}`, at once when the metadata is there. AppErrors FileNotFound, MetadataTimeout,
 * Aborted, NotReady.
 */
export function streamableFile(
  entry: DownloadEntry,
  fileIndex: string,
  clock: Clock,
  asker: Asker,
): StreamableFile | Promise<StreamableFile> {
  const kept = entry.streamed.get(fileIndex)
  if (kept === undefined && !/^\d{1,7}$/.test(fileIndex)) throw new AppError('FileNotFound')
  const torrent = entry.torrent.awake
  // A player asks for the same file again and again.
  if (kept !== undefined && torrent !== null && torrent.metainfo !== null) return kept
  // Awake for the reader to come.
  if (torrent === null) return entry.torrent.wake().then(() => streamableFile(entry, fileIndex, clock, asker))
  if (torrent.metainfo !== null) return fileOf(entry, torrent.metainfo, fileIndex)
  const limits = { clock, signal: asker.signal, limitMs: METADATA_LIMIT_MS, lateCode: 'MetadataTimeout' } as const
  return withDeadline(limits, inner => torrent.whenMetadata(inner)).then(metainfo => fileOf(entry, metainfo, fileIndex))
}

// Kept: what belongs to the file is then worked out once.
function fileOf(entry: DownloadEntry, metainfo: Metainfo, fileIndex: string): StreamableFile {
  const index = Number(fileIndex)
  const file = metainfo.files[index]
  if (file === undefined || file.padding) throw new AppError('FileNotFound')
  const path = metainfo.multiFile ? file.path.slice(1) : file.path
  const made: StreamableFile = {
    name: path.join('/'),
    size: file.length,
    tag: `${entry.stored.infoHash}-${index}`,
    readNow: (position, length, into) => entry.torrent.awake?.readNow(index, position, length, into) ?? 0,
    openReader: () => watchedReader(entry, index),
  }
  if (entry.streamed.size >= MAX_KEPT_FILES) entry.streamed.clear()
  entry.streamed.set(fileIndex, made)
  return made
}

/** A reader whose position the download's record shows. */
function watchedReader(entry: DownloadEntry, fileIndex: number): StreamReader {
  const torrent = entry.torrent.awake
  // streamableFile() has just woken it.
  if (torrent === null) throw new AppError('Aborted', 'The download was suspended.')
  const reader: FileReader = torrent.openReader(fileIndex)
  const open: OpenReader = { fileIndex, position: 0 }
  entry.addReader(open)
  return {
    waitFor(position) {
      open.position = position
      return reader.waitFor(position)
    },
    gaps: (start, end) => reader.gaps(start, end),
    read: (position, length, slot) => reader.read(position, length, slot),
    get volume() {
      return reader.volume
    },
    close() {
      entry.removeReader(open)
      reader.close()
    },
  }
}
