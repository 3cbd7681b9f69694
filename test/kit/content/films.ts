// Short films for players, made by Debian's ffmpeg: a test picture and a tone, encoded as is asked for.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Subtitles inside of a film. */
export interface FilmTexts {
  /** As SubRip. */
  readonly srt: string
  /** Encoder of ffmpeg: srt, ass, webvtt, mov_text. */
  readonly codec: string
  readonly language: string
  readonly isForced?: boolean
}

/** Encoders that browsers refuse, or do not, and a length. */
export interface FilmOptions {
  /** The container, as the extension of a file name. */
  readonly container: 'mp4' | 'mkv' | 'webm' | 'avi' | 'ts'
  /** Arguments of ffmpeg for the picture; default VP8. */
  readonly video?: readonly string[]
  /** Arguments of ffmpeg for the sound; default Opus. */
  readonly audio?: readonly string[]
  /** Default: none. With some, picture and sound are what `video` and `audio` do not map otherwise. */
  readonly texts?: readonly FilmTexts[]
  /** Default 20. */
  readonly seconds?: number
}

const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '300k', '-g', '25']
const OPUS = ['-c:a', 'libopus', '-b:a', '48k']

/** The bytes of a film of 320 x 180. */
export async function makeFilm(options: FilmOptions): Promise<Buffer> {
  const { container, video = VP8, audio = OPUS, texts = [], seconds = 20 } = options
  const folder = await mkdtemp(join(tmpdir(), 'tributary-film-'))
  const path = join(folder, `film.${container}`)
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=25:duration=${seconds},format=yuv420p`]
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=330:duration=${seconds}`]
  try {
    const { inputs, args } = await textArguments(folder, texts)
    await run('ffmpeg', ['-v', 'error', '-y', ...picture, ...tone, ...inputs, ...args, ...video, ...audio, path])
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A short one ends with what ends first, but for texts, which end where the last of them does. */
async function textArguments(
  folder: string,
  texts: readonly FilmTexts[],
): Promise<{ inputs: string[]; args: string[] }> {
  if (texts.length === 0) return { inputs: [], args: ['-shortest'] }
  const inputs: string[] = []
  const args = ['-map', '0:v', '-map', '1:a']
  for (const [at, { srt, codec, language, isForced = false }] of texts.entries()) {
    const path = join(folder, `${at}.srt`)
    await writeFile(path, srt)
    inputs.push('-i', path)
    args.push('-map', `${at + 2}:s`, `-c:s:${at}`, codec, `-metadata:s:s:${at}`, `language=${language}`)
    args.push(`-disposition:s:${at}`, isForced ? 'forced' : '0')
  }
  return { inputs, args }
}
