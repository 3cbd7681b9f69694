// The bytes of files that make up a range of a torrent, and how blocks in slots cover it. Pure arithmetic; knows no
// descriptor. Invariant: the spans of a range follow each other without gap and add up to its length.

import type { TorrentFile } from '../wire/metainfo/torrent-types.ts'

/** A run of bytes of one file; `file` -1 = padding. */
export interface FileSpan {
  readonly file: number
  /** First byte in the file. */
  readonly position: number
  readonly length: number
}

/** Finds the files of a range: files in torrent order, zero-byte files never take part. */
export class SpanMap {
  readonly #files: readonly TorrentFile[]

  constructor(files: readonly TorrentFile[]) {
    // Most torrents have none, and a copy of 200,000 takes a part of a turn that counts.
    this.#files = files.every(file => file.length > 0) ? files : files.filter(file => file.length > 0)
  }

  /** How many files, padding among them, have bytes in [offset, offset + length): known without a look at each. */
  fileCount(offset: number, length: number): number {
    return length <= 0 ? 0 : this.#indexAt(offset + length - 1) - this.#indexAt(offset) + 1
  }

  /**
   * The spans of [offset, offset + length), the first `most` of them. Throws RangeError when the torrent ends before.
   */
  spans(offset: number, length: number, most = Number.POSITIVE_INFINITY): FileSpan[] {
    const spans: FileSpan[] = []
    let at = offset
    for (let i = this.#indexAt(offset); at < offset + length && spans.length < most; i++) {
      const file = this.#files[i]
      if (file === undefined) throw new RangeError(`the torrent ends before byte ${offset + length}`)
      const position = at - file.offset
      const take = Math.min(file.length - position, offset + length - at)
      spans.push({ file: file.padding ? -1 : file.index, position, length: take })
      at += take
    }
    return spans
  }

  /** The first span of [offset, offset + length), or null past the end of the torrent. */
  firstSpan(offset: number, length: number): FileSpan | null {
    const file = this.#files[this.#indexAt(offset)]
    if (file === undefined || offset < file.offset || offset >= file.offset + file.length) return null
    const position = offset - file.offset
    return { file: file.padding ? -1 : file.index, position, length: Math.min(length, file.length - position) }
  }

  /** Index of the last file that starts at or before `offset`. */
  #indexAt(offset: number): number {
    let low = 0
    let high = this.#files.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#files[middle] as TorrentFile).offset <= offset) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Cuts spans into groups that touch at most `most` files each. Padding costs nothing. */
export function groupSpans<S extends FileSpan>(spans: readonly S[], most: number): S[][] {
  const groups: S[][] = []
  let group: S[] = []
  let files = 0
  for (const span of spans) {
    if (span.file >= 0 && files === most) {
      groups.push(group)
      group = []
      files = 0
    }
    group.push(span)
    if (span.file >= 0) files++
  }
  if (group.length > 0) groups.push(group)
  return groups
}

/** Bytes of all spans together. */
export function spanLength(spans: readonly { readonly length: number }[]): number {
  return spans.reduce((sum, span) => sum + span.length, 0)
}

/** The distinct files of the spans, padding left out. */
export function filesOf(spans: readonly FileSpan[]): number[] {
  const files: number[] = []
  let last = -1
  for (const { file } of spans) {
    // Spans come in torrent order: only out of it a file could be there already.
    if (file < 0 || file === last || (file < last && files.includes(file))) continue
    files.push(file)
    last = file
  }
  return files
}
