// Writes info dictionaries (BEP 3, 27, 47, 52) of v1, v2 and hybrid torrents: the order of files, their padding, the
// file tree. Hashes come from outside. What comes in is made by this program, so that a contradiction is a bug.

import { type BencodeInput, encodeBencode } from '../bencode.ts'
import { HASH_BYTES, LEAF_BYTES } from './merkle.ts'

/** A file of a torrent to be. */
export interface InfoFile {
  /** Its names below the torrent's folder, at least one, none empty. Of a single file: its name alone. */
  readonly parts: readonly string[]
  /** Bytes. */
  readonly length: number
  /** Root of its hash tree; null when it has no bytes, or the torrent no v2 part. */
  readonly root: Uint8Array | null
  /** BEP 47, e.g. `x`. */
  readonly attr?: string
}

/** What an info dictionary is made of. */
export interface InfoSource {
  readonly name: string
  readonly pieceLength: number
  /** In the order of inTreeOrder() when there is a v2 part. Without padding: it is put in where it belongs. */
  readonly files: readonly InfoFile[]
  /** One file and no folder around it. */
  readonly single: boolean
  /** SHA-1 of every piece, of a hybrid with its padding; null: no v1 part. */
  readonly pieceHashes: Uint8Array | null
  readonly v2: boolean
  readonly private?: boolean
  /** Makes torrents of the same content different (private trackers). */
  readonly source?: string
}

/** A run of the bytes that v1 pieces are cut from: a file, or zeroes. */
export type V1Run = { readonly file: InfoFile } | { readonly padding: number }

/** Files in the order of a file tree (BEP 52): sorted by the bytes of their names, folder by folder. */
export function inTreeOrder<File extends Pick<InfoFile, 'parts'>>(files: readonly File[]): File[] {
  return files.toSorted((a, b) => compareParts(a.parts, b.parts))
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (const [depth, name] of a.entries()) {
    const other = b[depth]
    if (other === undefined) return 1
    const order = Buffer.compare(Buffer.from(name, 'utf8'), Buffer.from(other, 'utf8'))
    if (order !== 0) return order
  }
  return a.length - b.length
}

/**
 * What v1 pieces are cut from. Of a hybrid, or with `aligned`, padding follows at once each file that ends within a
 * piece, so that the next one begins at a piece: where libtorrent expects it. None follows the last file.
 */
export function v1Runs(files: readonly InfoFile[], pieceLength: number, aligned: boolean): V1Run[] {
  const runs: V1Run[] = []
  for (const [index, file] of files.entries()) {
    runs.push({ file })
    const rest = file.length % pieceLength
    if (aligned && rest > 0 && index < files.length - 1) runs.push({ padding: pieceLength - rest })
  }
  return runs
}

/** The bytes of an info dictionary. Throws RangeError for what no torrent can be. */
export function encodeInfo(source: InfoSource): Uint8Array {
  const { name, pieceLength, files, single, pieceHashes, v2 } = source
  if (files.length === 0 || (single && files.length !== 1)) throw new RangeError(`${files.length} files`)
  if (pieceHashes === null && !v2) throw new RangeError('neither v1 nor v2')
  if (v2) checkPieceLength(pieceLength)
  return encodeBencode({
    ...(pieceHashes === null ? {} : { ...v1Layout(source), pieces: pieceHashes }),
    ...(v2 ? { 'file tree': fileTree(files), 'meta version': 2 } : {}),
    name,
    'piece length': pieceLength,
    private: source.private === true ? 1 : undefined,
    source: source.source,
  })
}

function checkPieceLength(length: number): void {
  if (length < LEAF_BYTES || !Number.isInteger(Math.log2(length))) throw new RangeError(`v2 pieces of ${length} bytes`)
}

function v1Layout({ files, single, pieceLength, v2 }: InfoSource): { readonly [key: string]: BencodeInput } {
  if (single) return { length: files[0]?.length ?? 0 }
  return {
    files: v1Runs(files, pieceLength, v2).map(run =>
      'padding' in run
        ? { attr: 'p', length: run.padding, path: ['.pad', String(run.padding)] }
        : { attr: run.file.attr, length: run.file.length, path: run.file.parts },
    ),
  }
}

type Tree = Map<string, BencodeInput>

function fileTree(files: readonly InfoFile[]): Tree {
  const top: Tree = new Map()
  const folders = new Map<Tree, Map<string, Tree>>([[top, new Map()]])
  for (const { parts, length, root, attr } of files) {
    if (parts.length === 0 || parts.includes('')) throw new RangeError('a file without a name')
    if ((root?.length ?? 0) !== (length > 0 ? HASH_BYTES : 0)) throw new RangeError('a root for each file with bytes')
    let folder = top
    for (const part of parts) folder = below(folders, folder, Buffer.from(part, 'utf8').toString('latin1'))
    if (folder.size > 0) throw new RangeError(`two files at ${parts.join('/')}`)
    folder.set('', { attr, length, 'pieces root': root ?? undefined })
  }
  return top
}

/** The entry `key` of a folder, made when it is not there. */
function below(folders: Map<Tree, Map<string, Tree>>, folder: Tree, key: string): Tree {
  const known = folders.get(folder)?.get(key)
  if (known !== undefined) return known
  if (folder.has('')) throw new RangeError('a file with files below it')
  const made: Tree = new Map()
  folder.set(key, made)
  folders.get(folder)?.set(key, made)
  folders.set(made, new Map())
  return made
}
