// Films in every container, made by ffmpeg: short ones of ten seconds, and their loops of two hours.

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const CHAPTERS = `;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=3000
title=Opening – Anfang
[CHAPTER]
TIMEBASE=1/1000
START=3000
END=10000
title=The rest
`
const SUBTITLES = '1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:05,000 --> 00:00:06,000\nWorld\n'

/** A picture that moves, with key frames 5 s apart and pictures that are shown in another order than they lie. */
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=24:d=10']
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=10']
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '40', '-g', '120', '-bf', '2']
/** VP8 otherwise takes half a minute. */
const REALTIME = ['-deadline', 'realtime', '-cpu-used', '16', '-g', '120']
const FIRST_INSIDE = ['-map_chapters', '-1', '-c', 'copy', '-movflags', '+frag_keyframe']
const TWO_HOURS = ['-stream_loop', '719']

/** How each is made: arguments between the input `master` and its own name. */
const WAYS = {
  'film.mkv': [],
  'film.webm': ['-map', '0:v', '-map', '0:a:0', '-c:v', 'libvpx', ...REALTIME, '-c:a', 'libopus'],
  'start.mp4': ['-map', '0:v', '-map', '0:a', '-c', 'copy', '-movflags', '+faststart'],
  'end.mp4': ['-map', '0:v', '-map', '0:a', '-map', '0:s:0', '-c', 'copy', '-c:s', 'mov_text'],
  'fragments.mp4': ['-map', '0:v', '-map', '0:a:0', '-c', 'copy', '-movflags', '+frag_keyframe+empty_moov'],
  'segments.mp4': ['-map', '0:v', '-map', '0:a:0', '-c', 'copy', '-movflags', '+frag_keyframe+dash+global_sidx'],
  // An index in front of each fragment, and one of all at the end.
  'dash.mp4': ['-map', '0:v', '-map', '0:a:0', '-c', 'copy', '-movflags', '+frag_keyframe+empty_moov+dash'],
  // Its movie box holds the samples of the first fragment, and their duration (of chapters it would be that of all).
  'first-inside.mp4': ['-map', '0:v', '-map', '0:a:0', ...FIRST_INSIDE],
  'film.mov': ['-map', '0:v', '-map', '0:a:0', '-c', 'copy'],
  'film.ts': ['-map', '0:v', '-map', '0:a', '-c', 'copy'],
  'film.avi': ['-map', '0:v', '-map', '0:a:0', '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  'book.m4b': ['-map', '0:a:0', '-c', 'copy'],
  'sound.flac': ['-map', '0:a:0', '-c:a', 'flac'],
  'sound.mp3': ['-map', '0:a:0', '-c:a', 'libmp3lame'],
  'sound.ogg': ['-map', '0:a:0', '-c:a', 'libvorbis'],
  'sound.opus': ['-map', '0:a:0', '-c:a', 'libopus'],
  'sound.aac': ['-map', '0:a:0', '-c', 'copy'],
  'sound.wav': ['-map', '0:a:0'],
} as const

/** The short films. */
export type FilmName = keyof typeof WAYS

/** All of them. */
export const FILM_NAMES = Object.keys(WAYS) as readonly FilmName[]

/** How the films of two hours are made of a short one. */
const LONG_WAYS = {
  'long.mkv': [],
  'no-cues.mkv': ['-f', 'matroska', '-live', '1'],
  'long-start.mp4': ['-movflags', '+faststart'],
  'long-end.mp4': [],
  'long-fragments.mp4': ['-movflags', '+frag_keyframe+empty_moov'],
  'long-segments.mp4': ['-movflags', '+frag_keyframe+dash+global_sidx'],
  'long.ts': [],
  'long.mp3': [],
  // Without the head that says how long it is.
  'no-head.mp3': ['-write_xing', '0', '-id3v2_version', '0'],
  // Copied it would say the length of its clip.
  'long.flac': ['-c:a', 'flac', '-compression_level', '0'],
} as const

/** Sound alone is copied from a clip in its own codec. */
const SOUND_CODECS: Readonly<Record<string, readonly string[]>> = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '192k'],
  // So few hertz are soon decoded, and encoded again.
  flac: ['-c:a', 'flac', '-ar', '8000'],
}

/** The films of two hours; a quarter of a gigabyte each. */
export type LongFilmName = keyof typeof LONG_WAYS

/** A folder of films; the caller removes it by close(). */
export class Films {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Makes the folder and the master that films are made of. */
  static async open(): Promise<Films> {
    const films = new Films(await mkdtemp(join(tmpdir(), 'tributary-films-')))
    await writeFile(films.path('chapters.txt'), CHAPTERS)
    await writeFile(films.path('titles.srt'), SUBTITLES)
    const inputs = [...PICTURE, ...SOUND, '-i', films.path('titles.srt'), '-i', films.path('chapters.txt')]
    const tracks = ['-map', '0', '-map', '1', '-map', '1', '-map', '2', '-map', '2', '-map_metadata', '3', ...H264]
    const sound = ['-c:a:0', 'aac', '-ac:a:0', '2', '-c:a:1', 'ac3', '-ac:a:1', '6', '-c:s:0', 'srt', '-c:s:1', 'ass']
    const names = ['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu']
    const more = [
      '-metadata:s:a:1',
      'title=Deutsch 5.1',
      '-metadata:s:s:0',
      'language=fra',
      '-disposition:s:1',
      'forced',
    ]
    await films.#make('master.mkv', inputs, [...tracks, ...sound, ...names, ...more])
    return films
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Makes a film of ten seconds; its path. */
  async make(name: FilmName): Promise<string> {
    const copied = WAYS[name].length === 0 ? ['-map', '0', '-c', 'copy'] : WAYS[name]
    return this.#make(name, ['-i', this.path('master.mkv')], copied)
  }

  /** Makes one of two seconds whose pictures are longer than 200 KB each, with sound; its path. */
  async makeNoise(name: string): Promise<string> {
    const noise = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=24:d=2,noise=alls=100:allf=t']
    const codecs = ['-c:v', 'mpeg2video', '-q:v', '3', '-g', '12', '-c:a', 'mp2']
    return this.#make(name, [...noise, '-f', 'lavfi', '-i', 'sine=d=2'], codecs)
  }

  /** Makes one of two hours by copying; its path. */
  async makeLong(name: LongFilmName): Promise<string> {
    const sound = SOUND_CODECS[name.split('.').at(-1) ?? '']
    const clip = sound === undefined ? 'clip.mp4' : `clip.${name.split('.').at(-1)}`
    const tracks = sound === undefined ? ['-map', '0:v', '-map', '0:a:0', '-c', 'copy'] : ['-map', '0:a:0', ...sound]
    await this.#make(clip, ['-i', this.path('master.mkv')], tracks)
    return this.#make(name, [...TWO_HOURS, '-i', this.path(clip)], ['-c', 'copy', ...LONG_WAYS[name]])
  }

  /** Makes a file of others by ffmpeg. */
  async makeOf(name: string, inputs: readonly string[], args: readonly string[]): Promise<string> {
    return this.#make(
      name,
      inputs.flatMap(input => ['-i', this.path(input)]),
      args,
    )
  }

  /** What ffprobe says of entries of a film's picture track, a line each. */
  async probe(name: string, entries: string): Promise<string[]> {
    const args = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', entries, '-of', 'csv=p=0', this.path(name)]
    const { stdout } = await run('ffprobe', args, { maxBuffer: 64 * 1024 * 1024 })
    return stdout.split('\n').filter(line => line !== '')
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  async #make(name: string, inputs: readonly string[], args: readonly string[]): Promise<string> {
    await run('ffmpeg', ['-v', 'error', '-y', ...inputs, ...args, this.path(name)])
    return this.path(name)
  }
}
