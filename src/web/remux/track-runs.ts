// A run of one track: from a place on, part by part, until it ends or is left. It runs in the worker.

import { AudioSampleSink, EncodedPacket, EncodedPacketSink } from 'mediabunny'
import { FRAME_SAMPLES, flacFrame, flacHead, MAX_CHANNELS } from '../model/film/flac-frames.ts'
import { type SoundBlock, SoundBlocks } from '../model/film/sound-blocks.ts'
import type { FilmInput } from './film-input.ts'
import { Fragments } from './fragments.ts'
import type { Part } from './messages.ts'

/** Sound begins this much before it is needed: a decoder that has just begun fades in. */
const RUN_UP_SEC = 0.1
/** Sound that begins later than this is missing before. */
const NEAR_SEC = 0.05

/** What a film may say of its sound: gaps become silence of that many samples a second. */
const LEAST_HERTZ = 4000
const MOST_HERTZ = 384_000

function beforeSec(fromSec: number): number {
  return Math.max(0, fromSec - RUN_UP_SEC)
}

/** Pictures from the key frame before `fromSec` on, as they are. */
export async function* videoRun(film: FilmInput, id: number, fromSec: number): AsyncGenerator<Part, void> {
  const track = await film.videoTrack(id)
  const sink = new EncodedPacketSink(track)
  const config = await track.getDecoderConfig()
  const codec = await track.getCodec()
  if (config === null || codec === null) throw new Error('The picture has no configuration.')
  const startSec = await film.startSec()
  const first = (await sink.getKeyPacket(fromSec + startSec)) ?? (await sink.getFirstKeyPacket())
  film.found()
  yield* packetRun(film, sink, first, await Fragments.video(codec, config), startSec)
}

/** Sound from `fromSec` on, as it is. */
export async function* copiedSound(film: FilmInput, id: number, fromSec: number): AsyncGenerator<Part, void> {
  const track = await film.audioTrack(id)
  const sink = new EncodedPacketSink(track)
  const config = await track.getDecoderConfig()
  const codec = await track.getCodec()
  if (config === null || codec === null) throw new Error('The sound has no configuration.')
  const startSec = await film.startSec()
  const first = (await sink.getPacket(beforeSec(fromSec) + startSec)) ?? (await sink.getFirstPacket())
  film.found()
  yield* packetRun(film, sink, first, await Fragments.sound(codec, config), startSec)
}

async function* packetRun(
  { signal }: FilmInput,
  sink: EncodedPacketSink,
  first: EncodedPacket | null,
  fragments: Fragments,
  startSec: number,
): AsyncGenerator<Part, void> {
  try {
    for (let packet = first; packet !== null; packet = await sink.getNextPacket(packet)) {
      signal.throwIfAborted()
      await fragments.add(startSec === 0 ? packet : packet.clone({ timestamp: packet.timestamp - startSec }))
      yield* fragments.take()
    }
    await fragments.finish()
    yield* fragments.take()
  } finally {
    await fragments.cancel()
  }
}

/** Loads what decodes a codec, where that is not the browser. */
export async function loadDecoder(codec: string | null): Promise<void> {
  if (codec === 'ac3' || codec === 'eac3') (await import('./ac3.ts')).registerAc3()
}

/** Sound from `fromSec` on, decoded and made FLAC. */
export async function* convertedSound(film: FilmInput, id: number, fromSec: number): AsyncGenerator<Part, void> {
  const track = await film.audioTrack(id)
  await loadDecoder(await track.getCodec())
  const startSec = await film.startSec()
  const dueSec = beforeSec(fromSec)
  let encoder: FlacRun | null = null
  try {
    for await (const sample of new AudioSampleSink(track).samples(dueSec + startSec)) {
      film.found()
      const { numberOfChannels, numberOfFrames, sampleRate } = sample
      if (!(sampleRate >= LEAST_HERTZ && sampleRate <= MOST_HERTZ))
        throw new Error('The sound has a rate that nothing plays.')
      const atSec = sample.timestamp - startSec
      // Sound that begins later than the film is silent until then.
      const beginsSec = atSec - dueSec > NEAR_SEC ? dueSec : atSec
      encoder ??= await FlacRun.begin(sampleRate, Math.min(numberOfChannels, MAX_CHANNELS), beginsSec)
      const planes = Array.from({ length: encoder.channels }, (_, planeIndex) => {
        const plane = new Float32Array(numberOfFrames)
        // Channels may become fewer within a film: the rest is silent then.
        if (planeIndex < numberOfChannels) sample.copyTo(plane, { planeIndex, format: 'f32-planar' })
        return plane
      })
      sample.close()
      film.signal.throwIfAborted()
      await encoder.add(planes, atSec)
      yield* encoder.fragments.take()
    }
    await encoder?.finish()
    if (encoder !== null) yield* encoder.fragments.take()
  } finally {
    await encoder?.fragments.cancel()
  }
}

/** Decoded sound that becomes FLAC in fragments. */
class FlacRun {
  readonly channels: number
  readonly fragments: Fragments
  readonly #rate: number
  readonly #blocks: SoundBlocks
  #frames = 0

  private constructor(rate: number, channels: number, beginsSec: number, fragments: Fragments) {
    this.channels = channels
    this.fragments = fragments
    this.#rate = rate
    this.#blocks = new SoundBlocks(rate, channels, FRAME_SAMPLES)
    this.#blocks.add([], beginsSec)
  }

  static async begin(rate: number, channels: number, beginsSec: number): Promise<FlacRun> {
    const description = flacHead(rate, channels)
    const config = { codec: 'flac', sampleRate: rate, numberOfChannels: channels, description }
    return new FlacRun(rate, channels, beginsSec, await Fragments.sound('flac', config))
  }

  async add(planes: readonly Float32Array[], atSec: number): Promise<void> {
    this.#blocks.add(planes, atSec)
    for (const block of this.#blocks.take()) await this.#encode(block)
  }

  async finish(): Promise<void> {
    this.#blocks.finish()
    for (const block of this.#blocks.take()) await this.#encode(block)
    await this.fragments.finish()
  }

  async #encode({ planes, at }: SoundBlock): Promise<void> {
    const bytes = flacFrame(planes, this.#rate, this.#frames)
    this.#frames += 1
    await this.fragments.add(new EncodedPacket(bytes, 'key', at / this.#rate, FRAME_SAMPLES / this.#rate))
  }
}
