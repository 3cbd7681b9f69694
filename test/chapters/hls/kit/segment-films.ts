// Films for segments, made by ffmpeg: key frames at odd distances, pictures that are decoded in another order than they
// are shown, and what ffprobe says of them.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MAX_OUTPUT = 64 * 1024 * 1024

/** When pictures of every film can be entered, s. */
const KEYS = '0,3.1,5,9.7,14,14.6,19'
/** Length of a film unless it is said, and how many of it a long one has, which is two hours. */
const SECONDS = 24
const LOOPS = 300
/** Length of a long film, s. */
export const LONG_S = LOOPS * SECONDS
const H264 = [
  '-c:v',
  'libx264',
  '-preset',
  'veryfast',
  '-crf',
  '38',
  '-g',
  '1000',
  '-keyint_min',
  '1',
  '-sc_threshold',
  '0',
]

/** Options of ffmpeg, each with one value, that say nothing of the picture. */
const NOT_OF_PICTURE: ReadonlySet<string> = new Set(['-c:a', '-ac', '-b:a', '-ar', '-af', '-strict', '-movflags'])
/** Encoders whose pictures MP4 holds as they are, with times that every container can have. */
const KEPT = /^(?:libx264|libx265)$/

/** Hz of what sound() gives. */
export const SOUND_RATE = 48_000

/** One packet as ffprobe has it. */
export interface Packet {
  readonly pts: number
  readonly dts: number
  readonly isKey: boolean
}

/** A folder of films; the caller removes it by close(). */
export class SegmentFilms {
  readonly folder: string
  readonly #picture: readonly string[]
  readonly #seconds: number
  /** Pictures that were encoded, by how: the same is copied into every film that has it. */
  readonly #pictures = new Map<string, Promise<string>>()

  private constructor(folder: string, seconds: number) {
    this.folder = folder
    this.#seconds = seconds
    this.#picture = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=24:d=${seconds}`]
  }

  /** `seconds`: of each film but the long ones; the default has seven key frames, and twelve have four. */
  static async open(seconds = SECONDS): Promise<SegmentFilms> {
    return new SegmentFilms(await mkdtemp(join(tmpdir(), 'tributary-hls-')), seconds)
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Makes a film; `rate`: Hz of its sound; `args`: beside the usual ones. Its path. */
  async make(name: string, rate: number, args: readonly string[]): Promise<string> {
    const sound = ['-f', 'lavfi', '-i', `sine=d=${this.#seconds}:r=${rate}`]
    const ofPicture = args.filter((_, at) => !NOT_OF_PICTURE.has(args[at - (at % 2)] ?? ''))
    const encode = [...H264, '-force_key_frames', KEYS, '-bf', '3', ...ofPicture]
    const isKept = KEPT.test(encode[encode.lastIndexOf('-c:v') + 1] ?? '')
    const picture = isKept ? ['-i', await this.#encoded(encode)] : this.#picture
    const usual = [...picture, ...sound, ...(isKept ? ['-c:v', 'copy'] : encode), '-c:a', 'aac', '-ac', '2']
    const rest = isKept ? args.filter((_, at) => NOT_OF_PICTURE.has(args[at - (at % 2)] ?? '')) : args
    await this.ffmpeg('-v', 'error', '-y', ...usual, ...rest, this.path(name))
    return this.path(name)
  }

  /** The path of the picture, encoded so. */
  #encoded(encode: readonly string[]): Promise<string> {
    const how = encode.join(' ')
    const known = this.#pictures.get(how)
    if (known !== undefined) return known
    const path = this.path(`picture-${this.#pictures.size}.mp4`)
    const made = this.ffmpeg('-v', 'error', '-y', ...this.#picture, ...encode, path).then(() => path)
    this.#pictures.set(how, made)
    return made
  }

  /** Makes a film of two hours by copying one of 24 s, the default; its path. */
  async makeLong(name: string, args: readonly string[]): Promise<string> {
    const clip = await this.make(`clip-${name}`, SOUND_RATE, args)
    const loops = ['-stream_loop', `${LOOPS - 1}`, '-i', clip]
    await this.ffmpeg('-v', 'error', '-y', ...loops, '-c', 'copy', this.path(name))
    return this.path(name)
  }

  /** Runs ffmpeg; what it says on standard error. */
  async ffmpeg(...args: readonly string[]): Promise<string> {
    const { stderr } = await run('ffmpeg', ['-nostdin', ...args], { maxBuffer: MAX_OUTPUT })
    return stderr
  }

  /** Packets of the first track of a kind, in their order in the file. */
  async packets(path: string, kind: 'v' | 'a'): Promise<Packet[]> {
    const entries = ['-show_entries', 'packet=pts_time,dts_time,flags', '-of', 'csv=p=0']
    const args = ['-v', 'error', '-select_streams', `${kind}:0`, ...entries, path]
    const { stdout } = await run('ffprobe', args, { maxBuffer: MAX_OUTPUT })
    const lines = stdout.split('\n').filter(line => line !== '')
    return lines.map(line => {
      const [pts, dts, flags = ''] = line.split(',')
      return { pts: Number(pts), dts: Number(dts), isKey: flags.startsWith('K') }
    })
  }

  /** The first sound of a file as one channel. */
  async sound(path: string): Promise<Int16Array> {
    const out = this.path('sound.raw')
    const raw = ['-map', '0:a:0', '-ac', '1', '-ar', `${SOUND_RATE}`, '-f', 's16le', out]
    await this.ffmpeg('-v', 'error', '-y', '-i', path, ...raw)
    const bytes = await readFile(out)
    return new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2))
  }

  /** When the first pictures of a film are shown, as ffmpeg reckons it, s. */
  async shown(path: string): Promise<number[]> {
    const entries = ['-show_entries', 'frame=best_effort_timestamp_time', '-read_intervals', '%+1', '-of', 'csv=p=0']
    const { stdout } = await run('ffprobe', ['-v', 'error', '-select_streams', 'v:0', ...entries, path])
    return stdout.split('\n').filter(Boolean).map(Number.parseFloat)
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}
