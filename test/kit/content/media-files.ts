// Films for the players: made by ffmpeg, big enough that most of them is missing while they play.

import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const PART_SEC = 20

/**
 * Makes a film of `seconds` at about `kbit` kbit/s. The container follows the name: `.mp4` gets its index at the end
 * (no faststart), `.mkv` its cues at the end. The picture of 20 s is encoded, and repeated.
 */
export async function makeFilm(path: string, seconds: number, kbit: number): Promise<void> {
  const part = `${path}.part.mp4`
  const partSec = Math.min(PART_SEC, seconds)
  const source = `testsrc2=size=640x360:rate=25:duration=${partSec},noise=alls=40:allf=t`
  const rate = ['-b:v', `${kbit}k`, '-minrate', `${kbit}k`, '-maxrate', `${kbit}k`, '-bufsize', `${kbit}k`]
  const video = ['-c:v', 'mpeg4', '-g', '25', ...rate]
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...video, part])
  const repeated = ['-stream_loop', `${Math.ceil(seconds / partSec) - 1}`, '-i', part, '-t', `${seconds}`]
  const audio = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`, '-c:v', 'copy', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', '-y', ...repeated, ...audio, '-shortest', path])
  await rm(part)
}
