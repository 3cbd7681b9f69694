// Metainfo files: what is read, what is refused and why, and that the info hash is that of the bytes received.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { type BencodeInput, decodeBencode, encodeBencode } from '../../../src/wire/bencode.ts'
import { MAX_FILES } from '../../../src/wire/metainfo/info-files.ts'
import { decodeInfo, decodeMetainfo, encodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { MAX_METAINFO_BYTES } from '../../../src/wire/metainfo/metainfo-length.ts'
import type { Metainfo } from '../../../src/wire/metainfo/torrent-types.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'

const HASH = Buffer.alloc(20, 1)

/** A metainfo file around an info dictionary given by its entries. */
function torrentOf(
  info: { [key: string]: BencodeInput | undefined },
  rest: { [key: string]: BencodeInput } = {},
): Uint8Array {
  return encodeBencode({ info: { name: 'n', 'piece length': 16384, pieces: HASH, length: 100, ...info }, ...rest })
}

const paths = (meta: Metainfo): string[] => meta.files.map(file => file.path.join('/'))

test('reads a single-file torrent', () => {
  const made = makeTorrent({
    name: 'ä.bin',
    length: 70_000,
    announce: [['http://t.example/announce']],
    comment: 'hello',
  })
  const meta = decodeMetainfo(made.torrent)
  assert.equal(meta.infoHash, made.infoHash)
  assert.deepEqual(Buffer.from(meta.infoBytes), Buffer.from(made.info))
  assert.deepEqual(
    [meta.name, meta.multiFile, meta.pieceLength, meta.pieceCount, meta.totalLength, meta.private, meta.comment],
    ['ä.bin', false, 32768, 3, 70_000, false, 'hello'],
  )
  assert.deepEqual(meta.files, [{ index: 0, path: ['ä.bin'], length: 70_000, offset: 0, padding: false }])
  assert.deepEqual(meta.announceTiers, [['http://t.example/announce']])
  assert.equal(meta.pieceHashes.length, 60)
})

test('reads a multi-file torrent with padding and a zero-byte file', () => {
  const made = makeTorrent({
    name: 'set',
    private: true,
    padding: true,
    files: [
      { path: 'a/one', length: 40_000 },
      { path: 'empty', length: 0 },
      { path: 'two', length: 10 },
    ],
  })
  const meta = decodeMetainfo(made.torrent)
  assert.deepEqual(paths(meta), ['set/a/one', 'set/.pad/25536', 'set/empty', 'set/two'])
  assert.deepEqual(
    meta.files.map(file => file.padding),
    [false, true, false, false],
  )
  assert.deepEqual(
    meta.files.map(file => file.offset),
    [0, 40_000, 65_536, 65_536],
  )
  assert.equal(meta.private, true)
  assert.equal(meta.totalLength, 65_546)
})

test('the attribute alone makes padding', () => {
  const files = [
    { path: 'a', length: 5, attr: 'xp' },
    { path: 'b', length: 5, attr: 'x' },
  ]
  const meta = decodeMetainfo(makeTorrent({ files }).torrent)
  assert.deepEqual(
    meta.files.map(file => file.padding),
    [true, false],
  )
})

test('older spellings of padding count; a folder that is only called alike does not', () => {
  const made = makeTorrent({
    files: [
      { path: 'x/_____padding_file_0_if you see this file', content: new Uint8Array(5) },
      { path: '.pad/123', content: new Uint8Array(5) },
      { path: '.pad/film.mkv', length: 5 },
    ],
  })
  assert.deepEqual(
    decodeMetainfo(made.torrent).files.map(file => file.padding),
    [true, true, false],
  )
})

test('the hash is of the bytes received, also when they are not canonical', () => {
  const info = Buffer.concat([
    Buffer.from('d6:pieces20:'),
    HASH,
    Buffer.from('1:\xffi9007199254740993e4:name1:n12:piece lengthi16384e6:lengthi5ee', 'latin1'),
  ])
  const meta = decodeMetainfo(Buffer.concat([Buffer.from('d4:info'), info, Buffer.from('e\n')]))
  assert.equal(meta.infoHash, createHash('sha1').update(info).digest('hex'))
})

test('the result does not depend on the memory that was read', () => {
  const made = makeTorrent()
  const input = Buffer.from(made.torrent)
  const meta = decodeMetainfo(input)
  input.fill(0)
  assert.deepEqual(Buffer.from(meta.infoBytes), Buffer.from(made.info))
})

test('hostile paths stay inside and apart, the same each time', () => {
  const parts = [['..', '..', 'etc', 'passwd'], ['/abs'], ['A'], ['a'], ['CON'], ['a', 'b'], ['x'.repeat(300)], []]
  const files = parts.map(path => ({ length: 1, path }))
  const torrent = torrentOf({ name: '../evil', length: undefined, files })
  const meta = decodeMetainfo(torrent)
  assert.equal(meta.name, '../evil')
  assert.deepEqual(
    paths(meta).map(path => path.replace('.._evil/', '')),
    ['etc/passwd', '_abs', 'A', 'a (1)', '_CON', 'a (2)/b', 'x'.repeat(255), '_'],
  )
  assert.ok(meta.files.every(file => file.path[0] === '.._evil'))
  assert.deepEqual(paths(decodeMetainfo(torrent)), paths(meta))
})

test('utf-8 names go before names in an unknown code page', () => {
  const meta = decodeMetainfo(
    torrentOf({
      name: Buffer.from([0xe4]),
      'name.utf-8': 'ä',
      length: undefined,
      files: [{ length: 1, path: [Buffer.from([0xf6])], 'path.utf-8': ['ö'] }],
    }),
  )
  assert.deepEqual([meta.name, paths(meta)], ['ä', ['ä/ö']])
  assert.equal(decodeMetainfo(torrentOf({ name: Buffer.from([0x61, 0xe4]) })).files[0]?.path[0], 'a_')
})

test('a name that names nothing gives way to the info hash', () => {
  const meta = decodeMetainfo(torrentOf({ name: '..' }))
  assert.deepEqual(meta.files[0]?.path, [meta.infoHash])
})

test('tiers: usable trackers only, each once, bounded; the list goes before the single url', () => {
  const tiers = [
    ['http://a/x', 'udp://b:1', 'wss://c', 'http://a/x'],
    ['ftp://d', 'no url'],
    'https://e/y',
    ['http://a/x', 'http:///x'],
  ]
  const meta = decodeMetainfo(torrentOf({}, { announce: 'http://z/', 'announce-list': tiers }))
  assert.deepEqual(meta.announceTiers, [['http://a/x', 'udp://b:1'], ['https://e/y']])
  const single = decodeMetainfo(torrentOf({}, { announce: 'http://z/', 'announce-list': [[]] }))
  assert.deepEqual(single.announceTiers, [['http://z/']])
  const many = Array.from({ length: 5000 }, (_, index) => [`http://t${index}/announce`])
  assert.equal(decodeMetainfo(torrentOf({}, { 'announce-list': many })).announceTiers.length, 200)
  assert.deepEqual(decodeMetainfo(torrentOf({}, { announce: `http://${'x'.repeat(3000)}/` })).announceTiers, [])
})

test('only private = 1 is private', () => {
  assert.equal(decodeMetainfo(torrentOf({ private: 1 })).private, true)
  assert.equal(decodeMetainfo(torrentOf({ private: 0 })).private, false)
})

test('a torrent without a byte has no pieces', () => {
  const meta = decodeMetainfo(torrentOf({ pieces: '', length: 0 }))
  assert.deepEqual([meta.pieceCount, meta.totalLength, meta.files.length], [0, 0, 1])
})

test('refuses what cannot be a torrent', () => {
  const file = { length: 1, path: ['a'] }
  const bad: Record<string, Uint8Array> = {
    'no dictionary': Buffer.from('le'),
    html: Buffer.from('<html>'),
    'no info': encodeBencode({ announce: 'http://a/' }),
    'info is a list': encodeBencode({ info: [] }),
    'no pieces': torrentOf({ pieces: undefined }),
    'cut pieces': torrentOf({ pieces: Buffer.alloc(19) }),
    'too many pieces': torrentOf({ pieces: Buffer.alloc(40) }),
    'too few pieces': torrentOf({ length: 16385 }),
    'no length': torrentOf({ length: undefined }),
    'negative length': torrentOf({ length: -1 }),
    'huge length': torrentOf({ length: 2n ** 60n }),
    'piece length 0': torrentOf({ 'piece length': 0 }),
    'piece length negative': torrentOf({ 'piece length': -16384 }),
    'piece length 1 GiB': torrentOf({ 'piece length': 2 ** 30 }),
    'piece length text': torrentOf({ 'piece length': '16384' }),
    'files empty': torrentOf({ files: [] }),
    'files a dictionary': torrentOf({ files: {} }),
    'file without path': torrentOf({ files: [{ length: 1 }] }),
    'file with a number in its path': torrentOf({ files: [{ length: 1, path: [1] }] }),
    'file without length': torrentOf({ files: [{ path: ['a'] }] }),
    'file negative': torrentOf({
      files: [
        { length: 101, path: ['a'] },
        { length: -1, path: ['b'] },
      ],
    }),
    'sum beyond 2^53': torrentOf({ files: [file, { length: Number.MAX_SAFE_INTEGER, path: ['b'] }] }),
  }
  for (const [what, torrent] of Object.entries(bad)) assert.throws(() => decodeMetainfo(torrent), DecodeError, what)
  assert.throws(() => decodeMetainfo(torrentOf({ pieces: Buffer.alloc(19) })), /cut off/)
  assert.throws(() => decodeInfo(Buffer.from('de '), []), DecodeError)
})

test('size and number of files are bounded', () => {
  assert.throws(() => decodeMetainfo(new Uint8Array(MAX_METAINFO_BYTES + 1)), /larger/)
  const file = encodeBencode({ length: 0, path: ['a'] })
  const files = Buffer.concat([
    Buffer.from('l'),
    ...Array.from({ length: MAX_FILES + 1 }, () => file),
    Buffer.from('e'),
  ])
  const torrent = Buffer.concat([
    Buffer.from('d4:infod5:files'),
    files,
    Buffer.from('4:name1:n12:piece lengthi16384e6:pieces0:ee'),
  ])
  assert.throws(() => decodeMetainfo(torrent), /more than/)
})

test('what is written is read back, the info dictionary byte for byte', () => {
  const made = makeTorrent()
  const parts = {
    infoBytes: made.info,
    announceTiers: [['http://a/', 'udp://b:1'], ['http://c/']],
    comment: 'c',
    createdBy: 'me',
    creationDateSec: 1,
  }
  const written = encodeMetainfo(parts)
  assert.deepEqual(Buffer.from(encodeBencode(decodeBencode(written))), Buffer.from(written), 'canonical')
  const meta = decodeMetainfo(written)
  assert.equal(meta.infoHash, made.infoHash)
  assert.deepEqual(
    [meta.announceTiers, meta.comment, meta.createdBy, meta.creationDateSec],
    [parts.announceTiers, 'c', 'me', 1],
  )
  assert.deepEqual(decodeMetainfo(encodeMetainfo({ infoBytes: made.info, announceTiers: [] })).announceTiers, [])
})
