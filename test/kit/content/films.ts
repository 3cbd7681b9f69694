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

const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '16', '-b:v', '300k', '-g', '25']
const OPUS = ['-c:a', 'libopus', '-b:a', '48k']

/**
 * Encoders whose pictures are kept, and in which container, so that every other can have them and their times. That of
 * VP8 is the dearest: at most so many seconds of it are encoded, and repeated.
 */
const KEPT: Readonly<Record<string, string>> = { libx264: 'mp4', libx265: 'mp4', libvpx: 'webm' }
const VP8_SECONDS = 20
/** Pictures that were encoded, by how: the same is copied into every film that has it. */
const pictures = new Map<string, Promise<Buffer>>()

/** The bytes of a film of 320 x 180. */
export async function makeFilm(options: FilmOptions): Promise<Buffer> {
  const { container, video = VP8, audio = OPUS, texts = [], seconds = 20 } = options
  const encoder = video[video.indexOf('-c:v') + 1] ?? ''
  const kept = KEPT[encoder]
  const part = encoder === 'libvpx' ? Math.min(seconds, VP8_SECONDS) : seconds
  return inFolder(async folder => {
    const path = join(folder, `film.${container}`)
    const one = join(folder, `picture.${kept ?? ''}`)
    if (kept !== undefined) await writeFile(one, await encoded(video, part, kept))
    const repeated = ['-stream_loop', `${Math.ceil(seconds / part) - 1}`, '-i', one]
    const picture = kept === undefined ? pictureOf(seconds) : repeated
    const tone = ['-f', 'lavfi', '-i', `sine=frequency=330:duration=${seconds}`]
    const { inputs, args } = await textArguments(folder, texts)
    const codecs = [...(kept === undefined ? video : ['-c:v', 'copy']), ...audio]
    await run('ffmpeg', ['-v', 'error', '-y', ...picture, ...tone, ...inputs, ...args, ...codecs, path])
    return readFile(path)
  })
}

async function inFolder(make: (folder: string) => Promise<Buffer>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-film-'))
  try {
    return await make(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function pictureOf(seconds: number): readonly string[] {
  return ['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=25:duration=${seconds},format=yuv420p`]
}

/** The picture alone, encoded so. */
function encoded(video: readonly string[], seconds: number, container: string): Promise<Buffer> {
  const how = `${seconds} ${video.join(' ')}`
  const known = pictures.get(how)
  if (known !== undefined) return known
  const made = inFolder(async folder => {
    const path = join(folder, `picture.${container}`)
    await run('ffmpeg', ['-v', 'error', '-y', ...pictureOf(seconds), ...video, path])
    return readFile(path)
  })
  pictures.set(how, made)
  return made
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
