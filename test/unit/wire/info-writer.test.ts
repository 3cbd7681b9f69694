// Info dictionaries against those of test/kit/content/make-v2-torrent.ts, which are built another way, and read back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  encodeInfo,
  inTreeOrder,
  type InfoFile,
  type InfoSource,
  v1Runs,
} from '../../../src/wire/metainfo/info-writer.ts'
import { decodeInfo } from '../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type MadeV2Torrent, makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'

const KIB = 1024
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const FILES = [
  { path: 'a/b', length: 40 * KIB, attr: 'x' },
  { path: 'a-c', length: 0 },
  { path: 'd', length: 32 * KIB },
  { path: 'ü', length: 3 },
]

function sourceOf(made: MadeV2Torrent, hybrid: boolean, single: boolean): InfoSource {
  const { pieceHashes, pieceLength, name } = decodeInfo(made.info, [])
  const files = made.files.map(({ path, content, root }): InfoFile => {
    const attr = single ? undefined : FILES.find(file => file.path === path)?.attr
    return { parts: path.split('/'), length: content.length, root, ...(attr === undefined ? {} : { attr }) }
  })
  return { name, pieceLength, files, single, pieceHashes: hybrid ? pieceHashes : null, v2: true }
}

test('v2 and hybrid dictionaries, byte for byte', () => {
  for (const hybrid of [false, true]) {
    const many = makeV2Torrent({ files: FILES, name: 'set', hybrid, noTail: true })
    assert.equal(hex(encodeInfo(sourceOf(many, hybrid, false))), hex(many.info))
    const one = makeV2Torrent({ hybrid })
    assert.equal(hex(encodeInfo(sourceOf(one, hybrid, true))), hex(one.info))
  }
})

test('v1 dictionaries, private and with a source', () => {
  const made = makeTorrent({
    files: [
      { path: 'x/y', length: 50_000 },
      { path: 'z', length: 9 },
    ],
    name: 'set',
    private: true,
    info: { source: 'S' },
  })
  const { pieceHashes, pieceLength } = decodeInfo(made.info, [])
  const files = made.files.map(({ path, content }) => ({ parts: path.split('/'), length: content.length, root: null }))
  const source = { name: 'set', pieceLength, files, single: false, pieceHashes, v2: false, private: true, source: 'S' }
  assert.equal(hex(encodeInfo(source)), hex(made.info))
})

test('the order of a tree is that of bytes, folder by folder', () => {
  const files = ['b', 'a/z', 'a-b', 'ü', 'Z', 'a/b/c', 'a'].map(path => ({ parts: path.split('/') }))
  assert.deepEqual(
    inTreeOrder(files).map(file => file.parts.join('/')),
    ['Z', 'a', 'a/b/c', 'a/z', 'a-b', 'b', 'ü'],
  )
})

test('padding follows each file that ends within a piece, but the last one', () => {
  const files = [30, 0, 100, 0, 250, 0].map((length, i) => ({ parts: [String(i)], length, root: null }))
  const spell = (aligned: boolean) =>
    v1Runs(files, 100, aligned).map(run => ('padding' in run ? -run.padding : run.file.length))
  assert.deepEqual(spell(false), [30, 0, 100, 0, 250, 0])
  assert.deepEqual(spell(true), [30, -70, 0, 100, 0, 250, -50, 0])
  assert.equal(v1Runs(files.slice(0, 5), 100, true).length, 6)
})

test('what no torrent can be is a bug', () => {
  const root = new Uint8Array(32).fill(1)
  const file = { parts: ['a'], length: 5, root }
  const good: InfoSource = { name: 'n', pieceLength: 16384, files: [file], single: true, pieceHashes: null, v2: true }
  assert.doesNotThrow(() => encodeInfo(good))
  const bad: Partial<InfoSource>[] = [
    { files: [] },
    { files: [file, { ...file, parts: ['b'] }] },
    { v2: false },
    { pieceLength: 8192 },
    { pieceLength: 48 * KIB },
    { files: [{ ...file, root: null }] },
    { files: [{ ...file, length: 0 }] },
    { files: [{ ...file, parts: [] }] },
    { files: [{ ...file, parts: ['a', ''] }] },
    { single: false, files: [file, file] },
    { single: false, files: [file, { ...file, parts: ['a', 'b'] }] },
    { single: false, files: [{ ...file, parts: ['a', 'b'] }, file] },
  ]
  for (const change of bad) assert.throws(() => encodeInfo({ ...good, ...change }), RangeError, JSON.stringify(change))
})
