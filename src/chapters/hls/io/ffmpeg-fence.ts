// The fence round ffmpeg: limits of memory, processor, files and descriptors, set by a shell that becomes the program,
// and a network of its own, without any way out, where the system lets an ordinary user have one. Which of it works is
// found out once, by running the program inside.

import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { Clock } from '../../../ports/clock.ts'
import { ConversionFailed } from '../ports/film-converter.ts'
import type { BoundedProcesses } from './bounded-process.ts'

/** Address space: x264 at 1080p takes some 600 MB of it. */
const MEMORY_KIB = 2 * 1024 * 1024
const DESCRIPTORS = 64
/** A limit that cannot be set ends it. Files: none may be written. */
const SCRIPT = `set -e; ulimit -c 0; ulimit -f 0; ulimit -n ${DESCRIPTORS}; ulimit -t "$1"; ulimit -v ${MEMORY_KIB}; shift; exec "$@"`
/** Ways to a network of its own: by a user of its own, which everybody may have, or as root. */
const UNSHARE = '/usr/bin/unshare'
const NETWORKS: readonly (readonly string[])[] = [[UNSHARE, '--user', '--net', '--'], [UNSHARE, '--net', '--'], []]
const LOOK_MS = 10_000
const LOOK_CPU_S = 10
const MAX_ANSWER_BYTES = 512 * 1024
const MAX_VERSION_CHARS = 60

/** A program that can be used. */
export interface FencedProgram {
  readonly path: string
  /** As it says it. */
  readonly version: string
  /** It has a network of its own, with nothing in it. */
  readonly hasOwnNetwork: boolean
  /** It can encode H.264. */
  readonly encodesPicture: boolean
  readonly encodesSound: boolean
  /** The whole command; `cpuSeconds`: see ConversionLimits. */
  command(args: readonly string[], cpuSeconds: number): string[]
}

/** Looks at the program; a text says why it cannot be used. AppError Aborted when `processes` are stopped. */
export async function fencedProgram(
  path: string,
  processes: BoundedProcesses,
  clock: Clock,
): Promise<FencedProgram | string> {
  const missing = await problemOf(path)
  if (missing !== null) return missing
  let why = ''
  for (const network of NETWORKS) {
    try {
      return await looked(path, network, processes, clock)
    } catch (error) {
      if (!(error instanceof ConversionFailed)) throw error
      why = `${path} does not run within its limits (${error.message})`
      // It runs, and hangs: so it would with another network.
      if (error.isLate) break
    }
  }
  return why
}

async function problemOf(path: string): Promise<string | null> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return `${path} is no file`
    await access(path, constants.X_OK)
    return null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'ENOENT' ? `${path} does not exist` : `${path} is not executable`
  }
}

/** Rejects with ConversionFailed when it does not run so. */
async function looked(
  path: string,
  network: readonly string[],
  processes: BoundedProcesses,
  clock: Clock,
): Promise<FencedProgram | string> {
  const command = (args: readonly string[], cpuSeconds: number): string[] => [
    ...['/bin/sh', '-c', SCRIPT, 'sh', String(cpuSeconds)],
    ...network,
    path,
    ...args,
  ]
  const asked = async (...args: string[]): Promise<string> => {
    const options = {
      clock,
      command: command(args, LOOK_CPU_S),
      input: new Uint8Array(0),
      wallMs: LOOK_MS,
      maxOutputBytes: MAX_ANSWER_BYTES,
    }
    return Buffer.from(await processes.run(options, new AbortController().signal)).toString('latin1')
  }
  const [, version] = /^ffmpeg version ([!-~]+)/.exec(await asked('-version')) ?? []
  if (version === undefined) return `${path} is not ffmpeg`
  const encoders = await asked('-hide_banner', '-encoders')
  const has = (name: string): boolean => new RegExp(`^ [A-Z.]{6} ${name} `, 'm').test(encoders)
  return {
    path,
    version: version.slice(0, MAX_VERSION_CHARS),
    hasOwnNetwork: network.length > 0,
    encodesPicture: has('libx264'),
    encodesSound: has('aac'),
    command,
  }
}
