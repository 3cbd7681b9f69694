// A segment from a source of bytes: the whole work of a thread, callable without one.

import { DecodeError } from '../../../base/errors.ts'
import { type ByteSource, NotHere, OverBudget, ReadFailed } from '../../media/core/byte-source.ts'
import { stereoConfig } from '../core/aac.ts'
import { type AviFilm, aviSamples, aviTrack, readAviFilm } from '../core/avi/avi-samples.ts'
import { withConverted } from '../core/ffmpeg/converted-file.ts'
import { matroskaTrack, mp4Track, type SourceTrack } from '../core/ffmpeg/source-track.ts'
import { fmp4Init, fmp4Segment } from '../core/fmp4/fmp4-segment.ts'
import { matroskaHead, matroskaSamples } from '../core/matroska/matroska-samples.ts'
import { mp4Samples } from '../core/mp4/mp4-samples.ts'
import { type MovieHead, movieTrack, readMovieHead } from '../core/mp4/movie-head.ts'
import type { SegmentOrder, SegmentSamples } from '../core/samples.ts'
import { tsSegment } from '../core/ts/ts-segment.ts'
import { CoderFailed } from './coder-failed.ts'
import { cutOf } from './cut-segment.ts'
import { GivenUp } from './given-up.ts'
import type { SoundConverter } from './sound-converter.ts'
import type { SegmentJob, SegmentOutcome } from './thread-messages.ts'

/** Makes segments; the index of the last film is kept, which players ask for again and again. */
export class SegmentMaking {
  #converter: SoundConverter | null = null
  #movie: { readonly tag: string; readonly head: MovieHead } | null = null
  #avi: { readonly tag: string; readonly film: AviFilm } | null = null

  /** Makes one. `check` is called now and then, and throws GivenUp. Rejects only for bugs. */
  async make(job: SegmentJob, source: ByteSource, check: () => void): Promise<SegmentOutcome> {
    const checked: ByteSource = {
      size: source.size,
      read(start, end) {
        check()
        return source.read(start, end)
      },
    }
    try {
      check()
      const { order, cut, converted } = job
      const read = this.#samples(job, checked)
      if (cut !== undefined) {
        const trackOf = (number: number, codec: string): SourceTrack => this.#track(job, checked, number, codec)
        return { kind: 'made', bytes: cutOf(trackOf, order, cut, read) }
      }
      const given = converted === undefined ? read : withConverted(read, order, converted.parts, converted.bytes)
      const samples = await this.#withSound(given, order, check)
      check()
      return { kind: 'made', bytes: new Uint8Array(packed(samples, order)) }
    } catch (error) {
      return outcomeOf(error)
    }
  }

  /** Loads what conversions need, which takes longer than one of them. Never rejects: the next one says why. */
  async warm(): Promise<void> {
    await (await this.#converterNow()).warm().catch(() => undefined)
  }

  /** Ends what conversions have started. */
  end(): void {
    this.#converter?.end()
    this.#converter = null
  }

  /** With sound that players take. */
  async #withSound(samples: SegmentSamples, order: SegmentOrder, check: () => void): Promise<SegmentSamples> {
    const { video, sound } = samples
    if (sound === null || order.soundMargin === 0 || sound.codec === 'aac') return samples
    if (order.isHead) return { video, sound: { codec: 'aac', config: stereoConfig(order.soundRate), samples: [] } }
    const converter = await this.#converterNow()
    return { video, sound: await converter.convert(sound, order, check) }
  }

  /** Most films never need it. */
  async #converterNow(): Promise<SoundConverter> {
    const { SoundConverter: Converter } = await import('./sound-converter.ts')
    return (this.#converter ??= new Converter())
  }

  #samples({ tag, order }: SegmentJob, source: ByteSource): SegmentSamples {
    if (order.container === 'matroska')
      return order.isHead ? matroskaHead(source, order) : matroskaSamples(source, order)
    if (order.container === 'avi') return aviSamples(source, this.#aviOf(tag, source), order)
    return mp4Samples(source, this.#movieOf(tag, source), order)
  }

  /** A track as another program has it. */
  #track({ tag, order }: SegmentJob, source: ByteSource, number: number, codec: string): SourceTrack {
    if (order.container === 'matroska') return matroskaTrack(source, number)
    if (order.container === 'avi') return aviTrack(this.#aviOf(tag, source), number, codec)
    return mp4Track(movieTrack(this.#movieOf(tag, source), number), codec)
  }

  #movieOf(tag: string, source: ByteSource): MovieHead {
    if (this.#movie?.tag !== tag) {
      this.#forget()
      this.#movie = { tag, head: readMovieHead(source) }
    }
    return this.#movie.head
  }

  #aviOf(tag: string, source: ByteSource): AviFilm {
    if (this.#avi?.tag !== tag) {
      this.#forget()
      this.#avi = { tag, film: readAviFilm(source) }
    }
    return this.#avi.film
  }

  /** One index at a time: they have megabytes. */
  #forget(): void {
    this.#movie = null
    this.#avi = null
  }
}

function packed(samples: SegmentSamples, order: SegmentOrder): Uint8Array {
  if (order.packing === 'ts') return tsSegment(samples)
  return order.isHead ? fmp4Init(samples, order) : fmp4Segment(samples, order)
}

function outcomeOf(error: unknown): SegmentOutcome {
  if (error instanceof GivenUp) return { kind: 'given-up' }
  if (error instanceof NotHere) return { kind: 'missing', range: error.range }
  if (error instanceof ReadFailed) return { kind: 'failed', why: error.message }
  if (error instanceof CoderFailed) return { kind: 'unreadable', why: error.message, isSpoilt: true }
  if (error instanceof DecodeError || error instanceof OverBudget) return { kind: 'unreadable', why: error.message }
  throw error
}
