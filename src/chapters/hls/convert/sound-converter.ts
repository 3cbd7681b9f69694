// Sound that players of HLS do not take (AC-3, E-AC-3) made AAC in two channels, on a grid that is the same in every
// segment: two frames before it are encoded too and thrown away, so that what an encoder carries from frame to frame is
// there.

import { DecodeError } from '../../../base/errors.ts'
import type { SegmentOrder, SoundSamples } from '../core/samples.ts'
import { FRAME_SAMPLES, gridPart, type GridPart } from '../core/sound-grid.ts'
import { AacEncoding, type EncodedSound } from './aac-encoding.ts'
import { decodedSound, type SoundPart, warmDecoder } from './decoded-sound.ts'
import { GivenUp } from './given-up.ts'

/** Frames that are encoded before a segment, and behind it. */
const RUN_UP = 2
const RUN_OUT = 2
/**
 * The longest sound of a segment that is converted, s, which takes some 2.6 s of a processor: times may be a lie, and
 * gaps become silence.
 */
const MAX_SOUND_S = 60
/** Of most films, Hz. */
const USUAL_RATE = 48_000
/** And so many frames, which are 5 to 32 ms long. */
const MAX_FRAMES = 4000

const NO_SOUND: SoundSamples = { codec: 'aac', config: null, samples: [] }

/** Converts sound; the encoder is kept from segment to segment. */
export class SoundConverter {
  #encoding: AacEncoding | null = null

  /**
   * The sound of a segment as AAC. `sound` reaches over it by the order's margin. `check` is called between frames.
   * Rejects with DecodeError, and with what `check` throws.
   */
  async convert(sound: SoundSamples, order: SegmentOrder, check: () => void): Promise<SoundSamples> {
    if (sound.samples.length === 0) return NO_SOUND
    if (sound.samples.length > MAX_FRAMES) throw new DecodeError('a part of its sound is too long')
    let laid: LaidSound | null = null
    try {
      // It is encoded while it is decoded: each has a thread of its own.
      for await (const part of decodedSound(sound, MAX_SOUND_S + 2 * order.soundMargin, check)) {
        if (laid === null) {
          const grid = gridOf(part, order)
          if (grid.end <= grid.first) return NO_SOUND
          laid = new LaidSound(grid, await this.#encodingFor(part.rate), check)
        }
        await laid.take(part)
      }
      if (laid === null) throw new DecodeError('its sound cannot be decoded')
      return await laid.encoded()
    } catch (error) {
      if (laid !== null && !(error instanceof GivenUp)) {
        this.#encoding = null
        await laid.encoding.end()
      }
      throw error
    }
  }

  /** Starts decoder and encoder, which takes longer than to convert a segment. Rejects as convert(). */
  async warm(): Promise<void> {
    if (this.#encoding !== null) return
    const silence = new Float32Array((RUN_UP + 1) * FRAME_SAMPLES)
    const encoding = await this.#encodingFor(USUAL_RATE)
    try {
      await Promise.all([warmDecoder(), encoding.encode(silence, silence, () => undefined)])
    } catch (error) {
      // What has failed once gives nothing to the next segment either.
      this.#encoding = null
      await encoding.end()
      throw error
    }
  }

  /** Ends the encoder. Never rejects. */
  async end(): Promise<void> {
    await this.#encoding?.end()
    this.#encoding = null
  }

  async #encodingFor(rate: number): Promise<AacEncoding> {
    if (this.#encoding !== null && this.#encoding.rate !== rate) {
      await this.#encoding.end()
      this.#encoding = null
    }
    return (this.#encoding ??= await AacEncoding.start(rate))
  }
}

/** The frames of a segment. Throws DecodeError where they are too many, or not as the head of all segments says. */
function gridOf({ rate, end }: SoundPart, order: SegmentOrder): GridPart {
  // The head of all fragments has told players how fast it is.
  if (order.packing === 'fmp4' && rate !== order.soundRate)
    throw new DecodeError(`its sound has ${rate} Hz and not ${order.soundRate}`)
  const grid = gridPart(order.isFirst ? 0 : order.start, Math.min(order.end, end / rate), rate)
  if ((grid.end - grid.first) * FRAME_SAMPLES > MAX_SOUND_S * rate)
    throw new DecodeError('a part of its sound is too long')
  return grid
}

/** Both channels from the run-up to the run-out, on their way to the encoder; silence where there is no sound. */
class LaidSound {
  readonly encoding: AacEncoding
  readonly #grid: GridPart
  readonly #from: number
  readonly #left: Float32Array
  readonly #right: Float32Array
  readonly #sound: EncodedSound

  constructor(grid: GridPart, encoding: AacEncoding, check: () => void) {
    this.encoding = encoding
    this.#grid = grid
    this.#from = (grid.first - RUN_UP) * FRAME_SAMPLES
    const length = (grid.end + RUN_OUT) * FRAME_SAMPLES - this.#from
    this.#left = new Float32Array(length)
    this.#right = new Float32Array(length)
    this.#sound = encoding.begin(this.#left, this.#right, check)
  }

  /** Puts a part in its place; settles when the encoder has taken what cannot change any more. */
  async take({ at, left, right, next }: SoundPart): Promise<void> {
    const skipped = Math.max(0, this.#from - at)
    const kept = Math.min(left.length, this.#from + this.#left.length - at)
    if (kept > skipped) {
      this.#left.set(left.subarray(skipped, kept), at + skipped - this.#from)
      this.#right.set(right.subarray(skipped, kept), at + skipped - this.#from)
    }
    await this.#sound.filled(next - this.#from)
  }

  /** All parts are in their places. */
  async encoded(): Promise<SoundSamples> {
    const { first, end } = this.#grid
    const frames = await this.#sound.frames()
    const samples = frames.slice(RUN_UP, RUN_UP + end - first).map((bytes, at) => ({
      time: ((first + at) * FRAME_SAMPLES) / this.encoding.rate,
      isKey: true,
      bytes,
    }))
    return { codec: 'aac', config: this.encoding.config, samples }
  }
}
