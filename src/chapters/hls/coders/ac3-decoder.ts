// Frames of AC-3 and E-AC-3 decoded, one after the other, in the thread that asks.

import { callCoder, type CoderModule, startCoder } from './coder-module.ts'

/** What FFmpeg calls samples of 32-bit numbers, a channel after the other. */
const FLOAT_PLANES = 8
const CODECS = { ac3: 0, eac3: 1 } as const
/** More channels no sound has (E-AC-3 with what it depends on). */
const MAX_CHANNELS = 16
/** Samples of a frame are 256 to 1536. */
const MAX_SAMPLES = 4096

/** Sound of a frame. */
export interface DecodedFrame {
  /** Hz. */
  readonly rate: number
  /** A channel after the other, in the order of WAVE files; in the decoder's memory, and there until the next frame. */
  readonly channels: readonly Float32Array[]
}

/** A decoder. */
export class Ac3Decoder {
  readonly #module: CoderModule
  readonly #context: number

  private constructor(module: CoderModule, context: number) {
    this.#module = module
    this.#context = context
  }

  /** Opens one in the memory of `module`. */
  static open(module: CoderModule, codec: 'ac3' | 'eac3'): Ac3Decoder {
    const context = callCoder(module, 'init_decoder', CODECS[codec])
    if (context === 0) throw new Error('the decoder cannot be opened')
    return new Ac3Decoder(module, context)
  }

  /** The machine code of decoders. */
  static start(): Promise<CoderModule> {
    return startCoder('ac3')
  }

  /** Null: the frame is refused. */
  decode(bytes: Uint8Array): DecodedFrame | null {
    const module = this.#module
    const call = (name: string, ...given: readonly (number | bigint)[]) =>
      callCoder(module, name, this.#context, ...given)
    const place = call('configure_decode_packet', bytes.length)
    if (place === 0) throw new Error('the decoder has no memory')
    module.HEAPU8.set(bytes, place)
    if (call('decode_packet', 0n) < 0 || call('get_decoded_format') !== FLOAT_PLANES) return null
    const [count, samples] = [call('get_decoded_channels'), call('get_decoded_sample_count')]
    if (count < 1 || count > MAX_CHANNELS || samples < 1 || samples > MAX_SAMPLES) return null
    const { buffer } = module.HEAPU8
    const channels = Array.from(
      { length: count },
      (_, at) => new Float32Array(buffer, call('get_decoded_plane_ptr', at), samples),
    )
    return { rate: call('get_decoded_sample_rate'), channels }
  }

  /** Gives its memory back. */
  close(): void {
    callCoder(this.#module, 'close_decoder', this.#context)
  }
}
