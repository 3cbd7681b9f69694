// Files of downloads as streams: finds the file, waits for metadata, and keeps count of open readers and where they
// are. The order of pieces is the engine's business; the bytes on the wire are the HTTP front's.

import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FileReader } from '../../torrent/types.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { Asker, PlayedFile, ReaderOptions, StreamableFile, StreamReader } from './streams-api.ts'
import { withDeadline } from '../deadline.ts'
import type { DownloadEntry, OpenReader } from './download-entry.ts'
import type { KnownFilms } from './known-films.ts'

/** A stream of a magnet waits this long for its metadata (decisions part 2). */
const METADATA_LIMIT_MS = 60_000
/** Files of a download that are kept ready for the next request. */
const MAX_KEPT_FILES = 64
const NOTHING = (): void => undefined

/** What streams work with. */
export interface StreamFilesDeps {
  readonly clock: Clock
  readonly films: KnownFilms
}

/**
 * The file behind `/stream/{fileIndex}`, at once when the metadata is there. AppErrors FileNotFound, MetadataTimeout,
 * Aborted, NotReady.
 */
export function streamableFile(
  entry: DownloadEntry,
  fileIndex: string,
  deps: StreamFilesDeps,
  asker: Asker,
): StreamableFile | Promise<StreamableFile> {
  const kept = entry.streamed.get(fileIndex)
  if (kept === undefined && !/^\d{1,7}$/.test(fileIndex)) throw new AppError('FileNotFound')
  const torrent = entry.torrent.awake
  // A player asks for the same file again and again.
  if (kept !== undefined && torrent !== null && torrent.metainfo !== null) return kept
  // Awake for the reader to come.
  if (torrent === null) return entry.torrent.wake().then(() => streamableFile(entry, fileIndex, deps, asker))
  if (torrent.metainfo !== null) return fileOf(entry, torrent.metainfo, fileIndex, deps.films)
  const limits = {
    clock: deps.clock,
    signal: asker.signal,
    limitMs: METADATA_LIMIT_MS,
    lateCode: 'MetadataTimeout',
  } as const
  return withDeadline(limits, inner => torrent.whenMetadata(inner)).then(metainfo =>
    fileOf(entry, metainfo, fileIndex, deps.films),
  )
}

// Kept: what belongs to the file is then worked out once.
function fileOf(entry: DownloadEntry, metainfo: Metainfo, fileIndex: string, films: KnownFilms): StreamableFile {
  const index = Number(fileIndex)
  const file = metainfo.files[index]
  if (file === undefined || file.padding) throw new AppError('FileNotFound')
  const path = metainfo.multiFile ? file.path.slice(1) : file.path
  const { infoHash } = entry.stored
  const played: PlayedFile = { infoHash, fileIndex: index, name: path.join('/') }
  const made: StreamableFile = {
    name: played.name,
    size: file.length,
    tag: `${infoHash}-${index}`,
    readNow: (position, length, into) => {
      entry.noteRead()
      return entry.torrent.awake?.readNow(index, position, length, into) ?? 0
    },
    openReader: options => watchedReader(entry, played, films, options),
  }
  if (entry.streamed.size >= MAX_KEPT_FILES) entry.streamed.clear()
  entry.streamed.set(fileIndex, made)
  return made
}

/**
 * A reader whose position the download's record shows, and that follows what is known of its film as soon as it has to
 * wait: what is there needs no window. One in the background does neither, for it may be who finds out.
 */
function watchedReader(
  entry: DownloadEntry,
  file: PlayedFile,
  films: KnownFilms,
  options?: ReaderOptions,
): StreamReader {
  const torrent = entry.torrent.awake
  // streamableFile() has just woken it.
  if (torrent === null) throw new AppError('Aborted', 'The download was suspended.')
  const { fileIndex } = file
  const reader: FileReader = torrent.openReader(fileIndex, options)
  if (options?.background === true) return reader
  const open: OpenReader = { fileIndex, position: 0 }
  entry.addReader(open)
  let unfollow: (() => void) | null = null
  return {
    waitFor(position) {
      open.position = position
      const count = reader.waitFor(position)
      if (typeof count !== 'number') unfollow ??= films.follow(file, facts => reader.setFilm(facts))
      return count
    },
    gaps: (start, end) => reader.gaps(start, end),
    read: (position, length, slot) => reader.read(position, length, slot),
    get volume() {
      return reader.volume
    },
    close() {
      unfollow?.()
      unfollow = NOTHING
      entry.removeReader(open)
      reader.close()
    },
  }
}
