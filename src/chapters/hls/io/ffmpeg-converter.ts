// ffmpeg as the node has it: looked at when it is first needed, then one short process for each conversion.

import { availableParallelism } from 'node:os'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { ProgramAbilities } from '../core/ffmpeg/codecs.ts'
import { MAX_SEGMENT_BYTES } from '../core/samples.ts'
import { ConversionFailed, type ConversionLimits, type FilmConverter } from '../ports/film-converter.ts'
import { BoundedProcesses } from './bounded-process.ts'
import { fencedProgram, type FencedProgram } from './ffmpeg-fence.ts'
import { ownUser, type SystemUser, writableOf } from './writable-program.ts'

const MAX_THREADS = 4
/** One that could not be used may have been installed meanwhile. */
const LOOKED_KEPT_MS = 60_000

/** What it is made from. */
export interface FfmpegConverterOptions {
  /** Absolute path of the program. */
  readonly path: string
  readonly clock: Clock
  readonly log: Log
  /** What starts processes; absent: as the system does. */
  readonly processes?: BoundedProcesses
  /** Who runs the node; absent: the user of this process. */
  readonly user?: SystemUser | null
}

/** FilmConverter over a program. */
export class FfmpegConverter implements FilmConverter {
  readonly threads = Math.min(MAX_THREADS, availableParallelism())
  readonly #options: FfmpegConverterOptions
  readonly #processes: BoundedProcesses
  #looking: Promise<FencedProgram | string> | null = null
  /** When it is looked at again. */
  #again: Timer | null = null
  #said = ''
  #toldWritable = false
  #stopped = false

  constructor(options: FfmpegConverterOptions) {
    this.#options = options
    this.#processes = options.processes ?? new BoundedProcesses()
  }

  /** Processes that run. */
  get running(): number {
    return this.#processes.running
  }

  async abilities(): Promise<ProgramAbilities> {
    const program = await this.#program()
    if (typeof program === 'string') {
      const without =
        'ffmpeg could convert it, but the program that media.ffmpeg names cannot be used: see tributary doctor'
      return { sound: false, picture: false, without }
    }
    const { encodesSound: sound, encodesPicture: picture } = program
    return { sound, picture, without: 'the ffmpeg that media.ffmpeg names has no encoder for it: see tributary doctor' }
  }

  async convert(
    args: readonly string[],
    input: Uint8Array,
    limits: ConversionLimits,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const program = await this.#program()
    if (typeof program === 'string') throw new ConversionFailed('the program cannot be used', 'busy')
    const { clock, log } = this.#options
    const options = {
      clock,
      command: program.command(args, limits),
      input,
      wallMs: limits.wallMs,
      cpuSeconds: limits.cpuSeconds,
      maxOutputBytes: MAX_SEGMENT_BYTES,
      failed: (said: string) => log.debug('ffmpeg failed', { said }),
    }
    return this.#processes.run(options, signal)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#again?.cancel()
    await this.#processes.stop()
  }

  #program(): Promise<FencedProgram | string> {
    if (this.#stopped) return Promise.resolve('the node is stopping')
    return (this.#looking ??= this.#look())
  }

  /** Never rejects. What is not as it should be may have been so by chance: it is looked at again after a while. */
  async #look(): Promise<FencedProgram | string> {
    const { path, clock, log } = this.#options
    const found = await fencedProgram(path, this.#processes, clock)
    if (!this.#stopped && (typeof found === 'string' || !found.hasOwnNetwork))
      this.#again = clock.after(LOOKED_KEPT_MS, () => (this.#looking = null))
    this.#told(found)
    const { user = ownUser() } = this.#options
    const writable = typeof found === 'string' || this.#toldWritable ? null : await writableOf(path, user)
    if (writable !== null) log.warn('the user of this node may write its ffmpeg', { path: writable })
    this.#toldWritable ||= writable !== null
    return found
  }

  /** Says in the log what is wrong, once. */
  #told(found: FencedProgram | string): void {
    const { path, log } = this.#options
    const why =
      typeof found === 'string'
        ? found
        : found.hasOwnNetwork
          ? ''
          : 'it has the network of the node: this system lets no user have one of its own'
    if (why !== '' && why !== this.#said && !this.#stopped)
      log.warn(typeof found === 'string' ? 'ffmpeg cannot be used' : 'ffmpeg has less round it', { path, why })
    this.#said = why
  }
}
