// The fence round ffmpeg: limits of memory, processor, files and descriptors, set by a shell that becomes the program,
// and where the system lets an ordinary user have them a network of its own, without any way out, and processes of its
// own, so that it sees no other. What of it works is found out by running a program that does nothing inside: whether
// ffmpeg runs is another question, and never takes a part of the fence away.

import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { Clock } from '../../../ports/clock.ts'
import { errorText } from '../../../base/errors.ts'
import { ConversionFailed, type ConversionLimits } from '../ports/film-converter.ts'
import type { BoundedProcesses } from './bounded-process.ts'

const DESCRIPTORS = 64
/**
 * A limit that cannot be set ends it. Files: none may become longer. Of all processes the system ends this one first
 * when it has no memory left.
 */
const SCRIPT = `set -e; { echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null || :; ulimit -c 0; ulimit -f 0; ulimit -n ${DESCRIPTORS}; ulimit -t "$1"; ulimit -v "$2"; shift 2; exec "$@"`
/** Ends with the node, however that ends, and gains no rights. */
const GUARD = ['/usr/bin/setpriv', '--no-new-privs', '--pdeathsig', 'KILL', '--'] as const
const UNSHARE = '/usr/bin/unshare'
/**
 * Processes and shared memory that are its own: it sees no others, and none of it outlives the first of them, a shell
 * that tells how it ended, as `unshare` does not.
 */
const APART = [
  '--ipc',
  '--pid',
  '--fork',
  '--kill-child=SIGKILL',
  '--',
  '/bin/sh',
  '-c',
  '"$@"; exit $?',
  'sh',
] as const
/** Ways to a network of its own: by a user of its own, which everybody may have, or as root. */
const NETWORKS: readonly (readonly string[])[] = [
  [UNSHARE, '--user', '--net', ...APART],
  [UNSHARE, '--user', '--net', '--'],
  [UNSHARE, '--net', ...APART],
  [UNSHARE, '--net', '--'],
]
/** Does nothing, successfully. */
const NOTHING = ['/bin/sh', '-c', ':'] as const
const LOOK_MS = 10_000
const LOOK_LIMITS: ProgramLimits = { cpuSeconds: 10, memoryKib: 1024 * 1024 }
const MAX_ANSWER_BYTES = 512 * 1024
const MAX_VERSION_CHARS = 60

/** See ConversionLimits. */
export type ProgramLimits = Pick<ConversionLimits, 'cpuSeconds' | 'memoryKib'>

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
  /** The whole command. */
  command(args: readonly string[], limits: ProgramLimits): string[]
}

/** Looks at the program; a text says why it cannot be used now. Never rejects. */
export async function fencedProgram(
  path: string,
  processes: BoundedProcesses,
  clock: Clock,
): Promise<FencedProgram | string> {
  try {
    const missing = await problemOf(path)
    return missing ?? (await looked(path, await fenceOf(processes, clock), processes, clock))
  } catch (error) {
    return `${path} does not run within its limits (${errorText(error)})`
  }
}

interface Fence {
  readonly around: readonly string[]
  readonly hasOwnNetwork: boolean
}

/** What of the fence the system allows. Rejects with ConversionFailed where that cannot be said now. */
async function fenceOf(processes: BoundedProcesses, clock: Clock): Promise<Fence> {
  const guard = (await works(GUARD, processes, clock)) ? GUARD : []
  for (const network of NETWORKS) {
    const around = [...guard, ...network]
    if (await works(around, processes, clock)) return { around, hasOwnNetwork: true }
  }
  return { around: guard, hasOwnNetwork: false }
}

/** Rejects with ConversionFailed when the machine is at fault, and no refusal. */
async function works(around: readonly string[], processes: BoundedProcesses, clock: Clock): Promise<boolean> {
  try {
    await output(commandOf(around, [...NOTHING], LOOK_LIMITS), processes, clock)
    return true
  } catch (error) {
    if (error instanceof ConversionFailed && error.kind === 'refused') return false
    throw error
  }
}

function commandOf(
  around: readonly string[],
  command: readonly string[],
  { cpuSeconds, memoryKib }: ProgramLimits,
): string[] {
  return ['/bin/sh', '-c', SCRIPT, 'sh', String(cpuSeconds), String(memoryKib), ...around, ...command]
}

async function output(command: readonly string[], processes: BoundedProcesses, clock: Clock): Promise<string> {
  const options = {
    clock,
    command,
    input: new Uint8Array(0),
    wallMs: LOOK_MS,
    cpuSeconds: LOOK_LIMITS.cpuSeconds,
    maxOutputBytes: MAX_ANSWER_BYTES,
  }
  return Buffer.from(await processes.run(options, new AbortController().signal)).toString('latin1')
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
  { around, hasOwnNetwork }: Fence,
  processes: BoundedProcesses,
  clock: Clock,
): Promise<FencedProgram | string> {
  const command = (args: readonly string[], limits: ProgramLimits): string[] =>
    commandOf(around, [path, ...args], limits)
  const asked = (...args: string[]): Promise<string> => output(command(args, LOOK_LIMITS), processes, clock)
  const [, version] = /^ffmpeg version ([!-~]+)/.exec(await asked('-version')) ?? []
  if (version === undefined) return `${path} is not ffmpeg`
  const encoders = await asked('-hide_banner', '-encoders')
  const has = (name: string): boolean => new RegExp(`^ [A-Z.]{6} ${name} `, 'm').test(encoders)
  return {
    path,
    version: version.slice(0, MAX_VERSION_CHARS),
    hasOwnNetwork,
    encodesPicture: has('libx264'),
    encodesSound: has('aac'),
    command,
  }
}
