// Sound decoded to two channels on the film's own clock: by the package mediabunny and its extension for AC-3 and
// E-AC-3, which works in a thread of its own.

import {
  type AudioSample,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Input,
  AudioSampleSink,
  Logging,
  LogLevel,
  MATROSKA,
  MkvOutputFormat,
  Output,
} from 'mediabunny'
import { DecodeError } from '../../../base/errors.ts'
import { isAc3Frame } from '../core/ac3.ts'
import { evenTimes } from '../core/even-times.ts'
import type { Sample, SoundSamples } from '../core/samples.ts'
import { stereoOf } from '../core/stereo.ts'
import { CoderFailed } from './coder-failed.ts'
import { GivenUp } from './given-up.ts'

// What it thinks of a stranger's film is no business of the log.
Logging.level = LogLevel.Silent

/** What RFC 6381 calls the codecs that are decoded. */
const STRINGS = { ac3: 'ac-3', eac3: 'ec-3' } as const
/** The decoder wants to know before it looks; the sound itself says it then. */
const USUAL = { sampleRate: 48_000, numberOfChannels: 2 } as const
/** A decoded frame is known by its time; none lasts nearly so long. */
const FRAME_S = 1
/** A frame of silence in one channel of 48 kHz, at 32 kbit/s. */
const SILENT_FRAME =
  '0b7796b900402f842903fe757cf9f3e7cf9f3e7cf9f3e7cf9f3e7cf9f3e7cf8cbfba90000036b5ad6b5ad6b5ad6b5a94' +
  '000000dad6b5ad6b5ad6b5ad6a500000036b5ad6b5ad6b5ad6b5a94000000dad6b5ad6b5ad6b5ad6a500000036b5ad6b' +
  '5ad6b5ad6b5a94000000dad6b5ad6b5ad6b5ad6a40000000000000000000b2b0'

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
 * Decodes sound of up to `maxSeconds`, piece by piece; frames that no decoder takes are left out. `check` is called
 * between frames. Throws DecodeError, CoderFailed where a frame is refused after all, and what `check` throws.
 */
export async function* decodedSound(
  sound: SoundSamples,
  maxSeconds: number,
  check: () => void,
): AsyncGenerator<SoundPart, void, undefined> {
  const { registerAc3Decoder } = await import('@mediabunny/ac3')
  registerAc3Decoder()
  // The package does not get over a frame that is refused, and leaves a rejection behind that nobody can hear of.
  const frames = { ...sound, samples: sound.samples.filter(({ bytes }) => isAc3Frame(bytes)) }
  if (frames.samples.length === 0) throw new DecodeError('its sound cannot be decoded')
  const input = new Input({ formats: [MATROSKA], source: new BufferSource(await packed(frames)) })
  try {
    yield* decodedFrom(input, frames, maxSeconds, check)
  } catch (error) {
    if (error instanceof GivenUp || error instanceof DecodeError) throw error
    // Its own words are for programmers.
    throw new CoderFailed('its sound cannot be decoded')
  } finally {
    input.dispose()
  }
}

/** Starts the decoder, which is kept then. Rejects as decodedSound(). */
export async function warmDecoder(): Promise<void> {
  const frame = { time: 0, isKey: true, bytes: new Uint8Array(Buffer.from(SILENT_FRAME, 'hex')) }
  for await (const _ of decodedSound({ codec: 'ac3', config: null, samples: [frame] }, 1, () => undefined));
}

/** The decoder reads files, so the frames are put into one, in memory. */
async function packed({ codec, samples }: SoundSamples): Promise<ArrayBuffer> {
  if (codec !== 'ac3' && codec !== 'eac3') throw new DecodeError(`sound in ${codec} is not decoded`)
  const target = new BufferTarget()
  const output = new Output({ format: new MkvOutputFormat(), target })
  const source = new EncodedAudioPacketSource(codec)
  output.addAudioTrack(source)
  await output.start()
  const meta = { decoderConfig: { codec: STRINGS[codec], ...USUAL } }
  for (const [at, { bytes }] of samples.entries())
    await source.add(new EncodedPacket(bytes, 'key', at * FRAME_S, FRAME_S), at === 0 ? meta : undefined)
  await output.finalize()
  return target.buffer ?? new ArrayBuffer(0)
}

async function* decodedFrom(
  input: Input,
  { samples }: SoundSamples,
  maxSeconds: number,
  check: () => void,
): AsyncGenerator<SoundPart, void, undefined> {
  const track = await input.getPrimaryAudioTrack()
  if (track === null) throw new DecodeError('its sound cannot be decoded')
  let places: Places | null = null
  let seconds = 0
  for await (const sample of new AudioSampleSink(track).samples()) {
    try {
      check()
      // One that gives nothing must not move those that follow.
      const number = Math.round((sample.timestamp * sample.sampleRate) / USUAL.sampleRate / FRAME_S)
      seconds += sample.numberOfFrames / sample.sampleRate
      if (seconds > maxSeconds) throw new DecodeError('a part of its sound is too long')
      places ??= new Places(samples, sample)
      const at = places.of(number)
      const [left, right] = stereoIn(sample)
      if (at !== undefined) yield { rate: places.rate, at, left, right, next: places.next(number), end: places.end }
    } finally {
      sample.close()
    }
  }
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

  /** `sample`: a decoded one of them, as long as all are. */
  constructor(samples: readonly Sample[], { sampleRate, numberOfFrames }: AudioSample) {
    this.rate = sampleRate
    const times = evenTimes(
      samples.map(({ time }) => time),
      numberOfFrames / sampleRate,
    )
    this.#at = times.map(time => Math.round(time * sampleRate))
    this.end = (this.#at.at(-1) ?? 0) + numberOfFrames
    this.#first = [...this.#at]
    for (let at = this.#first.length - 2; at >= 0; at -= 1)
      this.#first[at] = Math.min(this.#first[at] ?? 0, this.#first[at + 1] ?? 0)
  }

  /** Undefined: there is no such frame. */
  of(number: number): number | undefined {
    return this.#at[number]
  }

  /** No frame behind this one begins before. */
  next(number: number): number {
    return this.#first[number + 1] ?? Number.POSITIVE_INFINITY
  }
}

/** Both channels. */
function stereoIn(sample: AudioSample): [left: Float32Array, right: Float32Array] {
  const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
    const plane = new Float32Array(sample.numberOfFrames)
    sample.copyTo(plane, { planeIndex, format: 'f32-planar' })
    return plane
  })
  return stereoOf(channels)
}
