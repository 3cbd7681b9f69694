// Torrents made by the command line and by libtorrent of the same files: each reads the other's, info hashes are equal
// in every format, and libtorrent finds the content right by the hashes that we made.

import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { libtorrentMake, libtorrentRead } from '../kit/peers/libtorrent-create.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { seededBytes } from '../kit/content/make-torrent.ts'
import { runCli } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs('libtorrent')
const FORMATS = ['v1', 'v2', 'hybrid'] as const
const KIB = 1024

type Entry = readonly [path: string, length: number]

const MANY: readonly Entry[] = [
  ['a/deep/one.bin', 200 * KIB + 1],
  ['a/empty', 0],
  ['a-b', 64 * KIB],
  ['b', 1],
  ['large.bin', 3 * 1024 * KIB + 5],
  ['Füße und 日本語 \u{1f41e}.bin', 16 * KIB],
  // The same bytes as another file: both share a tree.
  ['zz/twin', 200 * KIB + 1],
]

/** Contents by name; files sorted part by part. */
const CONTENTS: Readonly<Record<string, readonly Entry[]>> = {
  'single.bin': [['', 300 * KIB + 17]],
  'small.txt': [['', 1]],
  'exact.bin': [['', 256 * KIB]],
  'many files': [...MANY].sort(byParts),
  'one in a folder': [['only.bin', 40 * KIB]],
}

function byParts(a: Entry, b: Entry): number {
  const [x, y] = [a[0].split('/'), b[0].split('/')]
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = Buffer.compare(Buffer.from(x[i] ?? ''), Buffer.from(y[i] ?? ''))
    if (order !== 0) return order
  }
  return x.length - y.length
}

describe('torrents made here and by libtorrent', { skip, concurrency: 1 }, () => {
  let folder: TestFolder
  let parent: string

  before(async () => {
    folder = await makeTestFolder()
    parent = await realpath(await folder.sub('content'))
    for (const [name, files] of Object.entries(CONTENTS)) {
      for (const [path, length] of files) {
        const file = join(parent, name, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, seededBytes(length, length))
        // libtorrent notes what is executable; we do not.
        await chmod(file, 0o644)
      }
    }
  })
  after(() => folder?.remove())

  const outFile = async (name: string) => join(await folder.sub('torrents'), name)

  /** Runs the command; the hashes it prints by version. */
  const create = async (name: string, out: string, ...more: string[]) => {
    const end = await runCli(['create', join(parent, name), '--output', out, '--quiet', ...more])
    assert.equal(end.code, 0, end.stderr)
    const hashes = Object.fromEntries(
      end.stdout
        .trim()
        .split('\n')
        .slice(1)
        .map(line => line.split(' ')),
    )
    return hashes as Record<string, string | undefined>
  }

  const libtorrentFiles = (name: string): string[] =>
    (CONTENTS[name] ?? []).map(([path]) => (path === '' ? name : `${name}/${path}`))

  for (const name of Object.keys(CONTENTS)) {
    for (const format of FORMATS) {
      test(`${name}, ${format}: libtorrent makes the same and reads ours`, { timeout: 60_000 }, async () => {
        const ours = await outFile(`${name}.${format}.ours.torrent`)
        const theirs = await outFile(`${name}.${format}.theirs.torrent`)
        const printed = await create(name, ours, '--format', format, '--piece-length', '32KiB')
        const read = await libtorrentRead(ours)
        assert.equal(read.v1, printed['v1'] ?? null)
        assert.equal(read.v2, printed['v2'] ?? null)
        assert.equal(read.v1 === null, format === 'v2')
        assert.equal(read.v2 === null, format === 'v1')
        const real = read.files.filter(([, , padding]) => !padding).map(([, size]) => size)
        assert.deepEqual(
          real,
          CONTENTS[name]?.map(([, length]) => length),
        )

        // v1 has no order of its own there: files are given in ours. For the others it sorts, so it gets them reversed.
        const files = libtorrentFiles(name)
        if (format !== 'v1') files.reverse()
        const made = await libtorrentMake({ parent, files, format, piece_length: 32 * KIB, out: theirs })
        const back = decodeMetainfo(await readFile(theirs))
        assert.equal(back.pieceHashes.length > 0 ? back.infoHash : null, made.v1)
        assert.equal(back.v2?.infoHash ?? null, made.v2)
        // One file in a folder as v2 alone: libtorrent writes the folder's name where no reader looks for it; we the
        // file's.
        if (name === 'one in a folder' && format === 'v2') return
        assert.equal(read.v1, made.v1)
        assert.equal(read.v2, made.v2)
        assert.deepEqual(Buffer.from(back.infoBytes), Buffer.from(decodeMetainfo(await readFile(ours)).infoBytes))
      })
    }
  }

  test('the piece length that is chosen is that of libtorrent', { timeout: 60_000 }, async () => {
    for (const name of Object.keys(CONTENTS)) {
      const ours = await outFile(`${name}.auto.torrent`)
      await create(name, ours, '--format', 'v1')
      const theirs = await outFile(`${name}.auto.theirs.torrent`)
      const files = libtorrentFiles(name)
      const made = await libtorrentMake({ parent, files, format: 'v1', piece_length: 0, out: theirs })
      assert.equal((await libtorrentRead(ours)).piece_length, made.piece_length, name)
    }
  })

  test('trackers by tier, web seeds, private, comment and creator are read as they were said', async () => {
    const ours = await outFile('options.torrent')
    const tiers = [['http://a.example/announce', 'udp://b.example:6969/announce'], ['https://c.example/announce']]
    const seeds = ['http://w.example/media/']
    const options = tiers.flatMap(tier => ['--tracker', tier.join(',')])
    await create('many files', ours, ...options, '-w', seeds[0] ?? '', '-p', '-c', 'a comment', '--creator', 'a test')
    const read = await libtorrentRead(ours)
    // libtorrent shuffles a tier when it reads one, as BEP 12 wants it.
    assert.deepEqual(
      read.tiers.map(tier => [...tier].sort()),
      tiers,
    )
    assert.deepEqual(decodeMetainfo(await readFile(ours)).announceTiers, tiers)
    assert.deepEqual(read.web_seeds, seeds)
    assert.equal(read.private, true)
    assert.equal(read.comment, 'a comment')
    assert.equal(read.creator, 'a test')
    const theirs = await outFile('options.theirs.torrent')
    const made = await libtorrentMake({
      parent,
      files: libtorrentFiles('many files'),
      format: 'hybrid',
      piece_length: read.piece_length,
      out: theirs,
      private: true,
      tiers,
    })
    assert.equal(made.v1, read.v1)
    assert.equal(made.v2, read.v2)
    assert.deepEqual(decodeMetainfo(await readFile(theirs)).announceTiers, tiers)
  })

  test('libtorrent checks the content by our hashes and finds it whole', { timeout: 120_000 }, async () => {
    const peer = await LibtorrentPeer.start('127.0.0.1')
    try {
      for (const name of Object.keys(CONTENTS)) {
        for (const format of FORMATS) {
          const ours = await outFile(`${name}.${format}.check.torrent`)
          // Pieces of another length each: else v1 and hybrid of a single file would be known to the session already.
          const length = { v1: '16KiB', v2: '32KiB', hybrid: '64KiB' }[format]
          await create(name, ours, '--format', format, '--piece-length', length)
          const alone = name === 'one in a folder' && format === 'v2'
          const id = await peer.add({ torrent: ours, dir: alone ? join(parent, name) : parent })
          await peer.complete(id, 20_000)
        }
      }
    } finally {
      await peer.stop()
    }
  })

  test('one byte of difference gives other hashes', async () => {
    const first = await create('small.txt', await outFile('small.one.torrent'))
    await writeFile(join(parent, 'small.txt'), 'y')
    const second = await create('small.txt', await outFile('small.two.torrent'))
    assert.notEqual(first['v1'], second['v1'])
    assert.notEqual(first['v2'], second['v2'])
  })
})
