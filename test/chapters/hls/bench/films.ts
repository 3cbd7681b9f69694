// Films of two hours in segments, from the built node: CPU for an hour of film, and how long a segment takes wherever
// it lies, in a mixed order. H.264 of 720p at 2.5 Mbit/s copied; AAC copied and AC-3 5.1 converted; Matroska and MP4.
// The same AC-3 repacked by the player page, for which the node gives ranges. Fails where a limit is missed. Usage:
// films [--counts segments] [--only text]: so many of each film, and the films whose names hold the text.

import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { processCost } from '../../../../bench/lib/process-cost.ts'
import { median, report, type Row, round } from '../../../../bench/lib/report.ts'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { repackedHour } from './repacked-hour.ts'

const run = promisify(execFile)
const HOURS = 2
/** Seconds of what the films are loops of, and between its key frames. */
const [CLIP_SEC, KEY_SEC] = [20, 5]
const SEGMENTS = (HOURS * 3600) / KEY_SEC
/** Steps through the segments: no two that follow each other are neighbours. */
const STRIDE = 611
/** A segment wherever it lies, ms. */
const SEGMENT_MS = 600
/** What the node may take for an hour of a film that the page repacks, CPU s. */
const REPACKED_CPU = 5
const PICTURE = ['-f', 'lavfi', '-i', `testsrc2=s=1280x720:r=24:d=${CLIP_SEC},noise=alls=12:allf=t`]
const SOUND = ['-f', 'lavfi', '-i', `anoisesrc=d=${CLIP_SEC}:c=brown:r=48000:seed=7:a=0.5`]
const H264 = '-c:v libx264 -preset veryfast -b:v 2500k -maxrate 3000k -bufsize 5000k -bf 3'.split(' ')
const KEYS = ['-g', `${24 * KEY_SEC}`, '-keyint_min', `${24 * KEY_SEC}`, '-sc_threshold', '0']

/** A film, how many segments are taken of it, and what an hour of it may cost, CPU s. */
interface LongFilm {
  readonly name: string
  readonly sound: readonly string[]
  readonly segments: number
  readonly limit: number
}

const AAC = '-c:a aac -ac 2 -b:a 128k'.split(' ')
const AC3 = '-c:a ac3 -ac 6 -b:a 384k'.split(' ')
const FILMS: readonly LongFilm[] = [
  { name: 'aac.mkv', sound: AAC, segments: SEGMENTS, limit: 20 },
  { name: 'aac.mp4', sound: AAC, segments: SEGMENTS, limit: 20 },
  // A part of it is enough: each second of it costs the same.
  { name: 'ac3.mkv', sound: AC3, segments: SEGMENTS / 12, limit: 180 },
  { name: 'ac3.mp4', sound: AC3, segments: SEGMENTS / 12, limit: 180 },
]

async function ffmpeg(...args: readonly string[]): Promise<void> {
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args])
}

/** Makes the film in `folder`; its path. */
async function makeFilm(folder: string, { name, sound }: LongFilm): Promise<string> {
  const [clip, path] = [join(folder, `clip-${name}`), join(folder, name)]
  await ffmpeg(...PICTURE, ...SOUND, ...H264, ...KEYS, ...sound, clip)
  const loops = (HOURS * 3600) / CLIP_SEC - 1
  await ffmpeg('-stream_loop', `${loops}`, '-i', clip, '-c', 'copy', path)
  await rm(clip)
  return path
}

/** Adds it, complete; its infohash. */
async function addFilm(node: NodeProcess, path: string): Promise<string> {
  const created = await node.request('POST', '/createtorrent', { path, piece_length: 2 ** 21, format: 'v1', add: true })
  if (created.status !== 200) throw new Error(created.body.toString())
  return created.json<{ infohash: string }>().infohash
}

async function measure(node: NodeProcess, film: LongFilm, path: string, most: number): Promise<Row> {
  const at = `/downloads/${await addFilm(node, path)}/hls/0`
  const list = (await node.request('GET', `${at}/index.m3u8`)).body.toString()
  const durations = [...list.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => Number(seconds))
  if (Math.abs(durations.length - SEGMENTS) > 1) throw new Error(`${durations.length} segments\n${list.slice(0, 400)}`)
  const [times, before]: [number[], number] = [[], processCost(node.pid).cpuSec]
  let seconds = 0
  for (let turn = 0; turn < Math.min(film.segments, most); turn += 1) {
    // Begins in the middle: the first segment of all is no better place than others.
    const number = (SEGMENTS / 2 + turn * STRIDE) % durations.length
    const since = performance.now()
    const reply = await node.request('GET', `${at}/segments/${number}.ts`)
    times.push(performance.now() - since)
    if (reply.status !== 200) throw new Error(`segment ${number}: ${reply.body.toString()}`)
    seconds += durations[number] ?? 0
  }
  const cpu = ((processCost(node.pid).cpuSec - before) * 3600) / seconds
  const slowest = Math.max(...times)
  return {
    film: film.name,
    segments: times.length,
    'first ms': round(times[0] ?? 0, 0),
    'median ms': round(median(times), 0),
    'slowest ms': round(slowest, 0),
    'CPU s an hour': round(cpu, 1),
    limits: `${SEGMENT_MS} ms, ${film.limit} s`,
    held: slowest <= SEGMENT_MS && cpu <= film.limit ? 'yes' : 'NO',
  }
}

/** A film that the page repacks, on a node that does nothing else. */
async function measureRepacked(path: string): Promise<Row> {
  const node = await startNode()
  try {
    const cpu = await repackedHour(node, await addFilm(node, path))
    const held = cpu <= REPACKED_CPU ? 'yes' : 'NO'
    return { film: 'ac3.mkv, by the page', 'CPU s an hour': round(cpu, 1), limits: `${REPACKED_CPU} s`, held }
  } finally {
    await node.stop()
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { counts: { type: 'string' }, only: { type: 'string' } } })
  const most = Number(values.counts ?? SEGMENTS)
  const films = FILMS.filter(({ name }) => name.includes(values.only ?? ''))
  const rows: Row[] = []
  // Two gigabytes a film: not in memory, and one at a time.
  const folder = await makeTestFolder()
  try {
    for (const film of films) {
      const path = await makeFilm(folder.path, film)
      const node = await startNode()
      try {
        rows.push(await measure(node, film, path, most))
      } finally {
        await node.stop()
      }
      if (film.name === 'ac3.mkv') rows.push(await measureRepacked(path))
      await rm(path)
    }
  } finally {
    await folder.remove()
  }
  report('films of two hours in segments', rows)
  if (rows.some(({ held }) => held !== 'yes')) process.exitCode = 1
}

await main()
