// A node as a user's after some weeks, for the tests and pictures of the dashboard: a film that is coming in from a
// slow seeder, downloads that seed, stop, wait and fail, and hostile names.

import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { addDownload, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent, seededBytes } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'

const run = promisify(execFile)

/** Bytes/s the seeder may send: the film takes over a minute then. */
const SEEDER_RATE = 220_000
const FILM_SEC = 90

/** Markup, an end of a script, a right-to-left override and Hebrew. */
export const HOSTILE_NAME = '<img src=x onerror="window.hacked=1"></script><b>שלום עולם</b> \u202Egpj.exe'

/** The film that is coming in. */
export const FILM_NAME = 'Tears of Steel (2012)'

/** The scene, running. */
export interface DashboardScene {
  readonly node: NodeProcess
  /** Info hash of the film: it comes in slowly, its video first. */
  readonly film: string
  /** Info hash of the download whose name is hostile. */
  readonly hostile: string
  stop(): Promise<void>
}

const films = [
  ['debian-12.7.0-amd64-netinst', 9, ['linux']],
  ['Night of the Living Dead (1968)', 14, ['films', 'classics']],
  ['Big Buck Bunny', 8, ['films']],
  ['Project Gutenberg, the best 1,000 books', 5, ['books']],
  ['Wikipedia 2026-10 without pictures', 12, []],
  ['openstreetmap-planet-261116', 16, ['maps']],
  ['NASA Image Archive, part 3', 7, []],
  ['Musopen – Beethoven, complete symphonies', 6, ['music']],
] as const

/** A film that browsers play: VP8 and Opus in WebM. */
async function makeWebm(path: string): Promise<void> {
  const source = `gradients=size=128x72:rate=25:duration=${FILM_SEC}:speed=0.02:nb_colors=4:seed=11:c0=0x0b5d7a:c1=0x62c6e6:c2=0xf4d58d:c3=0x12263a,format=yuv420p,scale=640:360,noise=alls=12:allf=t`
  const tone = `sine=frequency=330:duration=${FILM_SEC}`
  const video = [
    '-c:v',
    'libvpx',
    '-deadline',
    'realtime',
    '-cpu-used',
    '8',
    '-b:v',
    '1500k',
    '-minrate',
    '1500k',
    '-g',
    '50',
  ]
  const audio = ['-c:a', 'libopus', '-b:a', '64k', '-shortest']
  await run('ffmpeg', [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    source,
    '-f',
    'lavfi',
    '-i',
    tone,
    ...video,
    ...audio,
    path,
  ])
}

async function writeAll(made: MadeTorrent, folder: string, name: string, share = 1): Promise<void> {
  for (const file of made.files) {
    const target = made.files.length === 1 ? join(folder, file.path) : join(folder, name, file.path)
    await mkdir(dirname(target), { recursive: true })
    const there = Math.floor(file.content.length * share)
    await writeFile(target, file.content.subarray(0, there))
  }
}

const subtitles = '1\n00:00:01,000 --> 00:00:09,000\nHello from SubRip.\n'

async function filmTorrent(folder: string): Promise<MadeTorrent> {
  const path = join(folder, 'film.webm')
  await makeWebm(path)
  const text = new TextEncoder()
  const files = [
    { path: 'Tears of Steel.webm', content: await readFile(path) },
    { path: 'Subtitles/Tears of Steel.en.srt', content: text.encode(subtitles) },
    { path: 'Extras/making-of.webm', content: seededBytes(5_000_000, 77) },
    { path: 'Extras/storyboard.pdf', content: seededBytes(2_000_000, 78) },
    { path: 'README.txt', content: text.encode('Mango, the open movie.\n'.repeat(80)) },
  ]
  return makeTorrent({ name: FILM_NAME, pieceLength: 128 * 1024, files })
}

/** Downloads that are there already, as far as their share says. */
async function addOld(node: NodeProcess, folder: string): Promise<void> {
  for (const [index, [name, mebibytes, labels]] of films.entries()) {
    const made = makeTorrent({ name, length: mebibytes * 1024 * 1024 + 4321, pieceLength: 128 * 1024, seed: index + 5 })
    await writeAll(made, join(folder, 'there'), name, index % 3 === 2 ? 0.3 + index / 20 : 1)
    const path = join(folder, `${index}.torrent`)
    await writeFile(path, made.torrent)
    const infohash = await addDownload(node, path, join(folder, 'there'), { labels })
    await downloadUntil(node, infohash, ({ status }) => /SEEDING|DOWNLOADING/.test(status))
    if (index > 3) await node.request('PATCH', `/downloads/${infohash}`, { state: 'stop' })
  }
}

/** One whose folder cannot be made: a file lies in its way. */
async function addFailing(node: NodeProcess, folder: string): Promise<void> {
  const name = 'Sintel (2010) 4K'
  const made = makeTorrent({
    name,
    files: [
      { path: 'a.bin', length: 300_000 },
      { path: 'b.bin', length: 300_000 },
    ],
  })
  await mkdir(join(folder, 'blocked'), { recursive: true })
  await writeFile(join(folder, 'blocked', name), 'in the way')
  await writeFile(join(folder, 'failing.torrent'), made.torrent)
  const infohash = await addDownload(node, join(folder, 'failing.torrent'), join(folder, 'blocked'))
  await downloadUntil(
    node,
    infohash,
    record => record.status === 'DLSTATUS_STOPPED_ON_ERROR' || record.progress > 0,
    5000,
  ).catch(() => undefined)
}

async function startSeeder(folder: string, film: MadeTorrent): Promise<{ seeder: NodeProcess; port: number }> {
  await writeAll(film, join(folder, 'from'), FILM_NAME)
  const path = join(folder, 'film.torrent')
  await writeFile(path, film.torrent)
  const seeder = await startNode({ settings: { 'libtorrent.max_upload_rate': SEEDER_RATE } })
  const infohash = await addDownload(seeder, path, join(folder, 'from'))
  await downloadUntil(seeder, infohash, ({ status }) => status === 'DLSTATUS_SEEDING')
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  return { seeder, port: variables.ports['libtorrent~port'] ?? 0 }
}

/** Starts the nodes and adds everything; content lies in `folder`. The film is added by its magnet link. */
export async function makeDashboardScene(
  folder: string,
  withFilm = true,
): Promise<DashboardScene & { magnet: string }> {
  const film = await filmTorrent(folder)
  const { seeder, port } = await startSeeder(folder, film)
  const node = await startNode({ settings: { 'download_defaults.saveas': join(folder, 'into') } })
  await addOld(node, folder)
  await addFailing(node, folder)
  const name = encodeURIComponent(HOSTILE_NAME)
  const hostile = await addDownload(node, `magnet:?xt=urn:btih:${'ab'.repeat(20)}&dn=${name}`, join(folder, 'into'))
  const magnet = `magnet:?xt=urn:btih:${film.infoHash}&x.pe=127.0.0.1:${port}&dn=${encodeURIComponent(FILM_NAME)}`
  if (withFilm) await addDownload(node, magnet, join(folder, 'into'), { labels: ['films'] })
  return {
    node,
    film: film.infoHash,
    hostile,
    magnet,
    async stop() {
      await node.stop()
      await seeder.stop()
    },
  }
}
