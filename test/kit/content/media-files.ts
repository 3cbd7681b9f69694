// Films for the players: made by ffmpeg, big enough that most of them is missing while they play.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Makes a film of `seconds` at about `kbit` kbit/s. The container follows the name: `.mp4` gets its index at the end
 * (no faststart), `.mkv` its cues at the end.
 */
export async function makeFilm(path: string, seconds: number, kbit: number): Promise<void> {
  const source = `testsrc2=size=640x360:rate=25:duration=${seconds},noise=alls=40:allf=t`
  const rate = ['-b:v', `${kbit}k`, '-minrate', `${kbit}k`, '-maxrate', `${kbit}k`, '-bufsize', `${kbit}k`]
  const video = ['-c:v', 'mpeg4', '-g', '25', ...rate]
  const audio = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`, '-c:a', 'aac', '-shortest']
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...audio, ...video, path])
}
