// Files of downloads as streams: finds the file, waits for metadata, and keeps count of open readers and where they are.
// The order of pieces is the engine's business; the bytes on the wire are the HTTP front's.

import { AppError } from '../base/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { FileReader } from '../torrent/types.ts'
import type { StreamableFile, StreamReader } from './api.ts'
import { withDeadline } from './deadline.ts'
import type { DownloadEntry, OpenReader } from './download-entry.ts'

/** A stream of a magnet waits this long for its metadata (decisions part 2). */
const METADATA_LIMIT_MS = 60_000

/** The file behind `/stream/{fileIndex}`. AppErrors FileNotFound, MetadataTimeout, Aborted, NotReady. */
export async function streamableFile(
  entry: DownloadEntry,
  fileIndex: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<StreamableFile> {
  if (!/^\d{1,7}$/.test(fileIndex)) throw new AppError('FileNotFound')
  const index = Number(fileIndex)
  const { torrent } = entry
  const metainfo =
    torrent.metainfo ??
    (await withDeadline({ clock, signal, limitMs: METADATA_LIMIT_MS, lateCode: 'MetadataTimeout' }, inner =>
      torrent.whenMetadata(inner),
    ))
  const file = metainfo.files[index]
  if (file === undefined || file.padding) throw new AppError('FileNotFound')
  const path = metainfo.multiFile ? file.path.slice(1) : file.path
  return {
    name: path.join('/'),
    size: file.length,
    tag: `${entry.stored.infoHash}-${index}`,
    openReader: () => watchedReader(entry, index),
  }
}

/** A reader whose position the download's record shows. */
function watchedReader(entry: DownloadEntry, fileIndex: number): StreamReader {
  const reader: FileReader = entry.torrent.openReader(fileIndex)
  const open: OpenReader = { fileIndex, position: 0 }
  entry.addReader(open)
  return {
    waitFor(position) {
      open.position = position
      return reader.waitFor(position)
    },
    read: (position, length, slot) => reader.read(position, length, slot),
    readNow: (position, length, into) => reader.readNow(position, length, into),
    close() {
      entry.removeReader(open)
      reader.close()
    },
  }
}
