// Sound decoded to two channels on the film's own clock: by the package mediabunny and its extension for AC-3 and
// E-AC-3, which works in a thread of its own.

import {
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
import { evenTimes } from '../core/even-times.ts'
import type { SoundSamples } from '../core/samples.ts'
import { stereoOf } from '../core/stereo.ts'
import { GivenUp } from './given-up.ts'

// What it thinks of a stranger's film is no business of the log.
Logging.level = LogLevel.Silent

/** What RFC 6381 calls the codecs that are decoded. */
const STRINGS = { ac3: 'ac-3', eac3: 'ec-3' } as const
/** The decoder wants to know before it looks; the sound itself says it then. */
const USUAL = { sampleRate: 48_000, numberOfChannels: 2 } as const
/** Long enough for each frame to have a time of its own. */
const FRAME_S = 0.032

/** A piece of it. */
interface SoundPart {
  /** Place of the first sample on the film's clock. */
  readonly at: number
  readonly left: Float32Array
  readonly right: Float32Array
}

/** Sound that was decoded. */
export interface DecodedSound {
  /** Hz. */
  readonly rate: number
  readonly parts: readonly SoundPart[]
}

/** Decodes sound; `check` is called between frames. Rejects with DecodeError, and with what `check` throws. */
export async function decodedSound(sound: SoundSamples, check: () => void): Promise<DecodedSound> {
  const { registerAc3Decoder } = await import('@mediabunny/ac3')
  registerAc3Decoder()
  const input = new Input({ formats: [MATROSKA], source: new BufferSource(await packed(sound)) })
  try {
    return await decodedFrom(input, sound, check)
  } catch (error) {
    if (error instanceof GivenUp) throw error
    // Its own words are for programmers.
    throw new DecodeError('its sound cannot be decoded')
  } finally {
    input.dispose()
  }
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

async function decodedFrom(input: Input, { samples }: SoundSamples, check: () => void): Promise<DecodedSound> {
  const track = await input.getPrimaryAudioTrack()
  if (track === null) throw new DecodeError('its sound cannot be decoded')
  const pairs: [left: Float32Array, right: Float32Array][] = []
  let rate = 0
  for await (const sample of new AudioSampleSink(track).samples()) {
    check()
    const { numberOfFrames, numberOfChannels, sampleRate } = sample
    const channels = Array.from({ length: numberOfChannels }, (_, planeIndex) => {
      const plane = new Float32Array(numberOfFrames)
      sample.copyTo(plane, { planeIndex, format: 'f32-planar' })
      return plane
    })
    sample.close()
    pairs.push(stereoOf(channels))
    rate = sampleRate
  }
  return {
    rate,
    parts: placed(
      pairs,
      samples.map(({ time }) => time),
      rate,
    ),
  }
}

function placed(pairs: readonly [Float32Array, Float32Array][], times: readonly number[], rate: number): SoundPart[] {
  const length = pairs[0]?.[0].length ?? 0
  const even = evenTimes(times.slice(0, pairs.length), rate === 0 ? 0 : length / rate)
  return pairs.map(([left, right], at) => ({ at: Math.round((even[at] ?? 0) * rate), left, right }))
}
