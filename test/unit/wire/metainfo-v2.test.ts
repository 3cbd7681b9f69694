// v2 and hybrid torrents (BEP 52): what is read, what is refused and why. Trees and layers are those of
// test/kit/content/merkle-tree.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { parseInfoHash } from '../../../src/base/ids.ts'
import { type BencodeInput, decodeBencode, encodeBencode } from '../../../src/wire/bencode.ts'
import {
  decodeInfo,
  decodeMetainfo,
  encodeMetainfo,
  isV2Only,
  swarmHashes,
} from '../../../src/wire/metainfo/metainfo.ts'
import {
  encodePieceLayers,
  fileOfPiece,
  layerOf,
  missingLayers,
  pieceTree,
  withPieceRoots,
} from '../../../src/wire/metainfo/piece-layers.ts'
import type { Metainfo, V2Content } from '../../../src/wire/metainfo/torrent-types.ts'
import { type MadeV2File, makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'
import { pieceLayer, treeRoot } from '../../kit/content/merkle-tree.ts'

const KIB = 1024
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const paths = (meta: Metainfo): string[] => meta.files.map(file => file.path.join('/'))

function v2Of(meta: Metainfo): V2Content {
  assert.ok(meta.v2)
  return meta.v2
}

/** Files that end within a piece, on its end, within the first piece, and without a byte; pieces of 32 KiB. */
const FILES: readonly MadeV2File[] = [
  { path: 'a/long', length: 100_000 },
  { path: 'a/whole', length: 64 * KIB },
  { path: 'b-empty', length: 0 },
  { path: 'c-short', length: 10 },
  { path: 'd-last', length: 33 * KIB },
]

test('a single-file torrent: the file is the torrent, its tree alone says what is in it', () => {
  const made = makeV2Torrent({ announce: 'http://t.example/announce' })
  const meta = decodeMetainfo(made.torrent)
  const v2 = v2Of(meta)
  assert.equal(v2.infoHash, made.v2Hash)
  assert.equal(meta.infoHash, made.v2Hash.slice(0, 40))
  assert.deepEqual([meta.name, meta.multiFile, meta.pieceCount, meta.totalLength], ['file.bin', false, 4, 128 * KIB])
  assert.deepEqual(paths(meta), ['file.bin', '.pad/31072'])
  assert.deepEqual(meta.announceTiers, [['http://t.example/announce']])
  assert.equal(meta.pieceHashes.length, 0)
  assert.ok(isV2Only(meta))
  assert.deepEqual(swarmHashes(meta), [meta.infoHash])
  const content = made.files[0]?.content ?? new Uint8Array(0)
  assert.equal(hex(v2.pieceRoots), hex(pieceLayer(content, 32 * KIB)))
  assert.deepEqual(
    v2.files.map(({ index, length, firstPiece, pieceCount }) => [index, length, firstPiece, pieceCount]),
    [[0, 100_000, 0, 4]],
  )
  assert.deepEqual(missingLayers(v2), [])
})

test('every file begins at a piece; what its pieces are verified against', () => {
  const made = makeV2Torrent({ files: FILES, name: 'set' })
  const meta = decodeMetainfo(made.torrent)
  const v2 = v2Of(meta)
  const real = meta.files.filter(file => !file.padding)
  assert.deepEqual(
    real.map(file => [file.path.join('/'), file.offset, file.length]),
    [
      ['set/a/long', 0, 100_000],
      ['set/a/whole', 128 * KIB, 64 * KIB],
      ['set/b-empty', 192 * KIB, 0],
      ['set/c-short', 192 * KIB, 10],
      ['set/d-last', 224 * KIB, 33 * KIB],
    ],
  )
  assert.equal(meta.totalLength, made.content.length)
  let offset = 0
  for (const [index, file] of meta.files.entries()) {
    assert.deepEqual([file.index, file.offset], [index, offset])
    offset += file.length
  }
  for (const file of v2.files) {
    const content = made.files.find(one => meta.files[file.index]?.path.join('/') === `set/${one.path}`)?.content
    assert.ok(content)
    assert.equal(hex(file.root), hex(treeRoot(content)))
    if (file.pieceCount > 1) assert.equal(hex(layerOf(v2, file)), hex(pieceLayer(content, 32 * KIB)))
    for (let piece = 0; piece < file.pieceCount; piece++) {
      const tree = pieceTree(v2, meta.pieceLength, file.firstPiece + piece)
      assert.ok(tree)
      assert.equal(tree.length, Math.min(32 * KIB, content.length - piece * 32 * KIB))
      assert.equal(fileOfPiece(v2, file.firstPiece + piece), file)
    }
  }
  assert.equal(pieceTree(v2, meta.pieceLength, meta.pieceCount), null)
  // A file within a piece has a tree as high as itself; the last piece of a longer one is as high as any piece.
  assert.equal(pieceTree(v2, meta.pieceLength, 6)?.height, 0)
  assert.deepEqual([pieceTree(v2, meta.pieceLength, 8)?.length, pieceTree(v2, meta.pieceLength, 8)?.height], [KIB, 1])
})

test('a hybrid torrent is known by its v1 hash, and has both kinds of hashes', () => {
  for (const noTail of [false, true]) {
    const made = makeV2Torrent({ files: FILES, name: 'set', hybrid: true, noTail })
    const meta = decodeMetainfo(made.torrent)
    assert.equal(meta.infoHash, made.v1Hash)
    assert.equal(v2Of(meta).infoHash, made.v2Hash)
    assert.equal(isV2Only(meta), false)
    assert.deepEqual(swarmHashes(meta), [made.v1Hash, made.v2Hash.slice(0, 40)])
    assert.equal(meta.pieceHashes.length, meta.pieceCount * 20)
    assert.equal(meta.totalLength, made.content.length - (noTail ? 31 * KIB : 0))
    const alone = v2Of(decodeMetainfo(makeV2Torrent({ files: FILES }).torrent))
    assert.equal(hex(v2Of(meta).pieceRoots), hex(alone.pieceRoots))
  }
  const single = decodeMetainfo(makeV2Torrent({ hybrid: true }).torrent)
  assert.deepEqual([paths(single), single.totalLength], [['file.bin'], 100_000])
})

test('a hybrid found by its v2 hash stays known by it', () => {
  const made = makeV2Torrent({ hybrid: true })
  const short = parseInfoHash(made.v2Hash.slice(0, 40))
  assert.ok(short)
  const meta = decodeInfo(made.info, [], { knownAs: short })
  assert.equal(meta.infoHash, short)
  assert.deepEqual(swarmHashes(meta), [short, made.v1Hash])
  const other = parseInfoHash('aa'.repeat(20))
  assert.ok(other)
  assert.equal(decodeInfo(made.info, [], { knownAs: other }).infoHash, made.v1Hash)
})

test('an info dictionary alone lacks the layers of longer files; they come later', () => {
  const made = makeV2Torrent({ files: FILES, name: 'set' })
  const bare = decodeInfo(made.info, [])
  const v2 = v2Of(bare)
  assert.deepEqual(
    missingLayers(v2).map(file => bare.files[file.index]?.path.at(-1)),
    ['long', 'whole', 'd-last'],
  )
  assert.equal(pieceTree(v2, bare.pieceLength, 0), null)
  assert.ok(pieceTree(v2, bare.pieceLength, 6))
  assert.equal(hex(encodePieceLayers(v2)), hex(Buffer.from('de')))
  const whole = decodeMetainfo(made.torrent)
  assert.equal(hex(encodePieceLayers(v2Of(whole))), hex(made.layers))
  const again = decodeInfo(made.info, [], { pieceLayers: encodePieceLayers(v2Of(whole)) })
  assert.deepEqual(again, whole)
  assert.deepEqual(withPieceRoots(bare, v2Of(whole).pieceRoots), whole)
})

test('what is written is read back', () => {
  for (const hybrid of [false, true]) {
    const made = makeV2Torrent({ files: FILES, hybrid })
    const meta = decodeMetainfo(made.torrent)
    const written = encodeMetainfo(meta)
    assert.equal(hex(encodeBencode(decodeBencode(written))), hex(written), 'canonical')
    assert.deepEqual(decodeMetainfo(written), meta)
  }
})

test('equal files share a layer', () => {
  const content = new Uint8Array(70_000).fill(7)
  const made = makeV2Torrent({
    files: [
      { path: 'a', content },
      { path: 'b', content },
    ],
  })
  const v2 = v2Of(decodeMetainfo(made.torrent))
  assert.equal(hex(v2.pieceRoots.subarray(0, 96)), hex(v2.pieceRoots.subarray(96)))
  assert.deepEqual(missingLayers(v2), [])
})

test('attributes and links (BEP 47) are kept; a link has no bytes', () => {
  const link = { attr: 'lx', length: 5, 'symlink path': ['..', 'a', 'target'] }
  const tree = { a: { target: { '': { attr: 'xh', length: 0 } } }, b: { '': link } }
  const meta = decodeMetainfo(makeV2Torrent({ name: 'set', files: [], info: { 'file tree': tree } }).torrent)
  assert.deepEqual(
    meta.files.map(({ length, attributes }) => [length, attributes]),
    [
      [0, { executable: true, hidden: true, link: null }],
      [0, { executable: true, hidden: false, link: ['set', 'a', 'target'] }],
    ],
  )
})

test('hostile names of a tree stay inside and apart', () => {
  const file = { '': { length: 0 } }
  const tree = { '..': file, '/abs': file, A: file, CON: file, a: { b: file, '..': { c: file } }, 'x\0y': file }
  const meta = decodeMetainfo(makeV2Torrent({ name: '../evil', files: [], info: { 'file tree': tree } }).torrent)
  assert.deepEqual(
    paths(meta).map(path => path.replace('.._evil/', '')),
    ['_', '_abs', 'A', '_CON', 'a (1)/c', 'a (1)/b', 'x_y'],
  )
})

test('refuses trees that are none, or that another reader could read another way', () => {
  const root = Buffer.alloc(32, 1)
  const file = { '': { length: 10, 'pieces root': root } }
  const bad: Record<string, BencodeInput | undefined> = {
    'no tree': undefined,
    'a list': [],
    'no file': {},
    'only a folder': { a: {} },
    'the root is a file': { '': { length: 10, 'pieces root': root } },
    'a file is a list': { a: { '': [] } },
    'a folder is a number': { a: 1 },
    'a file with a file beside it': { a: { ...file, b: file } },
    'no root': { a: { '': { length: 10 } } },
    'a short root': { a: { '': { length: 10, 'pieces root': Buffer.alloc(31, 1) } } },
    'a root of zeroes': { a: { '': { length: 10, 'pieces root': Buffer.alloc(32) } } },
    'a negative length': { a: { '': { length: -1, 'pieces root': root } } },
    'a length of text': { a: { '': { length: '10', 'pieces root': root } } },
    padding: { a: { '': { length: 10, 'pieces root': root, attr: 'p' } } },
    'too large': { a: { '': { length: 2n ** 60n, 'pieces root': root } } },
    'too many pieces': { a: { '': { length: 2 ** 52, 'pieces root': root } } },
    'a sum beyond 2^53': {
      a: { '': { length: Number.MAX_SAFE_INTEGER, 'pieces root': root } },
      b: { '': { length: Number.MAX_SAFE_INTEGER, 'pieces root': root } },
    },
  }
  for (const [what, tree] of Object.entries(bad)) {
    const { info } = makeV2Torrent({ info: { 'file tree': tree } })
    assert.throws(() => decodeInfo(info, []), DecodeError, what)
  }
  const twice = Buffer.from(
    'd9:file treed1:ad0:d6:lengthi0eee1:ad0:d6:lengthi0eeee12:meta versioni2e4:name1:n12:piece lengthi16384ee',
  )
  assert.throws(() => decodeInfo(twice, []), /not sorted/)
  const falling = Buffer.from(twice.toString('latin1').replace('1:a', '1:b'), 'latin1')
  assert.throws(() => decodeInfo(falling, []), /not sorted/)
  let deep: BencodeInput = file
  for (let i = 0; i < 70; i++) deep = { a: deep }
  assert.throws(() => decodeInfo(makeV2Torrent({ info: { 'file tree': deep } }).info, []), DecodeError)
})

test('refuses wrong versions and piece lengths', () => {
  const attempt = (info: { [key: string]: BencodeInput | undefined }) => () =>
    decodeInfo(makeV2Torrent({ info }).info, [])
  assert.throws(attempt({ 'meta version': 3, 'file tree': undefined }), /newer/)
  assert.throws(attempt({ 'meta version': 'x' }), /newer/)
  assert.throws(attempt({ 'meta version': undefined }), /no piece hashes/)
  assert.throws(attempt({ pieces: 5 }), /no piece hashes/)
  for (const length of [8192, 16384 + 1, 48 * KIB, 256 * KIB * KIB, -16384]) {
    assert.throws(attempt({ 'piece length': length }), /piece length/, String(length))
  }
})

test('refuses layers that are not those of their root', () => {
  const made = makeV2Torrent()
  const key = made.files[0]?.root?.toString('latin1') ?? ''
  const layer = Buffer.from(pieceLayer(made.files[0]?.content ?? new Uint8Array(0), 32 * KIB))
  const attempt = (value: BencodeInput | undefined) => () =>
    decodeMetainfo(makeV2Torrent({ layers: { [key]: value } }).torrent)
  assert.doesNotThrow(attempt(layer))
  assert.throws(attempt(undefined), /no piece layers/)
  assert.throws(attempt(1), DecodeError)
  assert.throws(attempt(layer.subarray(32)), /does not fit/)
  assert.throws(attempt(Buffer.concat([layer, layer])), /does not fit/)
  const changed = Buffer.from(layer)
  changed[40] = (changed[40] as number) ^ 1
  assert.throws(attempt(changed), /does not have the root/)
  assert.throws(() => decodeMetainfo(makeV2Torrent({ noLayers: true }).torrent), /no piece layers/)
  // v1 has hashes enough.
  const hybrid = decodeMetainfo(makeV2Torrent({ noLayers: true, hybrid: true }).torrent)
  assert.equal(missingLayers(v2Of(hybrid)).length, 1)
  assert.throws(() => decodeMetainfo(makeV2Torrent({ hybrid: true, layers: { [key]: changed } }).torrent), DecodeError)
  // Layers of files that are not there are nobody's business.
  assert.doesNotThrow(() => decodeMetainfo(makeV2Torrent({ layers: { x: 1 } }).torrent))
})

test('refuses hybrids whose v1 and v2 differ', () => {
  const v1 = (files: readonly MadeV2File[], pieceLength = 32 * KIB): { [key: string]: BencodeInput } => {
    const info = decodeBencode(makeV2Torrent({ files, hybrid: true, pieceLength }).info)
    assert.ok(info instanceof Map)
    return { files: info.get('files') ?? [], pieces: info.get('pieces') ?? '' }
  }
  const attempt = (info: { [key: string]: BencodeInput | undefined }) => () =>
    decodeMetainfo(makeV2Torrent({ files: FILES, hybrid: true, info }).torrent)
  assert.doesNotThrow(attempt({}))
  const renamed = FILES.map(file => (file.path === 'c-short' ? { ...file, path: 'c-other' } : file))
  const resized = FILES.map(file => (file.path === 'c-short' ? { ...file, length: 11 } : file))
  for (const files of [renamed, resized, FILES.slice(0, 4), [...FILES, { path: 'e', length: 1 }], FILES.toReversed()]) {
    assert.throws(attempt(v1(files)), /other files/)
  }
  // Without padding the files do not begin at pieces.
  const unpadded = FILES.map(({ path, length }) => ({ path: path.split('/'), length: length ?? 0 }))
  assert.throws(attempt({ files: unpadded, pieces: Buffer.alloc(9 * 20) }), /other files/)
})
