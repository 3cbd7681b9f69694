// One torrent made of content: any set of files comes out as a torrent that reads as these files, and equal content
// gives an equal info hash; what cannot be a torrent is refused before anything is hashed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import type { CreateTorrent } from '../../../src/services/api.ts'
import { type MakeWatch, makeTorrent } from '../../../src/services/making/new-torrent.ts'
import { newTorrentOptions } from '../../../src/services/making/new-torrent-options.ts'
import { decodeBencode, getDict, getInt, getList, getText, utf8Text } from '../../../src/wire/bencode.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { MemoryContent, type MemoryFile } from '../../kit/doubles/memory-content.ts'

const defaults = { createdBy: 'Tributary/1.2.3', nowSec: 1_700_000_000 }
const FORMATS = ['v1', 'v2', 'hybrid'] as const

function make(content: MemoryContent, request: Partial<CreateTorrent> = {}, watch: Partial<MakeWatch> = {}) {
  const signal = new AbortController().signal
  const all = { signal, depth: 3, toSeed: false, progress: () => undefined, ...watch }
  return makeTorrent(content, newTorrentOptions({ path: '/x', ...request }, defaults), all)
}

const hasCode =
  (code: ErrorCode, text = /./) =>
  (error: unknown) =>
    error instanceof AppError && error.code === code && text.test(error.message)

const small: readonly MemoryFile[] = [
  { path: 'a', content: seededBytes(40_000, 1) },
  { path: 'sub/b', content: seededBytes(100, 2) },
]

/** Numbers below `below` that follow from `seed`. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Files of a random folder, sorted part by part. */
function randomFiles(seed: number): MemoryFile[] {
  const next = chance(seed)
  const lengths = [0, 1, 16_384, 16_385, 32_768, 65_536, 70_001]
  const names = ['a', 'b', 'b c', 'Ü', '0', '__proto__', 'length', '\u{1f41e}']
  const paths = new Map<string, string[]>()
  for (let i = next(12) + 1; i > 0; i--) {
    const folders = Array.from({ length: next(3) }, () => `d${next(2)}`)
    const path = [...folders, names[next(names.length)] ?? 'a']
    paths.set(path.join('/'), path)
  }
  const sorted = [...paths.values()].sort(compareParts)
  return sorted.map((path, i) => ({
    path: path.join('/'),
    content: seededBytes(lengths[next(lengths.length)] ?? 0, i),
  }))
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = Buffer.compare(Buffer.from(a[i] ?? ''), Buffer.from(b[i] ?? ''))
    if (order !== 0) return order
  }
  return a.length - b.length
}

test('any folder in any format reads back as these files, with hashes that hold', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const files = randomFiles(seed)
    if (files.every(file => file.content.length === 0)) continue
    for (const format of FORMATS) {
      const content = new MemoryContent('folder', files)
      const piece_length = 16_384 << (seed % 3)
      const { metainfo, destination } = await make(content, { format, piece_length })
      // Reading proves the piece layers by their roots, and that v1 and v2 say the same.
      const real = metainfo.files.filter(file => !file.padding)
      const alone = format === 'v2' && files.length === 1 && files[0]?.path.includes('/') === false
      assert.deepEqual(
        real.map(file => file.path.join('/')),
        files.map(file => (alone ? file.path : `folder/${file.path}`)),
        `seed ${seed} ${format}`,
      )
      assert.deepEqual(
        real.map(file => file.length),
        files.map(file => file.content.length),
      )
      assert.equal(destination, alone ? '/memory/folder' : '/memory')
      assert.equal(metainfo.pieceHashes.length, format === 'v2' ? 0 : metainfo.pieceCount * 20)
      assert.equal(metainfo.v2 === null, format === 'v1')
      assert.equal(content.open, 0)
    }
  }
})

test('a file as deep as content may lie is read back in every format', async () => {
  const path = [...Array.from({ length: 60 }, () => 'd'), 'file'].join('/')
  for (const format of FORMATS) {
    const { metainfo } = await make(new MemoryContent('folder', [{ path, content: seededBytes(9, 1) }]), { format })
    assert.equal(metainfo.files[0]?.path.join('/'), `folder/${path}`)
  }
})

test('equal content gives equal info hashes, whatever is said outside of the info dictionary', async () => {
  const content = new MemoryContent('folder', small)
  const first = await make(content)
  const again = await make(content, {
    trackers: [['http://t.example/announce']],
    web_seeds: ['https://w.example/'],
    comment: 'other',
    created_by: 'somebody',
    creation_date: 5,
  })
  assert.equal(again.metainfo.infoHash, first.metainfo.infoHash)
  assert.equal(again.metainfo.v2?.infoHash, first.metainfo.v2?.infoHash)
  const others: Partial<CreateTorrent>[] = [
    { private: true },
    { source: 'X' },
    { piece_length: 32_768 },
    { format: 'v1' },
  ]
  for (const other of others) {
    const made = await make(content, other)
    assert.notEqual(made.metainfo.infoHash, first.metainfo.infoHash, JSON.stringify(other))
  }
})

test('trackers by tier, web seeds, comment, creator, date, private and source stand where they belong', async () => {
  const { bytes, metainfo } = await make(new MemoryContent('folder', small), {
    trackers: [['http://a.example/announce', 'udp://b.example:1'], ['https://c.example/x']],
    web_seeds: ['http://w.example/media/', 'https://v.example/'],
    comment: 'Füße',
    private: true,
    source: 'TRACKER',
  })
  assert.deepEqual(metainfo.announceTiers, [
    ['http://a.example/announce', 'udp://b.example:1'],
    ['https://c.example/x'],
  ])
  assert.equal(metainfo.private, true)
  assert.equal(metainfo.comment, 'Füße')
  assert.equal(metainfo.createdBy, 'Tributary/1.2.3')
  assert.equal(metainfo.creationDateSec, 1_700_000_000)
  const dict = decodeBencode(bytes)
  assert.ok(dict instanceof Map)
  assert.equal(getText(dict, 'announce'), 'http://a.example/announce')
  const seeds = getList(dict, 'url-list')?.map(url => (url instanceof Uint8Array ? utf8Text(url) : null))
  assert.deepEqual(seeds, ['http://w.example/media/', 'https://v.example/'])
  // Keys in order: other programs hash and refuse what is not.
  assert.deepEqual([...dict.keys()], [...dict.keys()].sort())
  const info = getDict(dict, 'info')
  assert.deepEqual([...(info?.keys() ?? [])], [...(info?.keys() ?? [])].sort())
  assert.equal(info && getText(info, 'source'), 'TRACKER')
  assert.equal(info && getInt(info, 'private'), 1)
})

test('nothing is written of what is not wanted', async () => {
  const { bytes, metainfo } = await make(new MemoryContent('file', [{ path: '', content: seededBytes(5, 1) }]), {
    created_by: '',
    creation_date: 0,
  })
  const dict = decodeBencode(bytes)
  assert.ok(dict instanceof Map)
  assert.deepEqual([...dict.keys()], ['info', 'piece layers'])
  assert.deepEqual(
    [...(getDict(dict, 'info')?.keys() ?? [])],
    ['file tree', 'length', 'meta version', 'name', 'piece length', 'pieces'],
  )
  assert.equal(metainfo.createdBy, null)
})

test('what can be no torrent is refused before anything is hashed', async () => {
  const cases: [MemoryContent, Partial<CreateTorrent>, Partial<MakeWatch>, RegExp][] = [
    [new MemoryContent('f', [{ path: 'a', content: new Uint8Array(0) }]), {}, {}, /not one byte/],
    [new MemoryContent('f', [{ path: '.pad/12', content: seededBytes(5, 1) }]), {}, {}, /padding/],
    [new MemoryContent('f', [{ path: 'con', content: seededBytes(5, 1) }]), {}, { toSeed: true }, /another name/],
  ]
  for (const [content, request, watch, text] of cases) {
    content.beforeRun = () => assert.fail('it was hashed')
    await assert.rejects(make(content, request, watch), hasCode('InvalidParameter', text))
    assert.equal(content.open, 0)
  }
})

test('very many files: more than can be read back with their padding are refused, unless there is none', async () => {
  const content = Uint8Array.of(1)
  const files = Array.from({ length: 100_001 }, (_, i) => ({ path: String(i).padStart(6, '0'), content }))
  const many = new MemoryContent('f', files)
  many.beforeRun = () => assert.fail('it was hashed')
  await assert.rejects(make(many, { format: 'hybrid' }), hasCode('InvalidParameter', /padding/))
  // As many pieces of 20 bytes as files, and their names, fit.
  many.beforeRun = () => undefined
  assert.equal((await make(many, { format: 'v1' })).metainfo.files.length, 100_001)
})

test('a metainfo file that would be too large is refused before anything is hashed', async () => {
  const content = Uint8Array.of(1)
  const name = 'x'.repeat(200)
  const files = Array.from({ length: 80_000 }, (_, i) => ({ path: `${String(i).padStart(6, '0')}${name}`, content }))
  const many = new MemoryContent('f', files)
  many.beforeRun = () => assert.fail('it was hashed')
  await assert.rejects(make(many, { format: 'v1' }), hasCode('InvalidParameter', /fewer files/))
})

test('names that only this node could not use are fine where it does not seed', async () => {
  const { metainfo } = await make(new MemoryContent('f', [{ path: 'con', content: seededBytes(5, 1) }]))
  assert.equal(metainfo.totalLength, 5)
})

test('an error of one run ends the others, and is the error of the call', async () => {
  const content = new MemoryContent('f', [{ path: 'a', content: seededBytes(300 * 16_384, 1) }])
  let runs = 0
  content.beforeRun = () => {
    runs += 1
    throw new AppError('DiskError', 'broken')
  }
  await assert.rejects(make(content, { piece_length: 16_384 }), hasCode('DiskError', /broken/))
  assert.ok(runs <= 3)
  assert.equal(content.open, 0)
})

test('content that changed after it was hashed gives no torrent', async () => {
  const content = new MemoryContent('f', small)
  content.changed = true
  await assert.rejects(make(content), hasCode('SourceChanged'))
  assert.equal(content.open, 0)
})
