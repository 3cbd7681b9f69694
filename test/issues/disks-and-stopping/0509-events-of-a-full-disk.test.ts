// The event that says a disk is full was lost where the store lies on that disk: webhooks never got it. The built node
// with everything on a small tmpfs that is filled under it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { differences, makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { followEvents } from '../../kit/nodes/followed-events.ts'
import { startHttpTracker } from '../../kit/peers/http-tracker.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'

const MIB = 2 ** 20
const NAME = 'film.bin'
const TYPES = ['torrent_error', 'torrent_finished']

/** What a webhook was sent. */
interface Told {
  readonly id: number
  readonly type: string
  readonly event: { readonly infohash: string; readonly error?: string }
}

/** What is done at the end, the last first. */
type Ends = (() => unknown)[]

/** A receiver of webhooks on this machine. */
async function startReceiver(ends: Ends): Promise<{ readonly url: string; readonly told: Told[] }> {
  const told: Told[] = []
  const server = createServer((request, reply) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      told.push(JSON.parse(body) as Told)
      reply.writeHead(204).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, told }
}

/** Writes until nothing goes in any more, not a byte. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (let bytes = MIB; bytes >= 1; ) {
      try {
        if (writeSync(file, Buffer.alloc(bytes, 1)) < bytes) bytes /= 2
      } catch {
        bytes /= 2
      }
    }
  } finally {
    closeSync(file)
  }
}

/** A slow seeder that a tracker names. */
async function startSource(ends: Ends, folder: string, made: MadeTorrent, from: string): Promise<string> {
  const seeder = await startNode({ settings: { 'libtorrent.max_upload_rate': 2 * MIB } })
  ends.push(() => seeder.stop())
  await writeContent(made, from, NAME)
  const torrent = await writeTorrent(made, folder)
  await downloadComplete(seeder, await addDownload(seeder, torrent, from))
  return torrent
}

/** A node whose state is in `stateDir`, with a webhook. */
async function startOn(ends: Ends, stateDir: string, url: string): Promise<NodeProcess> {
  const node = await startNode({ stateDir, settings: { 'disk.min_free_bytes': 0 } })
  ends.push(() => node.stop())
  const reply = await node.request('POST', '/settings', {
    network: { allow_private: ['127.0.0.0/8'] },
    webhooks: { urls: [url], events: TYPES },
  })
  assert.equal(reply.status, 200, reply.body.toString())
  return node
}

async function run(ends: Ends): Promise<void> {
  const folder = await makeTestFolder()
  ends.push(() => folder.remove())
  const disk = await folder.sub('disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk])
  ends.push(() => execFileSync('umount', ['-l', disk]))
  const tracker = await startHttpTracker('127.0.0.1')
  ends.push(() => tracker.stop())
  const made = makeTorrent({ name: NAME, length: 4 * MIB, pieceLength: 64 * 1024, announce: [[tracker.url]] })
  const torrent = await startSource(ends, folder.path, made, await folder.sub('from'))
  const { url, told } = await startReceiver(ends)
  const node = await startOn(ends, join(disk, 'state'), url)
  const end = new AbortController()
  ends.push(() => end.abort())
  const heard = await followEvents(node, TYPES, end.signal)

  const infoHash = await addDownload(node, torrent, join(disk, 'data'))
  await downloadUntil(node, infoHash, ({ progress }) => progress > 0.1)
  fill(join(disk, 'ballast'))
  await downloadUntil(node, infoHash, ({ status }) => status === 'DLSTATUS_STOPPED_ON_ERROR', 20_000)
  await waitFor('who listens is told at once', () => heard.length > 0, 5000)
  assert.match(node.logs().stderr + node.logs().stdout, /event (not logged|logged later)/, 'the store had space')
  assert.equal(told.length, 0)

  rmSync(join(disk, 'ballast'))
  await waitFor('the event of the full disk', () => told.some(({ type }) => type === 'torrent_error'), 15_000)
  await node.request('PATCH', `/downloads/${infoHash}`, { state: 'resume' })
  await downloadComplete(node, infoHash)
  await waitFor('the next event', () => told.length > 1, 10_000)
  assert.deepEqual(
    told.map(({ type, event }) => ({ type, infoHash: event.infohash })),
    TYPES.map(type => ({ type, infoHash })),
  )
  assert.match(told[0]?.event.error ?? '', /full/i)
  assert.ok((told[0]?.id ?? 0) < (told[1]?.id ?? 0))
  assert.deepEqual(await differences(made, join(disk, 'data'), NAME), [])
}

const skip = needs('root', 'mounts')
test('a webhook hears of the full disk when there is space again', { skip, timeout: 60_000 }, async () => {
  const ends: Ends = []
  try {
    await run(ends)
  } finally {
    for (const end of ends.toReversed()) await end()
  }
})
