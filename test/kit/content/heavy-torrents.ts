// Torrents that are as heavy as a torrent may be, each in another way, and one that is heavier: what a stranger would
// send to hold a node up. Encoded here, with names and hashes made of numbers; the same always gives the same bytes.

import { createHash } from 'node:crypto'
import { seededBytes } from './make-torrent.ts'

const LEAF_BYTES = 16 * 1024
const HASH_BYTES = 32

const text = (value: string): string => `${Buffer.byteLength(value)}:${value}`
const file = (path: string): string => `d6:lengthi1e4:pathl${path}ee`

function v1Torrent(name: string, files: readonly string[]): Buffer {
  const pieceLength = 16 * 1024
  const pieces = seededBytes(Math.ceil(files.length / pieceLength) * 20)
  return Buffer.concat([
    Buffer.from(`d4:infod5:filesl${files.join('')}e4:name${text(name)}12:piece lengthi${pieceLength}e6:pieces`),
    Buffer.from(`${pieces.length}:`),
    pieces,
    Buffer.from('ee'),
  ])
}

/** `count` files of one byte, each below `depth` folders that it has for itself. */
export function deepTorrent(count: number, depth: number): Buffer {
  const tail = text('a').repeat(depth - 1)
  return v1Torrent(
    'deep',
    Array.from({ length: count }, (_, i) => file(`${text(i.toString(36))}${tail}${text('f')}`)),
  )
}

/** `count` files of one byte in folders of 1,000; `own`: each in a folder of its own. */
export function manyFilesTorrent(count: number, own = false): Buffer {
  return v1Torrent(
    own ? 'own folders' : 'many files',
    Array.from({ length: count }, (_, i) =>
      file(`${text(`d${own ? i : Math.floor(i / 1000)}`)}${text(`file ${i}.bin`)}`),
    ),
  )
}

/** `count` files whose names have 4,000 bytes, of which 255 can be kept. */
export function longNamesTorrent(count: number): Buffer {
  return v1Torrent(
    'long names',
    Array.from({ length: count }, (_, i) => file(text(`${i}${'é'.repeat(1997)}`.slice(0, 1998)))),
  )
}

/** One file of `count` pieces of 16 KiB: 20 bytes of metainfo each. */
export function manyPiecesTorrent(count: number): Buffer {
  const pieces = seededBytes(count * 20)
  return Buffer.concat([
    Buffer.from(`d4:infod6:lengthi${count * LEAF_BYTES}e4:name${text('pieces')}12:piece lengthi${LEAF_BYTES}e6:pieces`),
    Buffer.from(`${pieces.length}:`),
    pieces,
    Buffer.from('ee'),
  ])
}

/** A v2 torrent of one file of `count` pieces of 16 KiB: a piece layer of 32 bytes each. */
export function bigLayerTorrent(count: number): Buffer {
  const layer = Buffer.from(seededBytes(count * HASH_BYTES))
  const root = rootOf(layer)
  const length = count * LEAF_BYTES
  const properties = Buffer.concat([Buffer.from(`d0:d6:lengthi${length}e11:pieces root32:`), root, Buffer.from('ee')])
  return Buffer.concat([
    Buffer.from(`d4:infod9:file treed${text('layers')}`),
    properties,
    Buffer.from(`e12:meta versioni2e4:name${text('layers')}12:piece lengthi${LEAF_BYTES}ee12:piece layersd32:`),
    root,
    Buffer.from(`${layer.length}:`),
    layer,
    Buffer.from('ee'),
  ])
}

/** A v2 torrent of `count` files of one piece, in folders of 1,000. */
export function manyV2FilesTorrent(count: number): Buffer {
  const folders: Buffer[] = []
  for (let first = 0; first < count; first += 1000) {
    const parts = [Buffer.from(`${text(`d${String(first / 1000).padStart(4, '0')}`)}d`)]
    for (let i = first; i < Math.min(count, first + 1000); i++) {
      const root = createHash('sha256').update(String(i)).digest()
      parts.push(
        Buffer.from(`${text(String(i).padStart(6, '0'))}d0:d6:lengthi1e11:pieces root32:`),
        root,
        Buffer.from('ee'),
      )
    }
    folders.push(...parts, Buffer.from('e'))
  }
  return Buffer.concat([
    Buffer.from('d4:infod9:file treed'),
    ...folders,
    Buffer.from(`e12:meta versioni2e4:name${text('v2 files')}12:piece lengthi${LEAF_BYTES}ee12:piece layersdee`),
  ])
}

/**
 * A v2 torrent of `count` empty files in one folder that lies `depth` folders deep, each with a name of `bytes` bytes.
 */
export function deepV2Torrent(count: number, depth: number, bytes: number): Buffer {
  const files = Array.from({ length: count }, (_, i) => `${text(String(i).padStart(6, '0'))}d0:d6:lengthi0eee`)
  const folders = `${text('a'.repeat(bytes))}d`.repeat(depth)
  return Buffer.from(
    `d4:infod9:file treed${folders}${files.join('')}${'e'.repeat(depth)}e` +
      `12:meta versioni2e4:name${text('deep')}12:piece lengthi${LEAF_BYTES}ee12:piece layersdee`,
  )
}

/** The root of a layer of hashes of pieces of one leaf (BEP 52). */
function rootOf(layer: Buffer): Buffer {
  let row: Buffer = layer
  let pad: Buffer = Buffer.alloc(HASH_BYTES)
  while (row.length > HASH_BYTES) {
    if ((row.length / HASH_BYTES) % 2 === 1) row = Buffer.concat([row, pad])
    const above = Buffer.alloc(row.length / 2)
    for (let at = 0; at < above.length; at += HASH_BYTES)
      createHash('sha256')
        .update(row.subarray(at * 2, at * 2 + 2 * HASH_BYTES))
        .digest()
        .copy(above, at)
    pad = createHash('sha256').update(pad).update(pad).digest()
    row = above
  }
  return row
}
