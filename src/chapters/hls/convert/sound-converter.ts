// Sound that players of HLS do not take (AC-3, E-AC-3) made AAC in two channels, on a grid that is the same in every
// segment: two frames before it are encoded too and thrown away, so that what an encoder carries from frame to frame is
// there.

import { DecodeError } from '../../../base/errors.ts'
import type { SegmentOrder, SoundSamples } from '../core/samples.ts'
import { FRAME_SAMPLES, gridPart, type GridPart } from '../core/sound-grid.ts'
import { AacEncoding, type EncodedSound } from './aac-encoding.ts'
import { CoderFailed } from './coder-failed.ts'
import { Ac3Decoder } from '../coders/ac3-decoder.ts'
import type { CoderModule } from '../coders/coder-module.ts'
import { decodedSound, type SoundPart } from './decoded-sound.ts'
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

/** A frame of silence in one channel of 48 kHz, at 32 kbit/s. */
const SILENT_FRAME =
  '0b7796b900402f842903fe757cf9f3e7cf9f3e7cf9f3e7cf9f3e7cf9f3e7cf8cbfba90000036b5ad6b5ad6b5ad6b5a94' +
  '000000dad6b5ad6b5ad6b5ad6a500000036b5ad6b5ad6b5ad6b5a94000000dad6b5ad6b5ad6b5ad6a500000036b5ad6b' +
  '5ad6b5ad6b5a94000000dad6b5ad6b5ad6b5ad6a40000000000000000000b2b0'
const SILENCE: SoundSamples = {
  codec: 'ac3',
  config: null,
  samples: [{ time: 0, isKey: true, bytes: new Uint8Array(Buffer.from(SILENT_FRAME, 'hex')) }],
}
const NO_SOUND: SoundSamples = { codec: 'aac', config: null, samples: [] }

/** Converts sound; the encoder is kept from segment to segment. */
export class SoundConverter {
  #encoding: AacEncoding | null = null
  #decoders: CoderModule | null = null

  /**
   * The sound of a segment as AAC. `sound` reaches over it by the order's margin. `check` is called between frames.
   * Rejects with DecodeError, and with what `check` throws.
   */
  async convert(sound: SoundSamples, order: SegmentOrder, check: () => void): Promise<SoundSamples> {
    if (sound.samples.length === 0) return NO_SOUND
    if (sound.samples.length > MAX_FRAMES) throw new DecodeError('a part of its sound is too long')
    const decoders = await this.#decodersNow()
    try {
      let laid: LaidSound | null = null
      for (const part of decodedSound(decoders, sound, MAX_SOUND_S + 2 * order.soundMargin, check)) {
        if (laid === null) {
          const grid = gridOf(part, order)
          if (grid.end <= grid.first) return NO_SOUND
          laid = new LaidSound(grid, await this.#encodingFor(part.rate), check)
        }
        laid.take(part)
      }
      return laid === null ? NO_SOUND : laid.encoded()
    } catch (error) {
      if (!(error instanceof GivenUp)) this.#drop()
      if (error instanceof DecodeError || error instanceof GivenUp) throw error
      throw error instanceof CoderFailed ? error : new CoderFailed('its sound cannot be decoded')
    }
  }

  /** Starts decoder and encoder, which takes longer than to convert a segment. Rejects as convert(). */
  async warm(): Promise<void> {
    if (this.#encoding !== null) return
    const silence = new Float32Array((RUN_UP + 1) * FRAME_SAMPLES)
    const decoders = await this.#decodersNow()
    for (const _ of decodedSound(decoders, SILENCE, 1, () => undefined));
    const encoding = await this.#encodingFor(USUAL_RATE)
    encoding.encode(silence, silence, () => undefined)
  }

  /** Ends the encoder. */
  end(): void {
    this.#encoding?.end()
    this.#encoding = null
  }

  /** What has failed once gives nothing to the next segment either: its memory goes with it. */
  #drop(): void {
    this.#encoding = null
    this.#decoders = null
  }

  async #decodersNow(): Promise<CoderModule> {
    return (this.#decoders ??= await Ac3Decoder.start())
  }

  async #encodingFor(rate: number): Promise<AacEncoding> {
    if (this.#encoding !== null && this.#encoding.rate !== rate) this.end()
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
  readonly #encoding: AacEncoding
  readonly #grid: GridPart
  readonly #from: number
  readonly #left: Float32Array
  readonly #right: Float32Array
  readonly #sound: EncodedSound

  constructor(grid: GridPart, encoding: AacEncoding, check: () => void) {
    this.#encoding = encoding
    this.#grid = grid
    this.#from = (grid.first - RUN_UP) * FRAME_SAMPLES
    const length = (grid.end + RUN_OUT) * FRAME_SAMPLES - this.#from
    this.#left = new Float32Array(length)
    this.#right = new Float32Array(length)
    this.#sound = encoding.begin(this.#left, this.#right, check)
  }

  /** Puts a part in its place; what cannot change any more is encoded. */
  take({ at, left, right, next }: SoundPart): void {
    const skipped = Math.max(0, this.#from - at)
    const kept = Math.min(left.length, this.#from + this.#left.length - at)
    if (kept > skipped) {
      this.#left.set(left.subarray(skipped, kept), at + skipped - this.#from)
      this.#right.set(right.subarray(skipped, kept), at + skipped - this.#from)
    }
    this.#sound.filled(next - this.#from)
  }

  /** All parts are in their places. */
  encoded(): SoundSamples {
    const { first, end } = this.#grid
    const frames = this.#sound.frames()
    const samples = frames.slice(RUN_UP, RUN_UP + end - first).map((bytes, at) => ({
      time: ((first + at) * FRAME_SAMPLES) / this.#encoding.rate,
      isKey: true,
      bytes,
    }))
    return { codec: 'aac', config: this.#encoding.config, samples }
  }
}
