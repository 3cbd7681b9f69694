// Anybody's torrent overwrote files of the owner that only had the same name. Whole engines over real files.

import assert from 'node:assert/strict'
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { TorrentControls, TorrentHandle, TorrentSpec } from '../../../src/torrent/index.ts'
import { LoopbackNode, type LoopbackOptions } from '../../kit/nodes/loopback-node.ts'
import { type MadeTorrent, makeTorrent, seededBytes } from '../../kit/content/make-torrent.ts'
import { asMadeTorrent, makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { awake } from '../../kit/sim/awake.ts'

const KIB = 1024
const PIECE = 32 * KIB
const OVERWRITE: TorrentControls = {
  maxDownloadRate: 0,
  maxUploadRate: 0,
  sequential: false,
  filePriorities: new Map(),
  overwrite: true,
}

function status(handle: TorrentHandle, wanted: string): Promise<unknown> {
  return waitFor(
    `status ${wanted}`,
    () => handle.snapshot().status === wanted,
    20_000,
    () => handle.snapshot(),
  )
}

/** A seeder and an empty node; the address of the first. */
async function swarm(t: TestContext, torrent: MadeTorrent, options: LoopbackOptions = {}) {
  const from = await new LoopbackNode().start()
  const to = await new LoopbackNode(options).start()
  t.after(() => Promise.all([from.close(), to.close()]))
  await from.put(torrent)
  await status(from.add(torrent), 'seeding')
  return { to, peers: [from.address] }
}

function lay(node: LoopbackNode, path: string, bytes: Uint8Array): string {
  const at = join(node.folder, path)
  mkdirSync(dirname(at), { recursive: true })
  writeFileSync(at, bytes)
  return at
}

async function assertComplete(node: LoopbackNode, torrent: MadeTorrent, spec: Partial<TorrentSpec>): Promise<void> {
  await status(node.add(torrent, spec), 'seeding')
  assertFiles(node, torrent)
}

function assertFiles(node: LoopbackNode, torrent: MadeTorrent): void {
  for (const { path, content, padding } of torrent.files) {
    const root = torrent.files.length > 1 ? 'folder' : ''
    if (!padding) assert.ok(readFileSync(join(node.folder, root, path)).equals(content), path)
  }
}

const asides = (node: LoopbackNode): string[] => node.events.filter(event => event.startsWith('aside'))
const keptName = (name: string, { infoHash }: MadeTorrent) => `${name}.before-${infoHash.slice(0, 8)}`

for (const [name, bytes] of [
  ['another file of the same size', seededBytes(100_000, 9)],
  ['a longer one that begins alike', Buffer.concat([seededBytes(100_000).fill(1, 99_999), Buffer.from('more')])],
  ['a shorter one with one whole piece', seededBytes(40_000, 9)],
] as const) {
  test(`${name} stops the download, and stays as it is until the user says overwrite`, async t => {
    const torrent = makeTorrent()
    const { to, peers } = await swarm(t, torrent)
    const path = lay(to, 'file.bin', bytes)
    const handle = to.add(torrent, { peers })
    await status(handle, 'error')
    assert.match(handle.snapshot().error, /not of this download.*file\.bin.*overwrite/)
    assert.equal(handle.obstacles().foreignFile, true)
    assert.ok(readFileSync(path).equals(bytes))
    assert.deepEqual(readdirSync(to.folder), ['file.bin'])
    handle.setControls(OVERWRITE)
    awake(handle).resume()
    await status(handle, 'seeding')
    assertFiles(to, torrent)
    assert.deepEqual(asides(to), [])
  })
}

test('nothing is made when one of many files is foreign, and deleting with data leaves it', async t => {
  const torrent = makeTorrent({ files: ['a', 'b/c', 'd'].map(path => ({ path, length: 3 * PIECE })) })
  const { to, peers } = await swarm(t, torrent)
  const notes = seededBytes(2 * PIECE, 50)
  const path = lay(to, 'folder/d', notes)
  const handle = to.add(torrent, { peers })
  await status(handle, 'error')
  assert.deepEqual(readdirSync(join(to.folder, 'folder')), ['d'])
  await to.session.remove(torrent.infoHash, { deleteData: true })
  assert.ok(readFileSync(path).equals(notes))
})

test('empty files, zeros and holes are taken', async t => {
  const torrent = makeTorrent({ files: ['a', 'b', 'c', 'd'].map(path => ({ path, length: 2 * PIECE + 5 })) })
  const { to, peers } = await swarm(t, torrent)
  lay(to, 'folder/a', new Uint8Array(2 * PIECE + 5))
  truncateSync(lay(to, 'folder/b', new Uint8Array(0)), 2 * PIECE + 5)
  lay(to, 'folder/c', new Uint8Array(0))
  lay(to, 'folder/d', new Uint8Array(7))
  await assertComplete(to, torrent, { peers })
  assert.deepEqual(asides(to), [])
})

test('a half-written file is taken, and written on where it is', async t => {
  const torrent = makeTorrent({ length: 10 * PIECE })
  const { to, peers } = await swarm(t, torrent)
  const half = Uint8Array.from(torrent.content)
  for (let piece = 1; piece < 10; piece += 2) half.fill(0, piece * PIECE, (piece + 1) * PIECE - 100)
  const { ino } = statSync(lay(to, 'file.bin', half))
  await assertComplete(to, torrent, { peers })
  assert.equal(statSync(join(to.folder, 'file.bin')).ino, ino)
  assert.deepEqual(readdirSync(to.folder), ['file.bin'])
})

const withNotes = () =>
  makeTorrent({
    files: [
      { path: 'film', length: 2 * PIECE + 1000 },
      { path: 'film.nfo', content: Buffer.from('the same words') },
      { path: 'sound', length: PIECE },
    ],
  })

test('a small file in a shared piece: taken when it is right', async t => {
  const torrent = withNotes()
  const { to, peers } = await swarm(t, torrent)
  const { ino } = statSync(lay(to, 'folder/film.nfo', Buffer.from('the same words')))
  await assertComplete(to, torrent, { peers })
  assert.equal(statSync(join(to.folder, 'folder/film.nfo')).ino, ino)
  assert.deepEqual(asides(to), [])
})

test('a small file in a shared piece: set aside when it turns out different', async t => {
  const torrent = withNotes()
  const { to, peers } = await swarm(t, torrent)
  const path = lay(to, 'folder/film.nfo', Buffer.from('my own words'))
  const handle = to.add(torrent, { peers })
  await status(handle, 'seeding')
  assertFiles(to, torrent)
  const kept = keptName('film.nfo', torrent)
  assert.equal(readFileSync(join(to.folder, 'folder', kept), 'utf8'), 'my own words')
  assert.deepEqual(asides(to), [`aside ${path} ${kept}`])
})

test('cross-seed with one file renamed: what is there is taken, the other fetched', async t => {
  const torrent = withNotes()
  const { to, peers } = await swarm(t, torrent)
  const [film, notes, sound] = torrent.files.map(({ content }) => content) as [Uint8Array, Uint8Array, Uint8Array]
  const inodes = [lay(to, 'folder/film', film), lay(to, 'folder/sound', sound)].map(path => statSync(path).ino)
  lay(to, 'folder/renamed.nfo', notes)
  const handle = to.add(torrent, { peers })
  await status(handle, 'seeding')
  assertFiles(to, torrent)
  assert.deepEqual(
    ['film', 'sound'].map(name => statSync(join(to.folder, 'folder', name)).ino),
    inodes,
  )
  assert.ok(handle.snapshot().totalDown <= 2 * PIECE, 'all was fetched again')
  assert.deepEqual(asides(to), [])
})

for (const [name, change] of [
  ['a piece differs', (bytes: Uint8Array) => bytes.fill(7, 3 * PIECE, 3 * PIECE + 10)],
  ['it is of zeros', (bytes: Uint8Array) => bytes.fill(0)],
] as const) {
  test(`a hard link to a file of another torrent is never written through: ${name}`, async t => {
    const torrent = makeTorrent({ length: 6 * PIECE })
    const { to, peers } = await swarm(t, torrent)
    const others = Uint8Array.from(torrent.content)
    change(others)
    const path = lay(to, 'other/file.bin', others)
    linkSync(path, join(to.folder, 'file.bin'))
    await assertComplete(to, torrent, { peers })
    assert.ok(readFileSync(path).equals(others), 'written through')
    assert.equal(statSync(path).nlink, 1)
  })
}

test('a link that is right is seeded as it is', async t => {
  const torrent = makeTorrent({ length: 6 * PIECE })
  const { to } = await swarm(t, torrent)
  linkSync(lay(to, 'other/file.bin', torrent.content), join(to.folder, 'file.bin'))
  await assertComplete(to, torrent, {})
  assert.equal(statSync(join(to.folder, 'file.bin')).nlink, 2)
  await to.session.remove(torrent.infoHash, { deleteData: true })
  assert.deepEqual(readdirSync(to.folder), ['other'])
})

test('a file that appears after the look is not written to', async t => {
  const torrent = makeTorrent()
  const { to, peers } = await swarm(t, torrent)
  const handle = to.add(torrent)
  await status(handle, 'downloading')
  const late = seededBytes(100_000, 9)
  const path = lay(to, 'file.bin', late)
  awake(handle).addPeers(peers)
  await status(handle, 'error')
  assert.match(handle.snapshot().error, /was not there when the download began/)
  assert.ok(readFileSync(path).equals(late))
})

test('a file is noted as our own before its first byte, so that a kill does not make it foreign', async t => {
  const torrent = makeTorrent({ files: ['a', 'b'].map(path => ({ path, length: 4 * PIECE })) })
  const { to, peers } = await swarm(t, torrent)
  const order: string[] = []
  const { journal } = to
  const note = journal.noteOwnFiles.bind(journal)
  journal.noteOwnFiles = async (infoHash, runs) => {
    const there = readdirSync(join(to.folder, 'folder'))
    for (const name of there) order.push(`${name} ${statSync(join(to.folder, 'folder', name)).size} then noted`)
    await note(infoHash, runs)
  }
  const handle = to.add(torrent, { peers, selectedFiles: [0] })
  await status(handle, 'seeding')
  assert.equal(order[0], 'a 0 then noted')
  await to.session.remove(torrent.infoHash, { deleteData: false })
  // As a kill leaves it that comes amid the first piece: nothing journalled, half a piece written.
  const cut = Uint8Array.from(torrent.content.subarray(0, 4 * PIECE)).fill(1, 100)
  lay(to, 'folder/a', cut)
  const again = to.add(torrent, { peers, resume: null, selectedFiles: [0] })
  await status(again, 'seeding')
  await to.session.remove(torrent.infoHash, { deleteData: false })
  // What was never begun is not ours, whoever put it there meanwhile.
  lay(to, 'folder/b', cut)
  const third = to.add(torrent, { peers, resume: null })
  await status(third, 'error')
  assert.match(third.snapshot().error, /folder\/b/)
})

test("a deselected file is in nobody's way until it is selected", async t => {
  const torrent = makeTorrent({ files: ['a', 'b'].map(path => ({ path, length: 3 * PIECE })) })
  const { to, peers } = await swarm(t, torrent)
  const mine = seededBytes(3 * PIECE, 50)
  const path = lay(to, 'folder/b', mine)
  const handle = to.add(torrent, { peers, selectedFiles: [0] })
  await status(handle, 'seeding')
  awake(handle).select(null)
  await status(handle, 'error')
  assert.ok(readFileSync(path).equals(mine))
  awake(handle).select([0])
  awake(handle).resume()
  await status(handle, 'seeding')
})

test('a check of everything finds a foreign file too', async t => {
  const torrent = makeTorrent()
  const { to } = await swarm(t, torrent)
  const path = lay(to, 'file.bin', seededBytes(100_000, 9))
  const handle = to.add(torrent, { running: false })
  await assert.rejects(awake(handle).recheck(), { code: 'ForeignFile' })
  assert.ok(readFileSync(path).equals(seededBytes(100_000, 9)))
})

for (const hybrid of [false, true]) {
  const kind = hybrid ? 'hybrid' : 'v2'
  const made = () =>
    asMadeTorrent(
      makeV2Torrent({
        hybrid,
        files: ['a', 'b', 'c'].map(path => ({ path, length: 2 * PIECE + 1000 })),
        pieceLength: PIECE,
      }),
    )

  test(`${kind}: a file of somebody else stops it, with no byte changed, until it is overwritten`, async t => {
    const torrent = made()
    const { to, peers } = await swarm(t, torrent)
    const mine = seededBytes(2 * PIECE + 1000, 90)
    const path = lay(to, 'folder/b', mine)
    const handle = to.add(torrent, { peers })
    await status(handle, 'error')
    assert.match(handle.snapshot().error, /not of this download.*folder\/b/)
    assert.ok(readFileSync(path).equals(mine))
    assert.deepEqual(readdirSync(join(to.folder, 'folder')), ['b'])
    handle.setControls(OVERWRITE)
    awake(handle).resume()
    await status(handle, 'seeding')
    assertFiles(to, torrent)
  })

  test(`${kind}: one right piece makes a file the download's, a longer one is foreign all the same`, async t => {
    const torrent = made()
    const { to, peers } = await swarm(t, torrent)
    const [a, , c] = torrent.files.map(({ content }) => content) as [Uint8Array, Uint8Array, Uint8Array]
    const half = Uint8Array.from(a).fill(7, PIECE)
    const { ino } = statSync(lay(to, 'folder/a', half))
    const longer = lay(to, 'folder/c', Buffer.concat([c, Buffer.from('more')]))
    const handle = to.add(torrent, { peers })
    await status(handle, 'error')
    assert.match(handle.snapshot().error, /folder\/c/)
    assert.ok(readFileSync(join(to.folder, 'folder/a')).equals(half), 'nothing is written while it stands')
    truncateSync(longer, c.length)
    awake(handle).resume()
    await status(handle, 'seeding')
    assertFiles(to, torrent)
    assert.equal(statSync(join(to.folder, 'folder/a')).ino, ino)
    assert.deepEqual(asides(to), [])
  })

  test(`${kind}: a hard link to a file of another torrent is never written through`, async t => {
    const torrent = made()
    const { to, peers } = await swarm(t, torrent)
    const others = Uint8Array.from(torrent.files[0]?.content ?? []).fill(7, PIECE)
    const path = lay(to, 'other/file.bin', others)
    mkdirSync(join(to.folder, 'folder'))
    linkSync(path, join(to.folder, 'folder/a'))
    await assertComplete(to, torrent, { peers })
    assert.ok(readFileSync(path).equals(others), 'written through')
  })
}
