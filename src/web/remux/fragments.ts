// Packets of one track as fragmented MP4, by the package mediabunny: times are those of the film.

import {
  type AudioCodec,
  type EncodedPacket,
  EncodedAudioPacketSource,
  EncodedVideoPacketSource,
  type InputAudioTrack,
  type InputVideoTrack,
  Mp4OutputFormat,
  NullTarget,
  Output,
  type VideoCodec,
} from 'mediabunny'
import type { Part } from './messages.ts'

/** A fragment of sound: short, a film begins with its first. Of pictures one begins with each key frame, not sooner. */
const FRAGMENT_SEC = 0.5

/** What a decoder of a track is made with: browsers have types for it, Node has none. */
type ConfigOf<Track extends InputVideoTrack | InputAudioTrack> = NonNullable<
  Awaited<ReturnType<Track['getDecoderConfig']>>
>

/** Of packets that are no part yet: a part ends with a key frame, and films have 2 to 40 MB between two of them. */
const MAX_PART_BYTES = 96 * 1024 * 1024

/** The same, whatever they weigh: films may say that a packet takes no time. */
const MAX_PART_PACKETS = 20_000

/** How packets go in. */
type Add = (packet: EncodedPacket, isFirst: boolean) => Promise<void>

/** Takes packets, gives parts. */
export class Fragments {
  readonly #output: Output
  readonly #chunks: Uint8Array[] = []
  readonly #ready: Part[] = []
  #add: Add = async () => undefined
  #complete = 0
  #endSec = 0
  #isFirst = true
  /** Bytes of packets that are not in a part yet. */
  #held = 0
  #heldPackets = 0

  private constructor() {
    const note = (bytes: Uint8Array) => {
      this.#chunks.push(bytes)
    }
    const format = new Mp4OutputFormat({
      fastStart: 'fragmented',
      minimumFragmentDuration: FRAGMENT_SEC,
      onFtyp: note,
      onMoov: note,
      onMoof: note,
      onMdat: bytes => {
        note(bytes)
        this.#complete = this.#chunks.length
      },
    })
    this.#output = new Output({ format, target: new NullTarget() })
  }

  /** Of pictures. */
  static async video(codec: VideoCodec, decoderConfig: ConfigOf<InputVideoTrack>): Promise<Fragments> {
    const fragments = new Fragments()
    const source = new EncodedVideoPacketSource(codec)
    fragments.#output.addVideoTrack(source)
    await fragments.#output.start()
    fragments.#add = (packet, isFirst) => source.add(packet, isFirst ? { decoderConfig } : undefined)
    return fragments
  }

  /** Of sound. */
  static async sound(codec: AudioCodec, decoderConfig: ConfigOf<InputAudioTrack>): Promise<Fragments> {
    const fragments = new Fragments()
    const source = new EncodedAudioPacketSource(codec)
    fragments.#output.addAudioTrack(source)
    await fragments.#output.start()
    fragments.#add = (packet, isFirst) => source.add(packet, isFirst ? { decoderConfig } : undefined)
    return fragments
  }

  /** Adds a packet, in the order of decoding. */
  async add(packet: EncodedPacket): Promise<void> {
    this.#held += packet.byteLength
    this.#heldPackets += 1
    if (this.#held > MAX_PART_BYTES || this.#heldPackets > MAX_PART_PACKETS)
      throw new Error('The key frames of the film are too far apart to be repacked.')
    await this.#add(packet, this.#isFirst)
    this.#isFirst = false
    // A fragment ends where the packet that begins the next one does.
    this.#collect(packet.timestamp)
    this.#endSec = Math.max(this.#endSec, packet.timestamp + packet.duration)
  }

  /** Makes a part of what is left. */
  async finish(): Promise<void> {
    await this.#output.finalize()
    this.#collect(this.#endSec)
  }

  /** Lets go of what was not made a part. */
  async cancel(): Promise<void> {
    if (this.#output.state === 'started') await this.#output.cancel()
  }

  /** Parts that are whole, each once. */
  take(): Part[] {
    return this.#ready.splice(0)
  }

  #collect(endSec: number): void {
    if (this.#complete === 0) return
    this.#held = 0
    this.#heldPackets = 0
    this.#ready.push({ bytes: joined(this.#chunks.splice(0, this.#complete)), endSec })
    this.#complete = 0
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
