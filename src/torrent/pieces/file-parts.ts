// Where a stretch of a torrent's bytes lies in its files. Pure.

import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'

/** `length` bytes of one file from its byte `offset` on. */
export interface FilePart {
  readonly file: TorrentFile
  readonly offset: number
  readonly length: number
}

/**
 * The parts of files that hold the `length` bytes of the torrent from `offset` on, in their order; none of them is
 * empty.
 */
export function fileParts(files: readonly TorrentFile[], offset: number, length: number): FilePart[] {
  const parts: FilePart[] = []
  const end = offset + length
  for (let at = fileAt(files, offset); at < files.length; at += 1) {
    const file = files[at] as TorrentFile
    if (file.offset >= end) break
    const first = Math.max(offset, file.offset)
    const last = Math.min(end, file.offset + file.length)
    if (last > first) parts.push({ file, offset: first - file.offset, length: last - first })
  }
  return parts
}

/** The first file that ends behind byte `offset`; the number of files when there is none. */
function fileAt(files: readonly TorrentFile[], offset: number): number {
  let low = 0
  let high = files.length
  while (low < high) {
    const middle = (low + high) >> 1
    const file = files[middle] as TorrentFile
    if (file.offset + file.length <= offset) low = middle + 1
    else high = middle
  }
  return low
}
