// What `tributary doctor` finds of ffmpeg: which program it is, what it can do, and what is round it.

import { SystemClock } from '../../../io/clock.ts'
import { fine, type Finding, warning } from '../../../node/doctor/finding.ts'
import { BoundedProcesses } from '../io/bounded-process.ts'
import { fencedProgram, type FencedProgram } from '../io/ffmpeg-fence.ts'
import { ownUser, writableOf } from '../io/writable-program.ts'

const CHECK = 'ffmpeg'

/** `path`: the setting media.ffmpeg; '' = none; `user`: who runs the node. Runs the program, inside its fence. */
export async function checkFfmpeg(path: string, user = ownUser()): Promise<Finding[]> {
  if (path === '')
    return [fine(CHECK, 'No ffmpeg is named (media.ffmpeg): DTS, Xvid, AV1 and the like are not converted.')]
  const found = await fencedProgram(path, new BoundedProcesses(), new SystemClock())
  if (typeof found !== 'string') return [...findings(found), ...ofWritable(await writableOf(path, user))]
  return [
    warning(CHECK, `The program of media.ffmpeg cannot be used: ${found}.`, 'Install ffmpeg, or correct the setting.'),
  ]
}

function findings({ path, version, hasOwnNetwork, encodesPicture, encodesSound }: FencedProgram): Finding[] {
  const fence = hasOwnNetwork ? 'a network of its own' : 'the network of this system'
  // The node may have less: a service unit or a container can forbid namespaces that a shell may have.
  const text = `${path} (version ${version}) converts films, as this command runs it with limits of memory and time and ${fence}; where the node itself has less, its log says so.`
  const missing = [...(encodesPicture ? [] : ['libx264']), ...(encodesSound ? [] : ['aac'])]
  return [
    hasOwnNetwork
      ? fine(CHECK, text)
      : warning(
          CHECK,
          text,
          'Let ordinary users have namespaces (sysctl user.max_user_namespaces), with unshare of util-linux.',
        ),
    ...(missing.length === 0
      ? []
      : [warning(CHECK, `It has no encoder ${missing.join(', ')}.`, 'Install an ffmpeg that has (Debian: ffmpeg).')]),
  ]
}

/** `writable`: what of the program the user may write; null = nothing. */
function ofWritable(writable: string | null): Finding[] {
  if (writable === null) return []
  const text = `The user of this command may write ${writable}: what the node downloads there as this user could take the place of the program, and would be run.`
  return [warning(CHECK, text, 'Let root own the program and its folder, or name one of the system (/usr/bin/ffmpeg).')]
}
