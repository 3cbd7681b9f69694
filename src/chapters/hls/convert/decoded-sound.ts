// Sound decoded to two channels on the film's own clock.

import { DecodeError } from '../../../base/errors.ts'
import { isAc3Frame } from '../core/ac3.ts'
import { evenTimes } from '../core/even-times.ts'
import type { Sample, SoundSamples } from '../core/samples.ts'
import { stereoOf } from '../core/stereo.ts'
import { Ac3Decoder, type DecodedFrame } from '../coders/ac3-decoder.ts'
import type { CoderModule } from '../coders/coder-module.ts'

/** A piece of it, as the decoder gave it. */
export interface SoundPart {
  /** Hz. */
  readonly rate: number
  /** Place of the first sample on the film's clock. */
  readonly at: number
  readonly left: Float32Array
  readonly right: Float32Array
  /** None that is still to come begins before this place. */
  readonly next: number
  /** Where the last one ends. */
  readonly end: number
}

/**
 * Decodes sound of up to `maxSeconds`, piece by piece, in the memory of `module`; frames that no decoder takes are left
 * out. `check` is called between frames. Throws DecodeError, and what `check` throws.
 */
export function* decodedSound(
  module: CoderModule,
  sound: SoundSamples,
  maxSeconds: number,
  check: () => void,
): Generator<SoundPart, void, undefined> {
  const { codec } = sound
  if (codec !== 'ac3' && codec !== 'eac3') throw new DecodeError(`sound in ${codec} is not decoded`)
  // What is no frame has no time that counts.
  const samples = sound.samples.filter(({ bytes }) => isAc3Frame(bytes))
  const decoder = Ac3Decoder.open(module, codec)
  try {
    let places: Places | null = null
    let seconds = 0
    for (const [number, { bytes }] of samples.entries()) {
      check()
      const frame = decoder.decode(bytes)
      if (frame === null) continue
      seconds += lengthOf(frame) / frame.rate
      if (seconds > maxSeconds) throw new DecodeError('a part of its sound is too long')
      places ??= new Places(samples, frame)
      const [left, right] = stereoOf(frame.channels)
      yield { rate: places.rate, at: places.of(number), left, right, next: places.next(number), end: places.end }
    }
    if (places === null) throw new DecodeError('its sound cannot be decoded')
  } finally {
    decoder.close()
  }
}

function lengthOf({ channels }: DecodedFrame): number {
  return channels[0]?.length ?? 0
}

/** Where frames lie on the film's clock, the rounding of their times taken out: known before they are decoded. */
class Places {
  /** Hz. */
  readonly rate: number
  /** Where the last one ends. */
  readonly end: number
  readonly #at: readonly number[]
  /** The first place of a frame and all behind it. */
  readonly #first: number[]

  /** `frame`: a decoded one of them, as long as all are. */
  constructor(samples: readonly Sample[], frame: DecodedFrame) {
    this.rate = frame.rate
    const length = lengthOf(frame)
    const times = evenTimes(
      samples.map(({ time }) => time),
      length / frame.rate,
    )
    this.#at = times.map(time => Math.round(time * frame.rate))
    this.end = (this.#at.at(-1) ?? 0) + length
    this.#first = [...this.#at]
    for (let at = this.#first.length - 2; at >= 0; at -= 1)
      this.#first[at] = Math.min(this.#first[at] ?? 0, this.#first[at + 1] ?? 0)
  }

  /** Of the frame of this number. */
  of(number: number): number {
    return this.#at[number] ?? 0
  }

  /** No frame behind this one begins before. */
  next(number: number): number {
    return this.#first[number + 1] ?? Number.POSITIVE_INFINITY
  }
}
