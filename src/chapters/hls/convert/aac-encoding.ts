// An encoder of AAC that is kept open: it is fed whole frames, one segment after the other, and gives a frame for each.

import { FRAME_SAMPLES } from '../core/sound-grid.ts'
import { CoderFailed } from './coder-failed.ts'
import { callCoder, type CoderModule, startCoder } from '../coders/coder-module.ts'

const BITS_PER_SECOND = 160_000
const CHANNELS = 2
const FLOAT_BYTES = 4
/** The first frame that it gives holds what was before the first that it was fed. */
const DELAY_FRAMES = 1
/** Of a frame of two channels at any rate: 768 bytes a channel are the most (ISO/IEC 14496-3). */
const MAX_FRAME_BYTES = 8192

/** Sound that is being encoded. */
export interface EncodedSound {
  /** So many samples of each channel are there: what can be encoded of them is. */
  filled(samples: number): void
  /** All are there: a frame for each but the last two. */
  frames(): Uint8Array[]
}

/** An encoder. After CoderFailed it must be ended, unless said otherwise. */
export class AacEncoding {
  /** Hz. */
  readonly rate: number
  /** Its AudioSpecificConfig. */
  readonly config: Uint8Array
  readonly #module: CoderModule
  readonly #context: number
  #fed = 0
  /** Frames that it has given, those of the segment that is under way kept. */
  #given = 0
  #frames = new Map<number, Uint8Array>()

  private constructor(rate: number, module: CoderModule, context: number) {
    this.rate = rate
    this.#module = module
    this.#context = context
    const place = this.#call('get_encoder_extradata')
    this.config = module.HEAPU8.slice(place, place + this.#call('get_encoder_extradata_size'))
  }

  /** Starts one for sound of `rate` Hz in two channels. Rejects with CoderFailed. */
  static async start(rate: number): Promise<AacEncoding> {
    const module = await startCoder('aac')
    const context = callCoder(module, 'init_encoder', CHANNELS, rate, BITS_PER_SECOND)
    if (context === 0) throw new CoderFailed(`its sound of ${rate} Hz cannot be encoded`)
    return new AacEncoding(rate, module, context)
  }

  /** Encodes both channels: see begin(). */
  encode(left: Float32Array, right: Float32Array, check: () => void): Uint8Array[] {
    return this.begin(left, right, check).frames()
  }

  /**
   * Begins with both channels, as long as a multiple of a frame, which may be filled while they are encoded. `check` is
   * called between frames; when it throws, the encoder may be kept.
   */
  begin(left: Float32Array, right: Float32Array, check: () => void): EncodedSound {
    const count = left.length / FRAME_SAMPLES
    const first = this.#fed + DELAY_FRAMES
    const wanted = count - 2
    this.#frames = new Map()
    let at = 0
    const filled = (samples: number): void => {
      for (; at < count && (at + 1) * FRAME_SAMPLES <= samples; at += 1) {
        check()
        this.#feed(left, right, at * FRAME_SAMPLES)
      }
    }
    const frames = (): Uint8Array[] => {
      filled(left.length)
      if (this.#given < first + wanted) throw new CoderFailed('its sound cannot be encoded')
      return Array.from({ length: wanted }, (_, number) => this.#frames.get(first + number) ?? new Uint8Array(0))
    }
    return { filled, frames }
  }

  /** Ends it. */
  end(): void {
    this.#call('close_encoder')
  }

  #call(name: string, ...given: readonly (number | bigint)[]): number {
    return callCoder(this.#module, name, this.#context, ...given)
  }

  #feed(left: Float32Array, right: Float32Array, from: number): void {
    const place = this.#call('get_encode_input_ptr', FRAME_SAMPLES * CHANNELS * FLOAT_BYTES)
    if (place === 0) throw new CoderFailed('the encoder has no memory')
    const input = new Float32Array(this.#module.HEAPU8.buffer, place, FRAME_SAMPLES * CHANNELS)
    for (let sample = 0; sample < FRAME_SAMPLES; sample += 1) {
      input[2 * sample] = left[from + sample] ?? 0
      input[2 * sample + 1] = right[from + sample] ?? 0
    }
    if (this.#call('send_frame', BigInt(this.#fed * FRAME_SAMPLES)) < 0)
      throw new CoderFailed('its sound cannot be encoded')
    this.#fed += 1
    this.#take()
  }

  #take(): void {
    for (let size = this.#call('receive_packet'); size !== 0; size = this.#call('receive_packet')) {
      if (size < 0 || size > MAX_FRAME_BYTES) throw new CoderFailed('its sound cannot be encoded')
      const place = this.#call('get_encoded_data')
      this.#frames.set(this.#given, this.#module.HEAPU8.slice(place, place + size))
      this.#given += 1
    }
  }
}
