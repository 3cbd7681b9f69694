// Whether another download has, or may have, files in the places of one: by every way in which two paths are one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseInfoHash } from '../../../../src/base/ids.ts'
import type { StoredDownload } from '../../../../src/ports/records.ts'
import { DownloadEntry } from '../../../../src/services/downloads/download-entry.ts'
import { DownloadSet } from '../../../../src/services/downloads/download-set.ts'
import type { FolderName } from '../../../../src/services/downloads/places/folder-names.ts'
import { SharedPlaces } from '../../../../src/services/downloads/places/shared-places.ts'
import { makeDownload } from '../../records/records-kit.ts'

type Row = Partial<
  Pick<StoredDownload, 'name' | 'destination' | 'movingTo' | 'movedFrom' | 'pieceCount' | 'renames'>
> & {
  readonly controls?: { readonly watchAndForget: boolean }
}

/** A set of downloads, of which the first is asked about. */
class Bench {
  readonly set = new DownloadSet()
  nowMs = 0
  /** Where folders lead; of others nothing is known but their path. */
  readonly folders = new Map<string, FolderName | null>()
  readonly looked: string[] = []
  readonly places = new SharedPlaces(this.set, {
    clock: { now: () => this.nowMs },
    identifyFolder: async folder => {
      this.looked.push(folder)
      const found = this.folders.get(folder)
      return found === undefined ? { path: folder, id: folder } : found
    },
  })

  constructor(...rows: Row[]) {
    this.set.listed = true
    this.set.placed = entry => this.places.changed(entry)
    for (const row of rows) this.add(row)
  }

  add(row: Row): DownloadEntry {
    const number = this.set.entries.size + 1
    const infoHash = parseInfoHash(String(number).padStart(40, '0'))
    assert.ok(infoHash)
    const stored = {
      ...makeDownload(number),
      position: number,
      ...DEFAULTS,
      infoHash,
      ...row,
    } as unknown as StoredDownload
    const entry = new DownloadEntry(stored)
    this.set.enter(entry)
    return entry
  }

  get first(): DownloadEntry {
    const [first] = this.set.entries.values()
    assert.ok(first)
    return first
  }

  find(): Promise<boolean | null> {
    return this.places.find(this.first.stored.infoHash)
  }

  now(): boolean {
    return this.places.shares(this.first.stored.infoHash)
  }
}

const DEFAULTS = { name: 'Film', destination: '/films', movingTo: null, movedFrom: null, pieceCount: 5 }

test('one that is alone in its place, among many elsewhere', async () => {
  const others = Array.from({ length: 5000 }, (_, i) => ({ name: `Film ${i}` }))
  const bench = new Bench({}, ...others, { name: 'Films' }, { destination: '/film', name: 'Fil' })
  assert.equal(bench.now(), true, 'not before it is known')
  assert.equal(await bench.find(), false)
  assert.equal(bench.now(), false)
  assert.deepEqual(bench.looked, ['/films', '/film'], 'each folder is asked about once')
  const second = [...bench.set.entries.keys()][1]
  assert.ok(second)
  assert.equal(await bench.places.find(second), false)
  assert.deepEqual(bench.looked.length, 2, 'once for all')
  const alone = new Bench({}, ...others)
  assert.equal(await alone.find(), false)
  assert.deepEqual(alone.looked, [], 'and none where there is but one')
})

for (const [what, mine, theirs] of [
  ['the same place', {}, {}],
  ['a name in other letters, where case is ignored', { name: 'Film É' }, { name: 'fILM e\u0301' }],
  ['a folder in other letters', { destination: '/Films' }, { destination: '/films' }],
  ['a file in its folder', {}, { destination: '/films/Film', name: 'a.mkv' }],
  ['a folder around its file', { destination: '/films/Film', name: 'a.mkv' }, {}],
  ['a name that is another on the disk', { name: 'Film .' }, { name: 'Film' }],
  ['a name with what is no text', { name: 'Film \ufffd' }, { name: 'Film _' }],
  ['a folder to which the other is on its way', {}, { destination: '/old', movingTo: '/films' }],
  ['a folder in which files of the other are still', {}, { destination: '/new', movedFrom: '/films' }],
  ['a folder to which it is on its way itself', { destination: '/old', movingTo: '/films' }, {}],
  ['the top of the disk', { destination: '/' }, { destination: '/' }],
] as const satisfies readonly (readonly [string, Row, Row])[]) {
  test(`${what} is shared`, async () => {
    const both = new Bench(mine, theirs)
    assert.equal(await both.find(), true)
    // The other one comes after it was asked about.
    const late = new Bench(mine)
    assert.equal(await late.find(), false)
    late.add(theirs)
    assert.equal(late.now(), true, 'from the moment it is there')
    assert.equal(await late.find(), true)
  })
}

test('two paths to one folder: a link, a bind mount, and what cannot be told', async () => {
  for (const [folders, shares] of [
    [[['/mnt', { path: '/films', id: 'x' }]], true],
    [[['/mnt', { path: '/mnt', id: '/films' }]], true],
    [[['/mnt', { path: '/mnt', id: 'x' }]], false],
    [[['/mnt', null]], false],
  ] as const) {
    const bench = new Bench({}, { destination: '/mnt' })
    for (const [folder, name] of folders) bench.folders.set(folder, name)
    assert.equal(await bench.find(), shares)
  }
  const failing = new Bench({}, { destination: '/mnt' })
  const places = new SharedPlaces(failing.set, {
    clock: { now: () => 0 },
    identifyFolder: () => Promise.reject(new Error('EIO')),
  })
  assert.equal(await places.find(failing.first.stored.infoHash), null)
  assert.equal(places.shares(failing.first.stored.infoHash), true)
  const silent = new SharedPlaces(failing.set, {
    clock: { now: () => 0 },
    identifyFolder: () => new Promise(() => undefined),
  })
  for (let turn = 0; turn < 20; turn++) {
    assert.equal(silent.shares(failing.first.stored.infoHash), true)
    await nextTurn()
  }
})

for (const [what, mine, theirs, real] of [
  [
    'a file of its folder by a mount of that',
    { destination: '/data', name: 'films' },
    { destination: '/films' },
    '/data/films',
  ],
  [
    'a file deep in its folder',
    { destination: '/data', name: 'films' },
    { destination: '/films' },
    '/data/films/old/of 1990',
  ],
  [
    'a folder around its own',
    { destination: '/data/films/Film', name: 'a.mkv' },
    { destination: '/films' },
    '/data/films',
  ],
  ['in other letters', { destination: '/data', name: 'films' }, { destination: '/films' }, '/Data/FILMS'],
] as const satisfies readonly (readonly [string, Row, Row, string])[]) {
  test(`one in the other by other paths, links or mounts, is shared: ${what}`, async () => {
    const bench = new Bench(mine, theirs)
    bench.folders.set('/films', { path: real, id: 'x' })
    assert.equal(await bench.find(), true)
    // The other one comes after it was asked about: where its folder is nobody has looked yet.
    const late = new Bench(mine, { destination: '/other' })
    late.folders.set('/films', { path: real, id: 'x' })
    assert.equal(await late.find(), false)
    const other = late.add(theirs)
    assert.equal(late.now(), true, 'from the moment it is there')
    assert.equal(await late.find(), true)
    late.set.forget(other.stored.infoHash)
    late.nowMs += 60_000
    assert.equal(await late.find(), false)
    // A folder that was another one becomes a link.
    const link = new Bench(mine, theirs)
    assert.equal(await link.find(), false)
    link.folders.set('/films', { path: real, id: 'x' })
    link.nowMs += 60_000
    await link.find()
    assert.equal(link.now(), true)
  })
}

test('who forgets beside one that is removed: by paths, by mounts, and where that cannot be told', async () => {
  const forgets = { controls: { watchAndForget: true } }
  const rows = [
    { destination: '/films' },
    { destination: '/data', name: 'films', ...forgets },
    { destination: '/films', ...forgets },
    { destination: '/data', name: 'music', ...forgets },
    { destination: '/data', name: 'films' },
  ]
  const bench = new Bench(...rows)
  const [, around, same] = bench.set.entries.keys()
  assert.deepEqual(await bench.places.forgettingBeside(bench.first), [same])
  const mounted = new Bench(...rows)
  mounted.folders.set('/films', { path: '/data/films', id: 'x' })
  assert.deepEqual(await mounted.places.forgettingBeside(mounted.first), [around, same])
  const identifyFolder = () => Promise.reject(new Error('EIO'))
  const failing = new SharedPlaces(bench.set, { clock: { now: () => 0 }, identifyFolder })
  assert.equal((await failing.forgettingBeside(bench.first)).length, 3)
})

test('a magnet counts when it is named, which is before it touches a file; a move, when it is asked for', async () => {
  const bench = new Bench({})
  const magnet = bench.add({ pieceCount: 0 })
  const other = bench.add({ name: 'Other' })
  const elsewhere = bench.add({ destination: '/old' })
  assert.equal(await bench.find(), false)
  magnet.stored = { ...magnet.stored, pieceCount: 5 }
  assert.equal(bench.now(), true)
  assert.equal(await bench.find(), true)
  bench.set.forget(magnet.stored.infoHash)
  bench.nowMs += 60_000
  assert.equal(await bench.find(), false, 'it has gone')
  elsewhere.stored = { ...elsewhere.stored, movingTo: '/films' }
  assert.equal(bench.now(), true)
  assert.equal(await bench.find(), true)
  elsewhere.stored = { ...elsewhere.stored, movingTo: null }
  bench.nowMs += 60_000
  assert.equal(await bench.find(), false)
  // A change that has nothing to do with places is none.
  other.stored = { ...other.stored, totalUp: 5 }
  assert.equal(bench.now(), false)
})

test('one that comes while the others are gone through is not missed', async () => {
  const bench = new Bench({}, ...Array.from({ length: 9000 }, (_, i) => ({ name: `Film ${i}` })))
  const found = bench.find()
  await nextTurn()
  const late = bench.add({ name: 'away' })
  late.stored = { ...late.stored, name: 'Film' }
  assert.equal(await found, true)
})

test('nothing is known of what is no download, of one without metadata, and before all are listed', async () => {
  const bench = new Bench({ pieceCount: 0 })
  assert.equal(await bench.find(), true)
  const infoHash = parseInfoHash('f'.repeat(40))
  assert.ok(infoHash)
  assert.equal(await bench.places.find(infoHash), null)
  assert.equal(bench.places.shares(infoHash), true)
  const early = new Bench({})
  early.set.listed = false
  assert.equal(await early.find(), null)
  assert.equal(early.now(), true)
})

test('one folder of those of a download: others in the rest of them do not count', async () => {
  const moved = { destination: '/new', movedFrom: '/films' }
  const beside = new Bench(moved, { destination: '/new' }, { destination: '/elsewhere' })
  assert.equal(await beside.places.findIn(beside.first, '/films'), false)
  assert.equal(await beside.places.findIn(beside.first, '/new'), true)
  const old = new Bench(moved, {}, { destination: '/elsewhere' })
  assert.equal(await old.places.findIn(old.first, '/films'), true)
  // One that comes to the same path while the disks are asked where the others lie.
  const late = new Bench(moved, { destination: '/elsewhere' })
  const asked = late.places.findIn(late.first, '/films')
  late.add({})
  assert.equal(await asked, true)
  const nameless = new Bench({ ...moved, pieceCount: 0 }, {})
  assert.equal(await nameless.places.findIn(nameless.first, '/films'), false)
  nameless.set.listed = false
  assert.equal(await nameless.places.findIn(nameless.first, '/films'), null)
})

test('what was renamed lies where its name says, and where it comes from or goes to', async () => {
  const renamed = (now: string, to: string | null, from: string | null): StoredDownload['renames'] => {
    const names = (name: string) => [['b', name] as const]
    return { now: names(now), to: to === null ? null : names(to), from: from === null ? null : names(from) }
  }
  for (const renames of [renamed('a', null, null), renamed('x', 'a', null), renamed('x', null, 'A')]) {
    const bench = new Bench({ name: 'a' }, { name: 'b', renames })
    bench.places.shares(bench.first.stored.infoHash)
    assert.equal(await bench.places.find(bench.first.stored.infoHash), true)
  }
  const other = new Bench({ name: 'b' }, { name: 'b', renames: renamed('x', null, null) })
  assert.equal(await other.places.find(other.first.stored.infoHash), false)
})
