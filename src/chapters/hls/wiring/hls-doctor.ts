// What `tributary doctor` finds of ffmpeg: which program it is, what it can do, and what is round it.

import { SystemClock } from '../../../io/clock.ts'
import { type Finding, findingsOf, fine, warning } from '../../../node/doctor/finding.ts'
import { BoundedProcesses } from '../io/bounded-process.ts'
import { fencedProgram, type FencedProgram } from '../io/ffmpeg-fence.ts'
import { ownUser, writableOf } from '../io/writable-program.ts'

const CHECK = 'ffmpeg'
// The node may have less: a service unit or a container can forbid namespaces that a shell may have.
const LESS = 'where the node itself has less, its log says so'

/** What can be found, by codes; the dashboard has them in other languages. */
export const ffmpegFindings = {
  ffmpeg_none: fine(CHECK, 'No ffmpeg is named (media.ffmpeg): DTS, Xvid, AV1 and the like are not converted.'),
  ffmpeg_unusable: warning(
    CHECK,
    'The program of media.ffmpeg cannot be used: {error}.',
    'Install ffmpeg, or correct the setting.',
  ),
  ffmpeg_fenced: fine(
    CHECK,
    `{path} (version {version}) converts films, as this command runs it with limits of memory and time and a network of its own; ${LESS}.`,
  ),
  ffmpeg_on_network: warning(
    CHECK,
    `{path} (version {version}) converts films, as this command runs it with limits of memory and time and the network of this system; ${LESS}.`,
    'Let ordinary users have namespaces (sysctl user.max_user_namespaces), with unshare of util-linux.',
  ),
  ffmpeg_no_encoder: warning(CHECK, 'It has no encoder {encoders}.', 'Install an ffmpeg that has (Debian: ffmpeg).'),
  ffmpeg_writable: warning(
    CHECK,
    'The user of this command may write {path}: what the node downloads there as this user could take the place of the program, and would be run.',
    'Let root own the program and its folder, or name one of the system (/usr/bin/ffmpeg).',
  ),
} as const

const finding = findingsOf(ffmpegFindings)

/** `path`: the setting media.ffmpeg; '' = none; `user`: who runs the node. Runs the program, inside its fence. */
export async function checkFfmpeg(path: string, user = ownUser()): Promise<Finding[]> {
  if (path === '') return [finding('ffmpeg_none', {})]
  const found = await fencedProgram(path, new BoundedProcesses(), new SystemClock())
  if (typeof found !== 'string') return [...findings(found), ...ofWritable(await writableOf(path, user))]
  return [finding('ffmpeg_unusable', { error: found })]
}

function findings({ path, version, hasOwnNetwork, encodesPicture, encodesSound }: FencedProgram): Finding[] {
  const missing = [...(encodesPicture ? [] : ['libx264']), ...(encodesSound ? [] : ['aac'])]
  return [
    finding(hasOwnNetwork ? 'ffmpeg_fenced' : 'ffmpeg_on_network', { path, version }),
    ...(missing.length === 0 ? [] : [finding('ffmpeg_no_encoder', { encoders: missing.join(', ') })]),
  ]
}

/** `writable`: what of the program the user may write; null = nothing. */
function ofWritable(writable: string | null): Finding[] {
  return writable === null ? [] : [finding('ffmpeg_writable', { path: writable })]
}
