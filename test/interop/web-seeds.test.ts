// Web seeds (BEP 19) with programs of other projects: nginx alone feeds the node, in every format of torrents, also of
// those that libtorrent made; and other clients fetch from nginx what a torrent made here says. Compared byte for byte.

import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { Aria2Peer } from '../kit/peers/aria2-peer.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { libtorrentMake } from '../kit/peers/libtorrent-create.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import type { Peer } from '../kit/runners/interop-features.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { seededBytes } from '../kit/content/make-torrent.ts'
import { type NginxServer, startNginx } from '../kit/peers/nginx-server.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { TransmissionPeer } from '../kit/peers/transmission-peer.ts'
import { WebTorrentPeer } from '../kit/peers/webtorrent-peer.ts'

const MIB = 1024 * 1024
const skip = needs('netns', 'nginx', 'libtorrent', 'transmission-daemon', 'aria2c', 'webtorrent')
const FORMATS = ['v1', 'v2', 'hybrid'] as const

const ONE = 'one file.bin'
// Transmission asks for names as it makes them itself, without question marks.
const MANY = 'many files #1 & more'
/** WebTorrent asks for names as they are, without escapes. */
const PLAIN = 'plain files'
const CONTENTS: Readonly<Record<string, readonly (readonly [path: string, length: number])[]>> = {
  [ONE]: [['', 60 * MIB + 7]],
  [PLAIN]: [
    ['a/Füße 日本語.bin', 2 * MIB + 9],
    ['b.bin', 70_000],
    ['c.bin', 5],
  ],
  [MANY]: [
    ['Füße und 日本語/жук 🐞.bin', 3 * MIB + 77],
    ['100%41 +&;=.bin', 200_000],
    ['empty.txt', 0],
    ['large.bin', 9 * MIB + 1],
    ['small/one.bin', 1000],
    ['small/three.bin', 3],
    ['small/two.bin', 2000],
  ],
}

/** A client of another project with one torrent. */
interface OtherClient {
  add(torrentPath: string, dir: string): Promise<void>
  complete(): Promise<void>
  stop(): Promise<void>
}

/** Paths below `folder` of all files that are not empty (some clients do not make those). */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const kept = await Promise.all(files.map(async path => ((await readFile(path)).length > 0 ? [path] : [])))
  return kept.flat().map(path => path.slice(folder.length))
}

describe('web seeds', { skip, concurrency: 1 }, () => {
  const { hosts, folder, atEnd } = interopPlace()
  let content: string
  let nginx: NginxServer
  let made = 0

  before(async () => {
    content = await realpath(await folder.sub('content'))
    for (const [name, files] of Object.entries(CONTENTS)) {
      for (const [path, length] of files) {
        const file = join(content, name, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, seededBytes(length, length))
      }
    }
    nginx = await startNginx(hosts.next(), content, await folder.sub('nginx'))
    atEnd(() => nginx.stop())
  })

  const withNode = async (run: (node: NodeProcess) => Promise<void>): Promise<void> => {
    const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    try {
      await run(node)
    } finally {
      const end = await node.stop()
      assert.equal(end.code, 0, end.stderr)
    }
  }

  /** A torrent of `name` made by the command line, with nginx as its only source. */
  const make = async (name: string, format: string, url = '/'): Promise<string> => {
    const out = join(await folder.sub(`torrents-${++made}`), 'made.torrent')
    const options = ['--format', format, '--piece-length', '256KiB', '-w', nginx.url + url]
    const end = await runCli(['create', join(content, name), '--output', out, '--quiet', ...options])
    assert.equal(end.code, 0, end.stderr)
    return out
  }

  const assertSame = async (name: string, destination: string): Promise<void> => {
    if (name === ONE) {
      const there = await readFile(join(destination, name))
      assert.ok(there.equals(await readFile(join(content, name))), 'other bytes')
      return
    }
    const wanted = await filesBelow(join(content, name))
    assert.deepEqual((await filesBelow(join(destination, name))).sort(), wanted.sort())
    for (const path of wanted) {
      const there = await readFile(join(destination, name, path))
      assert.ok(there.equals(await readFile(join(content, name, path))), `${path}: other bytes`)
    }
  }

  for (const name of [ONE, MANY]) {
    for (const format of FORMATS) {
      test(`nginx to node, ${name}, ${format}`, { timeout: 90_000 }, async () => {
        const torrent = await make(name, format)
        const before = (await nginx.requests()).length
        const to = await folder.sub(`node-${name.length}-${format}`)
        await withNode(async node => {
          const infoHash = await addDownload(node, torrent, to)
          const { total_down } = await downloadComplete(node, infoHash)
          await assertSame(name, to)
          const bytes = decodeMetainfo(await readFile(torrent)).files.reduce(
            (sum, f) => sum + (f.padding ? 0 : f.length),
            0,
          )
          assert.equal(total_down, bytes, 'every byte once, padding never')
        })
        const asked = (await nginx.requests()).slice(before)
        assert.ok(asked.every(({ status, range }) => status === 206 && range.startsWith('bytes=')))
        const connections = new Set(asked.map(({ connection }) => connection)).size
        assert.ok(connections <= 4, `${connections} connections for ${asked.length} requests`)
        if (name === MANY && format === 'hybrid') cell('web seeds', 'other')
      })
    }
  }

  test('a torrent that libtorrent made, with an address of the file itself', { timeout: 90_000 }, async () => {
    const out = join(await folder.sub('torrents'), 'theirs.torrent')
    const web_seeds = [`${nginx.url}/${encodeURIComponent(ONE)}`]
    await libtorrentMake({ parent: content, files: [ONE], format: 'v1', piece_length: 0, out, web_seeds })
    const to = await folder.sub('theirs')
    await withNode(async node => {
      await downloadComplete(node, await addDownload(node, out, to))
      await assertSame(ONE, to)
    })
  })

  test('a magnet with ws: its metadata from libtorrent, the content from nginx', { timeout: 90_000 }, async () => {
    const torrent = await make(ONE, 'v1')
    const { infoHash } = decodeMetainfo(await readFile(torrent))
    const peer = await LibtorrentPeer.start(hosts.next())
    try {
      // A kilobyte a second: what came fast did not come from there.
      await peer.add({ torrent, dir: content, seed_mode: true, upload_limit: 1000 })
      const to = await folder.sub('magnet')
      const before = (await nginx.requests()).length
      await withNode(async node => {
        const ws = encodeURIComponent(`${nginx.url}/`)
        await addDownload(node, `magnet:?xt=urn:btih:${infoHash}&x.pe=${peer.ip}:${peer.port}&ws=${ws}`, to)
        await downloadComplete(node, infoHash)
        await assertSame(ONE, to)
      })
      const sent = (await nginx.requests()).slice(before).reduce((sum, request) => sum + request.sent, 0)
      assert.ok(sent > 59 * MIB, `${sent} bytes by HTTP`)
    } finally {
      await peer.stop()
    }
  })

  test('a restart in the middle keeps the web seed and what came from it', { timeout: 90_000 }, async () => {
    const torrent = await make(ONE, 'hybrid')
    const to = await folder.sub('restart')
    const stateDir = await folder.sub('restart-state')
    const at = { 'libtorrent.interface': hosts.next() }
    const first = await startNode({ stateDir, settings: { ...at, 'libtorrent.max_download_rate': 4 * MIB } })
    const infoHash = await addDownload(first, torrent, to)
    await first.until<{ downloads: { progress: number }[] }>(
      '/downloads',
      ({ downloads }) => (downloads[0]?.progress ?? 0) > 0.2,
    )
    assert.equal((await first.kill('SIGKILL')).signal, 'SIGKILL')
    const before = (await nginx.requests()).length
    const second = await startNode({ stateDir, settings: at })
    try {
      await downloadComplete(second, infoHash)
      await assertSame(ONE, to)
      const sent = (await nginx.requests()).slice(before).reduce((sum, request) => sum + request.sent, 0)
      assert.ok(sent < 54 * MIB, `${sent} bytes came again`)
    } finally {
      await second.stop()
    }
  })

  const start: Partial<Record<Peer, (home: string) => Promise<OtherClient>>> = {
    libtorrent: async () => {
      const peer = await LibtorrentPeer.start(hosts.next())
      let id = -1
      return {
        add: async (torrent, dir) => {
          id = await peer.add({ torrent, dir })
        },
        complete: () => peer.complete(id),
        stop: () => peer.stop(),
      }
    },
    Transmission: home => TransmissionPeer.start(hosts.next(), home),
    aria2: home => Aria2Peer.start(hosts.next(), home),
    webtorrent: async () => {
      const peer = await WebTorrentPeer.start({ webSeeds: true })
      return {
        add: (torrent, dir) => peer.add({ torrent, dir }),
        complete: () => peer.complete(),
        stop: () => peer.stop(),
      }
    },
  }

  for (const [name, startOne] of Object.entries(start)) {
    for (const content of [ONE, name === 'webtorrent' ? PLAIN : MANY]) {
      test(`${name} from nginx by a torrent made here, ${content}`, { timeout: 90_000 }, async () => {
        const to = await folder.sub(`${name}-${content.length}`)
        const peer = await startOne(await folder.sub(`${name}-${content.length}-home`))
        // It takes the address for that of the file itself.
        const url = name === 'webtorrent' && content === ONE ? `/${encodeURIComponent(ONE)}` : '/'
        try {
          await peer.add(await make(content, 'v1', url), to)
          await peer.complete()
          await assertSame(content, to)
        } finally {
          await peer.stop()
        }
        if (content !== ONE) cell('web seeds', name as Peer)
      })
    }
  }
})
