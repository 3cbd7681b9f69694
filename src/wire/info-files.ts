// The files of a v1 info dictionary (BEP 3, 47): lengths and offsets checked, paths made safe and unique. Also what v1 and v2
// have in common: placing files one behind the other, and attributes.

import { DecodeError } from '../base/errors.ts'
import { type BencodeDict, type BencodeValue, getInt, getList, getText, utf8Text, visitListInSteps } from './bencode.ts'
import { safePath } from './safe-path.ts'
import type { Steps } from './steps.ts'
import type { FileAttributes, TorrentFile } from './torrent-types.ts'
import { UniquePaths } from './unique-paths.ts'

/** Most files of a torrent: about 250 bytes of memory each while it runs. Real torrents stay below 100,000. */
export const MAX_FILES = 200_000

/** A file before it has its place. */
export interface RawFile {
  /** Safe, perhaps not unique. */
  readonly path: string[]
  readonly length: number
  readonly padding: boolean
  readonly attributes: FileAttributes | null
}

/** The one file of a single-file torrent. `name` is safe already. */
export function singleFile(name: string, length: number): TorrentFile[] {
  return [{ index: 0, path: [name], length: checkedLength(length), offset: 0, padding: false }]
}

/** Files handled in one step: a millisecond or two. */
const FILES_A_STEP = 256

/**
 * The files of a multi-file torrent in torrent order, in steps. `root` is the safe name of its folder, `filesBytes` the raw list.
 * Throws DecodeError: no file, too many, a length or path that is missing or wrong, a total beyond 2^53.
 */
export function* multiFiles(root: string, filesBytes: Uint8Array): Steps<TorrentFile[]> {
  const raw: RawFile[] = []
  yield* visitListInSteps(filesBytes, (item, index) => {
    if (index >= MAX_FILES) throw new DecodeError(`the torrent has more than ${MAX_FILES} files`)
    raw.push(readFile(root, item))
  })
  if (raw.length === 0) throw new DecodeError('the torrent has no files')
  return yield* placedFiles(raw)
}

/** Files one behind the other, with unique paths; in steps. Throws DecodeError when they are beyond 2^53 bytes together. */
export function* placedFiles(raw: readonly RawFile[]): Steps<TorrentFile[]> {
  const paths = yield* uniquePaths(raw)
  let offset = 0
  return raw.map(({ length, padding, attributes }, index) => {
    const file = { index, path: paths[index] as string[], length, offset, padding }
    offset = checkedLength(offset + length)
    return attributes === null ? file : { ...file, attributes }
  })
}

/** The attributes that a file's dictionary names (BEP 47), null when there are none of use. `root`: see safePath. */
export function fileAttributes(root: string | null, item: BencodeDict): FileAttributes | null {
  const attr = getText(item, 'attr') ?? ''
  const executable = attr.includes('x')
  const hidden = attr.includes('h')
  const link = attr.includes('l') ? linkPath(root, item) : null
  return executable || hidden || link !== null ? { executable, hidden, link } : null
}

function linkPath(root: string | null, item: BencodeDict): string[] | null {
  const parts = getList(item, 'symlink path')
  if (parts === null || parts.length === 0 || !parts.every(part => part instanceof Uint8Array)) return null
  return safePath(root, parts)
}

function readFile(root: string, item: BencodeValue): RawFile {
  if (!(item instanceof Map)) throw new DecodeError('a file entry is not a dictionary')
  const attr = getText(item, 'attr') ?? ''
  // A BEP 47 link has no bytes, and often no length; it becomes an empty file, for nothing here follows links.
  const length = getInt(item, 'length') ?? (attr.includes('l') ? 0 : null)
  if (length === null) throw new DecodeError('a file has no length')
  const parts = pathParts(item)
  const path = safePath(root, parts)
  const padding = attr.includes('p') || isPaddingName(parts)
  return { path, length: checkedLength(length), padding, attributes: fileAttributes(root, item) }
}

/** The path of a file entry as the torrent spells it, below the torrent's folder. Throws DecodeError when it has none. */
export function pathParts(item: BencodeDict): Uint8Array[] {
  const utf8 = getList(item, 'path.utf-8')
  const list = utf8?.every(part => part instanceof Uint8Array && utf8Text(part) !== null) ? utf8 : getList(item, 'path')
  if (list === null || !list.every(part => part instanceof Uint8Array)) throw new DecodeError('a file has no path')
  return list
}

/** Padding as clients wrote it before, and beside, the attribute of BEP 47. */
function isPaddingName(parts: readonly Uint8Array[]): boolean {
  const first = parts[0]
  const last = parts.at(-1)
  if (first === undefined || last === undefined) return false
  return (
    (parts.length === 2 && utf8Text(first) === '.pad' && /^\d+$/.test(utf8Text(last) ?? '')) ||
    (utf8Text(last)?.startsWith('_____padding_file') ?? false)
  )
}

/** Real files get their names first: padding, which is never written, must not rename them. */
function* uniquePaths(files: readonly RawFile[]): Steps<string[][]> {
  const names = new UniquePaths()
  const paths: string[][] = Array.from({ length: files.length })
  for (const padding of [false, true]) {
    for (const [index, file] of files.entries()) {
      if (file.padding === padding) paths[index] = names.add(file.path)
      if (index % FILES_A_STEP === FILES_A_STEP - 1) yield
    }
  }
  return paths
}

/** `length` when it is one. Throws DecodeError. */
export function checkedLength(length: number): number {
  if (!Number.isSafeInteger(length) || length < 0) throw new DecodeError('a file length is out of range')
  return length
}
