// Short films for players, made by Debian's ffmpeg: a test picture and a tone, encoded as is asked for.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Encoders that browsers refuse, or do not, and a length. */
export interface FilmOptions {
  /** The container, as the extension of a file name. */
  readonly container: 'mp4' | 'mkv' | 'webm' | 'avi' | 'ts'
  /** Arguments of ffmpeg for the picture; default VP8. */
  readonly video?: readonly string[]
  /** Arguments of ffmpeg for the sound; default Opus. */
  readonly audio?: readonly string[]
  /** Default 20. */
  readonly seconds?: number
}

const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '300k', '-g', '25']
const OPUS = ['-c:a', 'libopus', '-b:a', '48k']

/** The bytes of a film of 320 x 180. */
export async function makeFilm({ container, video = VP8, audio = OPUS, seconds = 20 }: FilmOptions): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-film-'))
  const path = join(folder, `film.${container}`)
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=25:duration=${seconds},format=yuv420p`]
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=330:duration=${seconds}`]
  try {
    await run('ffmpeg', ['-v', 'error', '-y', ...picture, ...tone, ...video, ...audio, '-shortest', path])
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
