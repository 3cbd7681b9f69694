// Builds small v2 and hybrid torrents (BEP 52) for tests: hash trees by node:crypto (merkle-tree.ts), encoded here and
// not by the code under test (only its bencode writer is used). The same options give the same bytes.

import { createHash } from 'node:crypto'
import { type BencodeInput, encodeBencode } from '../../../src/wire/bencode.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { type MadeTorrent, seededBytes } from './make-torrent.ts'
import { pieceLayer, treeRoot } from './merkle-tree.ts'

/** A file: its path below the torrent's folder, with `/`. */
export interface MadeV2File {
  readonly path: string
  /** Seeded bytes of this length ... */
  readonly length?: number
  /** ... or this. */
  readonly content?: Uint8Array
  readonly attr?: string
}

export interface MakeV2Options {
  readonly name?: string
  /** In tree order: sorted. Default: one file `file.bin` of 100,000 bytes, whose torrent has no folder. */
  readonly files?: readonly MadeV2File[]
  /** Bytes; default 32 KiB. */
  readonly pieceLength?: number
  /** Adds the v1 part. */
  readonly hybrid?: boolean
  /** Leaves out padding behind the last file of a hybrid. */
  readonly noTail?: boolean
  readonly announce?: string
  /** Leaves out the piece layers. */
  readonly noLayers?: boolean
  /** Added to, or replacing (undefined: leaving out), entries of the info dictionary and of the piece layers. */
  readonly info?: { readonly [key: string]: BencodeInput | undefined }
  readonly layers?: { readonly [key: string]: BencodeInput | undefined }
}

export interface MadeV2Torrent {
  readonly torrent: Uint8Array
  readonly info: Uint8Array
  /** SHA-256 and SHA-1 of `info`, hexadecimal. */
  readonly v2Hash: string
  readonly v1Hash: string
  readonly pieceLength: number
  /** All bytes in torrent order, each file padded to whole pieces (the last one too). */
  readonly content: Uint8Array
  readonly files: readonly { readonly path: string; readonly content: Uint8Array; readonly root: Buffer | null }[]
  /** The bencoded piece layers. */
  readonly layers: Uint8Array
}

type Tree = Map<string, BencodeInput>

/** Makes a torrent. */
export function makeV2Torrent(options: MakeV2Options = {}): MadeV2Torrent {
  const pieceLength = options.pieceLength ?? 32 * 1024
  const made = options.files ?? [{ path: options.name ?? 'file.bin', length: 100_000 }]
  const files = made.map(({ path, length, content, attr }, index) => {
    const bytes = content ?? seededBytes(length ?? 0, index + 1)
    return { path, content: bytes, root: bytes.length > 0 ? treeRoot(bytes) : null, attr }
  })
  const name = options.name ?? (options.files ? 'folder' : 'file.bin')
  const content = Buffer.concat(files.map(file => padded(file.content, pieceLength)))
  const info = encodeBencode({
    'file tree': treeOf(files),
    'meta version': 2,
    name,
    'piece length': pieceLength,
    ...(options.hybrid ? v1Part(options, files, pieceLength) : {}),
    ...options.info,
  })
  const layers = encodeBencode({ ...layersOf(files, pieceLength), ...options.layers })
  const torrent = Buffer.concat([
    Buffer.from('d'),
    ...(options.announce === undefined ? [] : [Buffer.from('8:announce'), encodeBencode(options.announce)]),
    Buffer.from('4:info'),
    info,
    ...(options.noLayers ? [] : [Buffer.from('12:piece layers'), layers]),
    Buffer.from('e'),
  ])
  const digest = (algorithm: string): string => createHash(algorithm).update(info).digest('hex')
  return { torrent, info, v2Hash: digest('sha256'), v1Hash: digest('sha1'), pieceLength, content, files, layers }
}

type Part = MadeV2Torrent['files'][number] & { readonly attr?: string | undefined }

function padded(content: Uint8Array, pieceLength: number): Uint8Array {
  const whole = new Uint8Array(Math.ceil(content.length / pieceLength) * pieceLength)
  whole.set(content)
  return whole
}

function treeOf(files: readonly Part[]): Tree {
  const top: Tree = new Map()
  for (const { path, content, root, attr } of files) {
    const parts = path.split('/')
    let folder = top
    for (const part of parts) {
      const key = Buffer.from(part, 'utf8').toString('latin1')
      const inner = (folder.get(key) as Tree | undefined) ?? new Map<string, BencodeInput>()
      folder.set(key, inner)
      folder = inner
    }
    folder.set('', { length: content.length, 'pieces root': root ?? undefined, attr })
  }
  return top
}

function layersOf(files: readonly Part[], pieceLength: number): { [key: string]: BencodeInput } {
  const layers: { [key: string]: BencodeInput } = {}
  for (const { content, root } of files) {
    if (root !== null && content.length > pieceLength)
      layers[root.toString('latin1')] = pieceLayer(content, pieceLength)
  }
  return layers
}

function v1Part(options: MakeV2Options, files: readonly Part[], pieceLength: number): { [key: string]: BencodeInput } {
  const entries: { [key: string]: BencodeInput | undefined }[] = []
  const bytes: Uint8Array[] = []
  for (const [index, { path, content, attr }] of files.entries()) {
    entries.push({ length: content.length, path: path.split('/'), attr })
    bytes.push(content)
    const rest = content.length % pieceLength
    const last = index === files.length - 1
    if (rest === 0 || !options.files || (last && options.noTail)) continue
    entries.push({ length: pieceLength - rest, path: ['.pad', String(pieceLength - rest)], attr: 'p' })
    bytes.push(new Uint8Array(pieceLength - rest))
  }
  const all = Buffer.concat(bytes)
  const pieces: Buffer[] = []
  for (let at = 0; at < all.length; at += pieceLength) {
    pieces.push(
      createHash('sha1')
        .update(all.subarray(at, at + pieceLength))
        .digest(),
    )
  }
  const layout: { [key: string]: BencodeInput } = options.files ? { files: entries } : { length: all.length }
  return { ...layout, pieces: Buffer.concat(pieces) }
}

/** The torrent as the kits of swarms take it. */
export function asMadeTorrent(made: MadeV2Torrent): MadeTorrent {
  const { infoHash, totalLength, pieceLength } = decodeMetainfo(made.torrent)
  const files = made.files.map(({ path, content }) => ({ path, content, padding: false }))
  const content = made.content.subarray(0, totalLength)
  return { torrent: made.torrent, info: made.info, infoHash, content, pieceLength, files }
}
