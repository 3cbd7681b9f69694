// Films whose segments the real ffmpeg has a part in, made without a node: cut, converted inside its fence, packed.

import { execFileSync } from 'node:child_process'
import { conversionArguments } from '../../../../src/chapters/hls/core/ffmpeg/conversion.ts'
import { ConversionLine } from '../../../../src/chapters/hls/service/conversion-line.ts'
import { ConvertedSegments } from '../../../../src/chapters/hls/service/converted-segments.ts'
import { FfmpegConverter } from '../../../../src/chapters/hls/io/ffmpeg-converter.ts'
import { SegmentMaking } from '../../../../src/chapters/hls/convert/make-segment.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { CutFilm } from './made-segments.ts'

const LIMITS = { wallMs: 60_000, cpuSeconds: 60, memoryKib: 2 * 1024 * 1024 }
const never = new AbortController().signal

/** Where the program lies. */
export function ffmpegPath(): string {
  return execFileSync('which', ['ffmpeg'], { encoding: 'utf8' }).trim()
}

/** The real program, behind its line. */
export class RealConversions {
  readonly converter = new FfmpegConverter({ path: ffmpegPath(), clock: new SystemClock(), log: silentLog })
  readonly segments = new ConvertedSegments({
    clock: new SystemClock(),
    converter: this.converter,
    line: new ConversionLine(new SystemClock()),
  })

  /** A film as it is cut with it; the caller closes its source. */
  async open(path: string, wantsH264 = false): Promise<CutFilm> {
    return CutFilm.open(path, null, { abilities: await this.segments.abilities(), wantsH264 })
  }

  /** Segment `number` of it. */
  segment(film: CutFilm, number: number): Promise<Uint8Array> {
    const making = new SegmentMaking()
    return this.segments.segment(film.job(number), film.plan.byProgram, job => film.made(job, making), never)
  }

  /** What the program itself gives for segment `number`, before it is packed. */
  async output(film: CutFilm, number: number): Promise<Uint8Array> {
    const job = film.job(number)
    const parts = film.plan.byProgram
    const cut = await film.made({ ...job, cut: parts })
    const args = conversionArguments(job.order, parts, this.converter.threads, null)
    return this.converter.convert(args, cut, LIMITS, never)
  }

  /** All of them, the last first, in their order. */
  async all(film: CutFilm): Promise<Uint8Array[]> {
    const made: Uint8Array[] = []
    for (let number = film.plan.cuts.length - 1; number >= 0; number -= 1)
      made.unshift(await this.segment(film, number))
    return made
  }
}
