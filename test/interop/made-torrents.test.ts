// Torrents made by this program in the hands of other projects' clients: their readers find the info hashes that we
// said, and the content goes both ways: seeded by the node that made it, and by the other client from a torrent of the
// command line.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import type { Feature } from '../kit/runners/interop-features.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { trackerPlace } from '../kit/runners/interop-place.ts'
import { libtorrentRead } from '../kit/peers/libtorrent-create.ts'
import { seededBytes } from '../kit/content/make-torrent.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import {
  CLIENT_NAMES,
  CLIENT_NEEDS,
  type ClientName,
  type OtherClient,
  startClient,
} from '../kit/peers/other-clients.ts'
import { needs } from '../kit/requirements.ts'

type Format = 'v1' | 'v2' | 'hybrid'

const skip = needs('netns', ...CLIENT_NEEDS, 'transmission-show')
const MIB = 1024 * 1024
const FEATURE: Readonly<Record<Format, Feature>> = { v1: 'create v1', v2: 'create v2', hybrid: 'create hybrid' }

/** Files of the content; lengths in bytes. */
const FILES: Readonly<Record<string, number>> = {
  'Füße und 日本語/жук.bin': 3 * MIB + 77,
  'a/one.bin': 1000,
  'a/two.bin': 2000,
  'large.bin': 5 * MIB + 1,
}

/** The only info hash in what a program prints about a torrent. */
function printedHash(program: string, ...args: string[]): string {
  const text = execFileSync(program, args, { encoding: 'utf8' })
  const found = /hash:\s*([0-9a-f]{40})\b/i.exec(text)?.[1]
  assert.ok(found !== undefined, text)
  return found.toLowerCase()
}

describe('torrents made here, with other clients', { skip, concurrency: 1 }, () => {
  const { hosts, folder, tracker } = trackerPlace()

  /** A folder; rtorrent takes no spaces in its configuration. */
  const sub = (name: string): Promise<string> => folder.sub(name.replaceAll(' ', '-'))

  /** The content in a place and under a name of its own, so that every test has other info hashes. */
  const writeFiles = async (parent: string, name: string): Promise<void> => {
    for (const [path, length] of Object.entries(FILES)) {
      const file = join(parent, name, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, seededBytes(length, length))
    }
  }

  const assertEqual = async (parent: string, name: string): Promise<void> => {
    for (const [path, length] of Object.entries(FILES)) {
      const bytes = await readFile(join(parent, name, path))
      assert.ok(bytes.equals(seededBytes(length, length)), path)
    }
  }

  const withNode = async (run: (node: NodeProcess) => Promise<void>): Promise<void> => {
    const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    try {
      await run(node)
    } finally {
      const end = await node.stop()
      assert.equal(end.code, 0, end.stderr)
    }
  }

  /** The node makes it and seeds it at once; the other client fetches it. */
  const fromNode = async (client: OtherClient, format: Format, name: string): Promise<void> => {
    const [from, to] = [await sub(`${name}-from`), await sub(`${name}-to`)]
    await writeFiles(from, name)
    await withNode(async node => {
      const request = { path: join(from, name), format, trackers: [[tracker.url]], export: true, add: true }
      const reply = await node.request('POST', '/createtorrent', request)
      assert.equal(reply.status, 200, reply.body.toString())
      const made = reply.json<{ infohash: string; infohash_v2: string | null; torrent_path: string }>()
      await assertRead(format, made.torrent_path, made.infohash, made.infohash_v2)
      await downloadComplete(node, made.infohash, 5000)
      await client.add(made.torrent_path, to)
      await client.complete()
    })
    await assertEqual(to, name)
  }

  /** The command line makes it; the other client checks the content by it and seeds; the node fetches it. */
  const toNode = async (client: OtherClient, format: Format, name: string): Promise<void> => {
    const [from, to] = [await sub(`${name}-from`), await sub(`${name}-to`)]
    await writeFiles(from, name)
    const torrent = join(folder.path, `${name}.torrent`)
    const options = ['--format', format, '--tracker', tracker.url, '--output', torrent, '--quiet']
    const end = await runCli(['create', join(from, name), ...options])
    assert.equal(end.code, 0, end.stderr)
    await client.add(torrent, from)
    await client.complete()
    await withNode(async node => {
      const infoHash = await addDownload(node, torrent, to)
      assert.match(end.stdout, format === 'v2' ? new RegExp(`v2 ${infoHash}`) : new RegExp(`v1 ${infoHash}`))
      await downloadComplete(node, infoHash)
    })
    await assertEqual(to, name)
  }

  const assertRead = async (format: Format, path: string, infohash: string, v2: string | null): Promise<void> => {
    const read = await libtorrentRead(path)
    assert.deepEqual([read.v1, read.v2], [format === 'v2' ? null : infohash, v2])
    assert.deepEqual(read.tiers, [[tracker.url]])
    // Transmission 3.00 and aria2 cannot read hybrids, nor those of libtorrent: one refuses them, one finds another
    // hash.
    if (format !== 'v1') return
    assert.equal(printedHash('transmission-show', path), infohash)
    assert.equal(printedHash('aria2c', '--show-files', path), infohash)
  }

  const cases: { client: ClientName; format: Format }[] = CLIENT_NAMES.flatMap(client => {
    const formats: readonly Format[] = client === 'libtorrent' ? ['v1', 'v2', 'hybrid'] : ['v1']
    return formats.map(format => ({ client, format }))
  })

  /** Starts a client. */
  const start = async (client: ClientName, name: string): Promise<OtherClient> =>
    startClient(client, hosts.next(), await sub(`${name}-home`))

  for (const { client, format } of cases) {
    for (const way of ['from node', 'to node'] as const) {
      test(`${format}, ${way}: ${client}`, { timeout: 120_000 }, async () => {
        const name = `${client} ${format} ${way}`
        const other = await start(client, name)
        try {
          if (way === 'from node') await fromNode(other, format, name)
          else await toNode(other, format, name)
        } finally {
          await other.stop()
        }
        cell(FEATURE[format], client, way)
      })
    }
  }

  for (const client of ['rtorrent', 'webtorrent'] as const) {
    test(`a hybrid torrent is a v1 torrent to ${client}`, { timeout: 60_000 }, async () => {
      const other = await start(client, `${client} hybrid`)
      try {
        await fromNode(other, 'hybrid', `${client} hybrid`)
      } finally {
        await other.stop()
      }
    })
  }
})
