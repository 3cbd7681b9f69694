// What the worker makes of films, read by ffprobe and ffmpeg: pictures as they were, sound without a gap, from any
// place on, and nothing of what was left.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { KnownFilm, RemuxPlan } from '../../../../src/web/model/film/film-way.ts'
import { FilmReader } from '../../../../src/web/remux/film-reader.ts'
import type { Note, TrackKind } from '../../../../src/web/remux/messages.ts'
import { makeFilm } from '../../../kit/content/films.ts'
import { needs } from '../../../kit/requirements.ts'

const run = promisify(execFile)
const SECONDS = 30
/** B-frames, and key frames where the encoder likes them. */
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '60']

/** A reader of a film in memory. */
class Scene {
  readonly notes: Note[] = []
  bytesRead = 0
  readonly reader: FilmReader
  #number = 0

  constructor(content: Uint8Array<ArrayBuffer>, refuse: () => boolean = () => false) {
    this.reader = new FilmReader(
      async (_, { headers }) => {
        if (refuse()) return new Response(null, { status: 401 })
        const [, start = 0, last = 0] = (/(\d+)-(\d+)/.exec(headers['Range'] ?? '') ?? []).map(Number)
        this.bytesRead += last + 1 - start
        return new Response(content.slice(start, last + 1), { status: 206 })
      },
      note => this.notes.push(note),
    )
  }

  async open(size: number): Promise<KnownFilm> {
    await this.reader.take({ order: 'open', url: 'link', size })
    const note = this.notes.pop()
    assert.ok(note?.note === 'opened', JSON.stringify(note))
    return note.film
  }

  async play(plan: RemuxPlan): Promise<Readonly<Record<TrackKind, string | null>>> {
    await this.reader.take({ order: 'play', plan })
    const note = this.notes.pop()
    assert.ok(note?.note === 'ready', JSON.stringify(note))
    return note.types
  }

  /** A whole run, up to the end of the track, or so many parts of it. */
  async run(kind: TrackKind, fromSec: number, parts = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
    this.#number += 1
    const all: Uint8Array[] = []
    for (let at = 0; at < parts; at += 1) {
      await this.reader.take({ order: 'read', kind, run: this.#number, fromSec: at === 0 ? fromSec : null })
      const note = this.notes.pop()
      if (note?.note === 'end') break
      assert.ok(note?.note === 'part', JSON.stringify(note))
      all.push(note.part.bytes)
    }
    return Buffer.concat(all)
  }
}

interface Packet {
  readonly pts: number
  readonly dts: number
  readonly duration: number
}

describe('the worker that repacks films', { skip: needs('ffmpeg', 'ffprobe'), timeout: 120_000 }, () => {
  let folder = ''
  let mkv: Uint8Array<ArrayBuffer>
  let stream: Uint8Array<ArrayBuffer>

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-reader-'))
    const audio = ['-c:a', 'ac3', '-ac', '6']
    mkv = new Uint8Array(await makeFilm({ container: 'mkv', video: H264, audio, seconds: SECONDS }))
    stream = new Uint8Array(await makeFilm({ container: 'ts', video: H264, audio: ['-c:a', 'aac'], seconds: SECONDS }))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** Packets of a file, as ffprobe reads them; seconds. */
  async function packetsOf(content: Uint8Array, kind: 'v' | 'a'): Promise<Packet[]> {
    const path = join(folder, 'probed')
    await writeFile(path, content)
    const shown = 'packet=pts_time,dts_time,duration_time'
    const { stdout } = await run('ffprobe', [
      '-v',
      'error',
      '-select_streams',
      kind,
      '-show_entries',
      shown,
      '-of',
      'json',
      path,
    ])
    const { packets } = JSON.parse(stdout) as {
      packets: { pts_time: string; dts_time: string; duration_time: string }[]
    }
    return packets.map(each => ({
      pts: Number(each.pts_time),
      dts: Number(each.dts_time),
      duration: Number(each.duration_time),
    }))
  }

  /** Fails at the first complaint of a decoder; how much was decoded. */
  async function decoded(content: Uint8Array, output: readonly string[]): Promise<number> {
    const path = join(folder, 'decoded')
    await writeFile(path, content)
    const { status, stderr, stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', path, ...output, '-'], {
      maxBuffer: 2 ** 30,
    })
    assert.deepEqual([status, String(stderr)], [0, ''])
    return stdout.length
  }

  const played: RemuxPlan = { video: 1, sound: { id: 2, converted: true } }

  test('tells what is in a film, and what source buffers are made for', async () => {
    const scene = new Scene(mkv)
    const film = await scene.open(mkv.length)
    assert.equal(film.container, 'matroska')
    assert.ok(Math.abs((film.durationSec ?? 0) - SECONDS) < 0.2)
    assert.deepEqual(
      film.tracks.map(({ id, kind, codec, channels }) => [id, kind, codec, channels]),
      [
        [1, 'video', 'h264', 0],
        [2, 'audio', 'ac3', 6],
      ],
    )
    const types = await scene.play(played)
    assert.match(types.video ?? '', /^video\/mp4; codecs="avc1\.[0-9a-f]{6}"$/)
    assert.equal(types.sound, 'audio/mp4; codecs="flac"')
  })

  test('pictures are those of the film, at their times', async () => {
    const scene = new Scene(mkv)
    await scene.open(mkv.length)
    await scene.play(played)
    const times = (packets: Packet[]) => packets.map(({ pts }) => pts).toSorted((one, other) => one - other)
    const got = times(await packetsOf(await scene.run('video', 0), 'v'))
    const due = times(await packetsOf(mkv, 'v'))
    assert.equal(got.length, due.length)
    // ffprobe moves all of a film whose first times are below zero: what counts is how they lie to each other.
    const shift = (got[0] ?? 0) - (due[0] ?? 0)
    assert.ok(got.every((time, at) => Math.abs(time - (due[at] ?? 0) - shift) < 0.001))
    assert.ok((await decoded(await scene.run('video', 0), ['-f', 'rawvideo'])) > 0)
  })

  test('sound is there from the start to the end, each frame where the one before ends', async () => {
    const scene = new Scene(mkv)
    await scene.open(mkv.length)
    await scene.play(played)
    const sound = await scene.run('sound', 0)
    const packets = await packetsOf(sound, 'a')
    assert.ok(
      packets.every(({ pts }, at) => at === 0 || Math.abs(pts - (packets[at - 1]?.pts ?? 0) - 4096 / 44_100) < 0.0001),
    )
    const end = (packets.at(-1)?.pts ?? 0) + 4096 / 44_100
    assert.ok(Math.abs(end - SECONDS) < 0.2, `it ends at ${end}`)
    assert.equal(await decoded(sound, ['-f', 's16le']), packets.length * 4096 * 6 * 2)
  })

  test('from a place on: pictures from the key frame before it, sound from there; another run leaves the first', async () => {
    const scene = new Scene(mkv)
    await scene.open(mkv.length)
    await scene.play(played)
    await scene.run('video', 2, 1)
    const keys = (
      await run('ffprobe', [
        '-v',
        'error',
        '-select_streams',
        'v',
        '-skip_frame',
        'nokey',
        '-show_entries',
        'frame=pts_time',
        '-of',
        'csv=p=0',
        await kept(mkv),
      ])
    ).stdout
    const before = Math.max(
      ...keys
        .split('\n')
        .filter(line => line !== '')
        .map(Number)
        .filter(time => time <= 21.3),
    )
    const video = await packetsOf(await scene.run('video', 21.3, 2), 'v')
    assert.ok(Math.abs(Math.min(...video.map(({ pts }) => pts)) - before) < 0.15, 'ffprobe shows B-frames late')
    const sound = await packetsOf(await scene.run('sound', 21.3, 2), 'a')
    const begins = sound[0]?.pts ?? 0
    assert.ok(begins <= 21.3 && begins > 21)
    await scene.reader.take({ order: 'read', kind: 'video', run: 1, fromSec: null })
    assert.deepEqual(scene.notes, [], 'a run that was left does not answer')
    // A decoder that is left within its run would keep this process.
    await scene.run('sound', SECONDS + 1)
  })

  test('a transport stream begins at 0', async () => {
    const scene = new Scene(stream)
    const { container, tracks } = await scene.open(stream.length)
    assert.equal(container, 'mpegts')
    const id = (kind: string) => tracks.find(each => each.kind === kind)?.id ?? 0
    await scene.play({ video: id('video'), sound: { id: id('audio'), converted: false } })
    const [video, sound] = [
      await packetsOf(await scene.run('video', 0, 2), 'v'),
      await packetsOf(await scene.run('sound', 0, 2), 'a'),
    ]
    assert.ok(Math.min(...video.map(({ pts }) => pts)) < 0.2)
    assert.ok((sound[0]?.pts ?? 1) < 0.2)
  })

  test('a link that does not answer, and a file that is no film, are told apart', async () => {
    let refused = true
    const scene = new Scene(mkv, () => refused)
    await scene.reader.take({ order: 'open', url: 'link', size: mkv.length })
    assert.equal((scene.notes.pop() as { why?: string }).why, 'link')
    refused = false
    await scene.open(mkv.length)
    await scene.play(played)
    refused = true
    await scene.reader.take({ order: 'read', kind: 'sound', run: 1, fromSec: 20 })
    const failed = scene.notes.pop() as { why?: string; kind?: string }
    // What was read to open it is kept: this film is small.
    assert.ok(failed.why === 'link' || scene.bytesRead >= mkv.length, JSON.stringify(failed))
    const noise = new Uint8Array(100_000).map((_, at) => (at * 7919) & 0xff)
    const other = new Scene(noise)
    await other.reader.take({ order: 'open', url: 'link', size: noise.length })
    assert.equal((other.notes.pop() as { why?: string }).why, 'film')
  })

  async function kept(content: Uint8Array): Promise<string> {
    const path = join(folder, 'kept.mkv')
    await writeFile(path, content)
    return path
  }
})
