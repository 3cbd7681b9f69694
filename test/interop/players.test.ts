// Media players of other projects, playing a film while most of it is still missing: ffprobe and mpv, MP4 with its
// index at the end and MKV, from the start and from 90 %, two at once. Proof is frames shown, not exit codes.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { makeFilm } from '../kit/content/media-files.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

const skip = needs('netns', 'libtorrent', 'ffmpeg', 'ffprobe', 'mpv')

/** Length of the films, seconds. */
const SECONDS = 60

/** Bytes/s the seeder may send: the film of 45 MB then takes about 20 s. */
const SEEDER_RATE = 2_200_000

interface Ended {
  readonly code: number | null
  readonly text: string
}

async function play(program: string, args: readonly string[], limitMs = 60_000): Promise<Ended> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const late = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(late)
  return { code, text }
}

const FRAMES = 50
const MPV = ['--no-config', '--vo=null', '--ao=null', `--frames=${FRAMES}`, '--term-status-msg=AT ${=time-pos};']

/** Plays 50 frames from `start` and checks that the picture moved on from there, frame by frame. */
async function showFrames(url: string, start: number, seconds: number): Promise<void> {
  const ended = await play('mpv', [...MPV, `--start=${start}%`, url])
  assert.equal(ended.code, 0, ended.text.slice(-3000))
  assert.match(ended.text, /VO: \[null\] 640x360/, 'a picture was shown')
  const times = new Set([...ended.text.matchAll(/AT ([0-9.]+);/g)].map(match => Number(match[1])))
  const from = (seconds * start) / 100
  assert.ok(times.size >= FRAMES / 2, `${times.size} different frames were shown`)
  assert.ok(
    Math.min(...times) > from - 3 && Math.max(...times) > from + 1.5,
    `shown from ${Math.min(...times)} to ${Math.max(...times)}`,
  )
}

interface Streamed {
  readonly node: NodeProcess
  readonly seeder: LibtorrentPeer
  readonly url: string
  readonly infoHash: string
}

describe('players', { skip, concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()
  const films = new Map<string, MadeTorrent>()

  before(async () => {
    for (const kind of ['mp4', 'mkv']) {
      const path = join(folder.path, `film.${kind}`)
      await makeFilm(path, SECONDS, 6000)
      films.set(kind, makeTorrent({ name: `film.${kind}`, content: await readFile(path), pieceLength: 256 * 1024 }))
    }
  })

  const stream = async (kind: string, place: string): Promise<Streamed> => {
    const made = films.get(kind) as MadeTorrent
    const from = await folder.sub(`${place}-from`)
    await writeContent(made, from, `film.${kind}`)
    const seeder = await LibtorrentPeer.start(hosts.next())
    const torrent = await writeTorrent(made, folder.path)
    const id = await seeder.add({ torrent, dir: from, upload_limit: SEEDER_RATE })
    await seeder.complete(id)
    const node = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    const magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${seeder.ip}:${seeder.port}`
    const infoHash = await addDownload(node, magnet, await folder.sub(`${place}-to`))
    await downloadUntil(node, infoHash, record => record.total_pieces > 0)
    const { files } = await node.get<{ files: { stream_url: string }[] }>(`/downloads/${infoHash}/files`)
    return { node, seeder, infoHash, url: `${node.baseUrl}${files[0]?.stream_url ?? ''}` }
  }
  const finish = async (streamed: Streamed) => {
    await streamed.node.stop()
    await streamed.seeder.stop()
  }
  const progress = async (streamed: Streamed) => (await downloadRecord(streamed.node, streamed.infoHash)).progress

  for (const kind of ['mp4', 'mkv']) {
    test(`mpv seeks to 90 % of an ${kind} that is still missing there`, { timeout: 120_000 }, async t => {
      const streamed = await stream(kind, `seek-${kind}`)
      try {
        await showFrames(streamed.url, 90, SECONDS)
        const there = await progress(streamed)
        t.diagnostic(`progress after 50 frames at 90 %: ${there.toFixed(2)}`)
        assert.ok(there < 0.6, `progress ${there}`)
      } finally {
        await finish(streamed)
      }
    })

    test(`ffprobe reads an ${kind} while it downloads`, { timeout: 120_000 }, async t => {
      const streamed = await stream(kind, `probe-${kind}`)
      try {
        const show = ['-v', 'error', '-show_entries', 'format=duration:stream=codec_name', '-of', 'csv', streamed.url]
        const ended = await play('ffprobe', show)
        assert.equal(ended.code, 0, ended.text)
        assert.match(ended.text, /format,(59\.9|60\.)/)
        assert.match(ended.text, /mpeg4/)
        const there = await progress(streamed)
        t.diagnostic(`progress after ffprobe: ${there.toFixed(2)}`)
        assert.ok(there < 0.6, `progress ${there}`)
      } finally {
        await finish(streamed)
      }
    })
  }

  test('two players at once on one file', { timeout: 120_000 }, async t => {
    const streamed = await stream('mp4', 'two')
    try {
      await Promise.all([showFrames(streamed.url, 0, SECONDS), showFrames(streamed.url, 80, SECONDS)])
      const there = await progress(streamed)
      t.diagnostic(`progress after both: ${there.toFixed(2)}`)
      assert.ok(there < 0.9, `progress ${there}`)
    } finally {
      await finish(streamed)
    }
  })
})
