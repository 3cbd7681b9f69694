// An encoder of AAC that is kept open: the package mediabunny's, in a thread of its own, which takes longer to start
// than to encode a segment. It is fed whole frames, one segment after the other, and gives a frame for each.

import { setTimeout as delay } from 'node:timers/promises'
import { AudioSample, AudioSampleSource, type EncodedPacket, MkvOutputFormat, NullTarget, Output } from 'mediabunny'
import { FRAME_SAMPLES } from '../core/sound-grid.ts'
import { CoderFailed } from './coder-failed.ts'

const BITS_PER_SECOND = 160_000
const CHANNELS = 2
/** Frames that are given to it at a time: some 0.7 s of sound. */
const PORTION = 32
/** So long it may give nothing while it has sound: it takes some milliseconds for a frame. */
const SILENT_MS = 2000
/** The first frame that it gives holds what was before the first that it was fed. */
const DELAY_FRAMES = 1

/** Sound that is being encoded. */
export interface EncodedSound {
  /** So many samples of each channel are there; settles when the encoder has taken what it can of them. */
  filled(samples: number): Promise<void>
  /** All are there: a frame for each but the last two. */
  frames(): Promise<Uint8Array[]>
}

/** An encoder. After a rejection it must be ended, unless said otherwise. */
export class AacEncoding {
  /** Hz. */
  readonly rate: number
  readonly #output: Output
  readonly #source: AudioSampleSource
  #config: Uint8Array | null = null
  #fed = 0
  /** Frames that it has given, those of the segment that is under way kept. */
  #given = 0
  #frames = new Map<number, Uint8Array>()
  #wake: () => void = () => undefined

  private constructor(rate: number) {
    this.rate = rate
    this.#source = new AudioSampleSource({
      codec: 'aac',
      bitrate: BITS_PER_SECOND,
      onEncodedPacket: (packet, meta) => this.#take(packet, meta?.decoderConfig?.description),
    })
    // What it would write is taken before.
    this.#output = new Output({ format: new MkvOutputFormat(), target: new NullTarget() })
    this.#output.addAudioTrack(this.#source)
  }

  /** Starts one for sound of `rate` Hz in two channels. */
  static async start(rate: number): Promise<AacEncoding> {
    const { registerAacEncoder } = await import('@mediabunny/aac-encoder')
    registerAacEncoder()
    const encoding = new AacEncoding(rate)
    await encoding.#output.start()
    return encoding
  }

  /** Its AudioSpecificConfig; null before the first frame. */
  get config(): Uint8Array | null {
    return this.#config
  }

  /** Encodes both channels: see begin(). */
  encode(left: Float32Array, right: Float32Array, check: () => void): Promise<Uint8Array[]> {
    return this.begin(left, right, check).frames()
  }

  /**
   * Begins with both channels, as long as a multiple of a frame, which may be filled while they are encoded. `check` is
   * called between portions; when it throws, the encoder may be kept.
   */
  begin(left: Float32Array, right: Float32Array, check: () => void): EncodedSound {
    const count = left.length / FRAME_SAMPLES
    const first = this.#fed + DELAY_FRAMES
    const wanted = count - 2
    this.#frames = new Map()
    let at = 0
    const filled = async (samples: number): Promise<void> => {
      // Portions are the same however fast it is filled.
      for (let end = 0; at < count; at = end) {
        end = Math.min(count, at + PORTION)
        if (end * FRAME_SAMPLES > samples) return
        check()
        await this.#feed(left, right, at, end)
      }
    }
    const frames = async (): Promise<Uint8Array[]> => {
      await filled(left.length)
      while (this.#given < first + wanted) {
        check()
        await this.#more()
      }
      return Array.from({ length: wanted }, (_, number) => this.#frames.get(first + number) ?? new Uint8Array(0))
    }
    return { filled, frames }
  }

  /** Ends it. Never rejects. */
  async end(): Promise<void> {
    await this.#output.cancel().catch(() => undefined)
  }

  /** Another frame. Rejects with CoderFailed when none comes: an encoder that has failed says nothing. */
  async #more(): Promise<void> {
    const before = this.#given
    const given = new Promise<void>(resolve => (this.#wake = resolve))
    const over = new AbortController()
    const silent = delay(SILENT_MS, undefined, { ref: false, signal: over.signal }).catch(() => undefined)
    await Promise.race([given, silent]).finally(() => over.abort())
    if (this.#given === before) throw new CoderFailed('its sound cannot be encoded')
  }

  async #feed(left: Float32Array, right: Float32Array, from: number, to: number): Promise<void> {
    const length = (to - from) * FRAME_SAMPLES
    const data = new Float32Array(length * CHANNELS)
    data.set(left.subarray(from * FRAME_SAMPLES, to * FRAME_SAMPLES))
    data.set(right.subarray(from * FRAME_SAMPLES, to * FRAME_SAMPLES), length)
    const sample = new AudioSample({
      data,
      format: 'f32-planar',
      numberOfChannels: CHANNELS,
      sampleRate: this.rate,
      timestamp: (this.#fed * FRAME_SAMPLES) / this.rate,
    })
    this.#fed += to - from
    await this.#source.add(sample)
    sample.close()
  }

  #take({ data }: EncodedPacket, description: unknown): void {
    if (description instanceof Uint8Array) this.#config ??= description.slice()
    this.#frames.set(this.#given, data)
    this.#given += 1
    this.#wake()
  }
}
