// The files of a v1 info dictionary (BEP 3, 47): lengths and offsets checked, paths made safe and unique. Also what v1
// and v2 have in common: placing files one behind the other, and attributes.

import { DecodeError } from '../../base/errors.ts'
import {
  asBuffer,
  type BencodeDict,
  type BencodeValue,
  getInt,
  getList,
  getText,
  utf8Text,
  visitListInSteps,
} from '../bencode.ts'
import { safePath } from './safe-path.ts'
import type { Steps } from '../steps.ts'
import type { FileAttributes, TorrentFile } from './torrent-types.ts'
import { UniquePaths } from './unique-paths.ts'

/** Most files of a torrent: about 250 bytes of memory each while it runs. Real torrents stay below 100,000. */
export const MAX_FILES = 200_000

/** Most folders of a torrent: each is made on the disk. Real torrents have some thousand. */
export const MAX_FOLDERS = 200_000

/** Most bytes of all paths of a torrent together: a v2 tree of 16 MiB can spell far more. */
export const MAX_PATHS_BYTES = 64 * 1024 * 1024

/** Most parts of all paths together: each is held in memory. Twenty a file are far more than any torrent needs. */
export const MAX_PATHS_PARTS = 4_000_000

/** Most parts of one path as the torrent spells it; of those beyond safe-path.ts's own bound folders are left out. */
export const MAX_SPELLED_PARTS = 255

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
 * The files of a multi-file torrent in torrent order, in steps. `root` is the safe name of its folder, `filesBytes` the
 * raw list. Throws DecodeError: no file, too many, a length or path that is missing or wrong, or what PlacedFiles says.
 */
export function* multiFiles(root: string, filesBytes: Uint8Array): Steps<TorrentFile[]> {
  const placed = new PlacedFiles()
  yield* visitListInSteps(filesBytes, (item, index) => {
    if (index >= MAX_FILES) throw new DecodeError(`the torrent has more than ${MAX_FILES} files`)
    placed.add(readFile(root, item))
  })
  if (placed.count === 0) throw new DecodeError('the torrent has no files')
  return yield* placed.files()
}

/**
 * Files one behind the other, with unique paths. add() throws DecodeError beyond 2^53 bytes, and beyond the bounds of
 * paths.
 */
export class PlacedFiles {
  readonly #names = new UniquePaths()
  readonly #files: { -readonly [Part in keyof TorrentFile]: TorrentFile[Part] }[] = []
  readonly #padding: number[] = []
  #offset = 0

  get count(): number {
    return this.#files.length
  }

  /** The next file. A path is named at once, so that no more of it is held than what stays. */
  add({ path, length, padding, attributes }: RawFile): void {
    const index = this.#files.length
    // Real files get their names first: padding, which is never written, must not rename them.
    if (padding) this.#padding.push(index)
    const named = padding ? path : this.#name(path)
    const file = { index, path: named, length, offset: this.#offset, padding }
    this.#files.push(attributes === null ? file : { ...file, attributes })
    this.#offset = checkedLength(this.#offset + length)
  }

  /** All of them, in steps. Nothing may be added afterwards. */
  *files(): Steps<TorrentFile[]> {
    for (const [count, index] of this.#padding.entries()) {
      const file = this.#files[index]
      if (file !== undefined) file.path = this.#name(file.path)
      if (count % FILES_A_STEP === FILES_A_STEP - 1) yield
    }
    return this.#files
  }

  #name(path: readonly string[]): string[] {
    const names = this.#names
    const named = names.add(path)
    if (names.folders > MAX_FOLDERS) throw new DecodeError(`the torrent has more than ${MAX_FOLDERS} folders`)
    if (names.bytes > MAX_PATHS_BYTES)
      throw new DecodeError(`the paths of the torrent have more than ${MAX_PATHS_BYTES} bytes together`)
    if (names.parts > MAX_PATHS_PARTS)
      throw new DecodeError(`the paths of the torrent have more than ${MAX_PATHS_PARTS} parts together`)
    return named
  }
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

/**
 * The path of a file entry as the torrent spells it, below the torrent's folder. Throws DecodeError when it has none.
 */
export function pathParts(item: BencodeDict): Uint8Array[] {
  const utf8 = getList(item, 'path.utf-8')
  const list = utf8?.every(part => part instanceof Uint8Array && utf8Text(part) !== null) ? utf8 : getList(item, 'path')
  if (list === null || !list.every(part => part instanceof Uint8Array)) throw new DecodeError('a file has no path')
  if (list.length > MAX_SPELLED_PARTS) throw new DecodeError(`a path has more than ${MAX_SPELLED_PARTS} parts`)
  return list
}

const PADDING_START = '_____padding_file'

/** Padding as clients wrote it before, and beside, the attribute of BEP 47. */
function isPaddingName(parts: readonly Uint8Array[]): boolean {
  const first = parts[0]
  const last = parts.at(-1)
  if (first === undefined || last === undefined) return false
  return (
    (parts.length === 2 && utf8Text(first) === '.pad' && /^\d+$/.test(utf8Text(last) ?? '')) ||
    asBuffer(last).toString('latin1', 0, PADDING_START.length) === PADDING_START
  )
}

/** `length` when it is one. Throws DecodeError. */
export function checkedLength(length: number): number {
  if (!Number.isSafeInteger(length) || length < 0) throw new DecodeError('a file length is out of range')
  return length
}
