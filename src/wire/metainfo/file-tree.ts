// The file tree of a v2 info dictionary (BEP 52): read entry by entry from hostile bytes, and laid out so that every
// file begins at a piece. Nothing here knows hashes of pieces. Order is that of the tree, which must be sorted: another
// order would give other readers of the same bytes other pieces.

import { DecodeError } from '../../base/errors.ts'
import { asBuffer, decodeBencode, getBytes, getInt, getText } from '../bencode.ts'
import { BencodeReader, MAX_DEPTH } from '../bencode-reader.ts'
import { checkedLength, fileAttributes, MAX_FILES, PlacedFiles, type RawFile } from './info-files.ts'
import { HASH_BYTES, isZeroHash } from './merkle.ts'
import { safePath } from './safe-path.ts'
import type { Steps } from '../steps.ts'
import type { FileAttributes, TorrentFile } from './torrent-types.ts'

/** A file as the tree has it. */
export interface TreeFile {
  /** Raw names from the top of the tree down. Views. */
  readonly parts: readonly Uint8Array[]
  readonly length: number
  /** Null exactly when the file has no bytes. A copy. */
  readonly root: Uint8Array | null
  /** The dictionary that describes it, raw, where it names attributes; else null. */
  readonly raw: Uint8Array | null
}

/** A folder that is being read. */
interface OpenFolder {
  /** The last name read of it. */
  last: Uint8Array | null
  /** It has turned out to be a file. */
  file: boolean
}

/** Entries read in one step. */
const ENTRIES_A_STEP = 256

/**
 * The files of a tree, in steps. Throws DecodeError: no dictionary, not sorted, too deep, no file or too many, a file
 * that has entries beside it, without a usable length, or with bytes and no root.
 */
export function* treeFiles(bytes: Uint8Array): Steps<TreeFile[]> {
  const files: TreeFile[] = []
  const reader = new BencodeReader(asBuffer(bytes))
  const parts: Uint8Array[] = []
  const open: OpenFolder[] = [{ last: null, file: false }]
  reader.openDict()
  for (let entry = 1; open.length > 0; entry++) {
    if (entry % ENTRIES_A_STEP === 0) yield
    const folder = open.at(-1) as OpenFolder
    if (reader.closed()) {
      open.pop()
      parts.pop()
      continue
    }
    const name = reader.string()
    checkOrder(folder, name)
    if (name.length > 0) {
      if (open.length >= MAX_DEPTH) throw new DecodeError('the file tree is too deep')
      reader.openDict()
      parts.push(name)
      open.push({ last: null, file: false })
      continue
    }
    const start = reader.position
    yield* reader.skip()
    const file = readProperties(parts, bytes.subarray(start, reader.position))
    if (file === null) continue
    if (parts.length === 0) throw new DecodeError('the file tree is a file')
    if (files.length >= MAX_FILES) throw new DecodeError(`the torrent has more than ${MAX_FILES} files`)
    files.push(file)
    folder.file = true
  }
  if (!reader.atEnd) throw new DecodeError('bencode: bytes after the value')
  if (files.length === 0) throw new DecodeError('the torrent has no files')
  return files
}

function checkOrder(folder: OpenFolder, name: Uint8Array): void {
  if (folder.file) throw new DecodeError('a file of the file tree has entries beside it')
  if (folder.last !== null && Buffer.compare(folder.last, name) >= 0)
    throw new DecodeError('the file tree is not sorted')
  folder.last = name
}

/** Properties of what `parts` lead to; null for those of a folder, which mean nothing here. */
function readProperties(parts: readonly Uint8Array[], raw: Uint8Array): TreeFile | null {
  const item = decodeBencode(raw)
  if (!(item instanceof Map)) throw new DecodeError('a file entry is not a dictionary')
  const attr = getText(item, 'attr') ?? ''
  if (!item.has('length') && !attr.includes('l')) return null
  if (attr.includes('p')) throw new DecodeError('a file tree has no padding')
  // A link (BEP 47) has no bytes, whatever length it names.
  const length = attr.includes('l') ? 0 : getInt(item, 'length')
  if (length === null) throw new DecodeError('a file has no length')
  const root = checkedLength(length) === 0 ? null : getBytes(item, 'pieces root')
  if (length > 0 && (root === null || root.length !== HASH_BYTES || isZeroHash(root))) {
    throw new DecodeError('a file has no pieces root')
  }
  return { parts: [...parts], length, root: root === null ? null : new Uint8Array(root), raw: attr === '' ? null : raw }
}

/** True when the tree is that of a single-file torrent, which has no folder (BEP 52). */
export function isSingleFile(tree: readonly TreeFile[]): boolean {
  return tree.length === 1 && tree[0]?.parts.length === 1
}

/**
 * The tree's files as those of a torrent, in steps: behind each that ends within a piece comes padding up to the end of
 * that piece, also behind the last one (as libtorrent counts them). `root`: safe name of the torrent's folder, null =
 * none.
 */
export function* laidFiles(root: string | null, tree: readonly TreeFile[], pieceLength: number): Steps<TorrentFile[]> {
  const placed = new PlacedFiles()
  for (const [index, file] of tree.entries()) {
    const path = safePath(root, file.parts)
    placed.add({ path, length: file.length, padding: false, attributes: attributesOf(root, file) })
    const rest = file.length % pieceLength
    if (rest > 0) placed.add(paddingFile(root, pieceLength - rest))
    if (index % ENTRIES_A_STEP === ENTRIES_A_STEP - 1) yield
  }
  return yield* placed.files()
}

function attributesOf(root: string | null, { raw }: TreeFile): FileAttributes | null {
  const item = raw === null ? null : decodeBencode(raw)
  return item instanceof Map ? fileAttributes(root, item) : null
}

/** Named as clients name it (BEP 47). */
function paddingFile(root: string | null, length: number): RawFile {
  const path = [...(root === null ? [] : [root]), '.pad', String(length)]
  return { path, length, padding: true, attributes: null }
}

/**
 * Throws DecodeError unless v1 and v2 of a hybrid torrent describe the same files at the same places (BEP 52); in
 * steps.
 */
export function* checkSameFiles(v1: readonly TorrentFile[], v2: readonly TorrentFile[]): Steps<void> {
  let next = 0
  const nextOther = (): TorrentFile | undefined => {
    while (v2[next]?.padding === true) next += 1
    return v2[next++]
  }
  for (const file of v1) {
    if (file.index % ENTRIES_A_STEP === ENTRIES_A_STEP - 1) yield
    if (!file.padding && !sameFile(file, nextOther())) throw new DecodeError(OTHER_FILES)
  }
  if (nextOther() !== undefined) throw new DecodeError(OTHER_FILES)
}

const OTHER_FILES = 'the torrent describes other files for v1 than for v2'

function sameFile(file: TorrentFile, other: TorrentFile | undefined): boolean {
  return (
    other !== undefined &&
    file.length === other.length &&
    (file.length === 0 || file.offset === other.offset) &&
    file.path.length === other.path.length &&
    file.path.every((part, at) => part === other.path[at])
  )
}
