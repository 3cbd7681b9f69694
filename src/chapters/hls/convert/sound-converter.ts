// Sound that players of HLS do not take (AC-3, E-AC-3) made AAC in two channels, on a grid that is the same in every
// segment: two frames before it are encoded too and thrown away, so that what an encoder carries from frame to frame is
// there.

import { DecodeError } from '../../../base/errors.ts'
import type { SegmentOrder, SoundSamples } from '../core/samples.ts'
import { FRAME_SAMPLES, gridPart, type GridPart } from '../core/sound-grid.ts'
import { AacEncoding } from './aac-encoding.ts'
import { type DecodedSound, decodedSound, warmDecoder } from './decoded-sound.ts'

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

/** Converts sound; the encoder is kept from segment to segment. */
export class SoundConverter {
  #encoding: AacEncoding | null = null

  /**
   * The sound of a segment as AAC. `sound` reaches over it by the order's margin. `check` is called between frames.
   * Rejects with DecodeError, and with what `check` throws.
   */
  async convert(sound: SoundSamples, order: SegmentOrder, check: () => void): Promise<SoundSamples> {
    if (sound.samples.length === 0) return { codec: 'aac', config: null, samples: [] }
    if (sound.samples.length > MAX_FRAMES) throw new DecodeError('a part of its sound is too long')
    const decoded = await decodedSound(sound, MAX_SOUND_S + 2 * order.soundMargin, check)
    const { rate } = decoded
    if (rate === 0) throw new DecodeError('its sound cannot be decoded')
    // The head of all fragments has told players how fast it is.
    if (order.packing === 'fmp4' && rate !== order.soundRate)
      throw new DecodeError(`its sound has ${rate} Hz and not ${order.soundRate}`)
    const part = gridPart(order.isFirst ? 0 : order.start, Math.min(order.end, endOf(decoded)), rate)
    const count = part.end - part.first
    if (count <= 0) return { codec: 'aac', config: null, samples: [] }
    if (count * FRAME_SAMPLES > MAX_SOUND_S * rate) throw new DecodeError('a part of its sound is too long')
    const [left, right] = laidOut(decoded, part)
    const encoding = await this.#encodingFor(rate)
    try {
      const frames = await encoding.encode(left, right, check)
      const samples = frames.slice(RUN_UP, RUN_UP + count).map((bytes, at) => ({
        time: ((part.first + at) * FRAME_SAMPLES) / rate,
        isKey: true,
        bytes,
      }))
      return { codec: 'aac', config: encoding.config, samples }
    } catch (error) {
      this.#encoding = null
      await encoding.end()
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

/** When the sound ends, s. */
function endOf({ rate, parts }: DecodedSound): number {
  const last = parts.at(-1)
  return last === undefined ? 0 : (last.at + last.left.length) / rate
}

/** Both channels from the run-up to the run-out; silence where there is no sound. */
function laidOut({ parts }: DecodedSound, { first, end }: GridPart): [Float32Array, Float32Array] {
  const from = (first - RUN_UP) * FRAME_SAMPLES
  const length = (end + RUN_OUT) * FRAME_SAMPLES - from
  const [left, right] = [new Float32Array(length), new Float32Array(length)]
  for (const part of parts) {
    const skipped = Math.max(0, from - part.at)
    const kept = Math.min(part.left.length, from + length - part.at)
    if (kept <= skipped) continue
    left.set(part.left.subarray(skipped, kept), part.at + skipped - from)
    right.set(part.right.subarray(skipped, kept), part.at + skipped - from)
  }
  return [left, right]
}
