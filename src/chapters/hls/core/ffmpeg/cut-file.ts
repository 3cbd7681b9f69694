// The cut of a segment as ffmpeg is given it: a small Matroska file of our own making (RFC 9559), whatever the film
// lies in. So its reader sees no container of a stranger, and has nothing to seek, to follow or to wait for.

import type { Sample } from '../samples.ts'
import type { SourceTrack } from './source-track.ts'

/** A track of it. */
export interface CutTrack extends SourceTrack {
  readonly kind: 'video' | 'audio'
  /** How long one lasts, s; null = not known. */
  readonly frameSeconds: number | null
  /** In the order of decoding. */
  readonly samples: readonly Sample[]
}

/** Nanoseconds of a tick: finer than containers round. */
const TICK_NS = 10_000
const TICKS_PER_SECOND = 1e9 / TICK_NS
/** No film is that long: its times lie. */
const MAX_TICKS = 2 ** 40
/** Blocks count from their cluster in 16 bits with a sign. */
const MAX_CLUSTER_TICKS = 30_000
const MAX_CLUSTER_BYTES = 1024 * 1024
/** The head of a segment whose length is not known. */
const SEGMENT = '1853806701ffffffffffffff'
const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  entry: 0xae,
  number: 0xd7,
  uid: 0x73c5,
  type: 0x83,
  lacing: 0x9c,
  duration: 0x23e383,
  codecId: 0x86,
  config: 0x63a2,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  audio: 0xe1,
  rate: 0xb5,
  channels: 0x9f,
  bits: 0x6264,
  cluster: 0x1f43b675,
  time: 0xe7,
  simple: 0xa3,
} as const

/** Writes it: `tracks` get the numbers 1, 2, ... Times count from `origin`, s, and are never before it. */
export function cutFile(tracks: readonly CutTrack[], origin: number): Uint8Array<ArrayBuffer> {
  const head = [
    element(ID.ebml, element(ID.docType, Buffer.from('matroska'))),
    Buffer.from(SEGMENT, 'hex'),
    element(ID.info, element(ID.scale, uint(TICK_NS))),
    element(ID.tracks, ...tracks.map((track, at) => entryOf(track, at + 1))),
  ]
  return joined([...head, ...clustersOf(inOrder(tracks), origin)])
}

function entryOf(track: CutTrack, number: number): Uint8Array {
  const { kind, codecId, config, width, height, rate, channels, bits, frameSeconds } = track
  const known = (id: number, value: number): Uint8Array[] => (value > 0 ? [element(id, uint(value))] : [])
  const special =
    kind === 'video'
      ? element(ID.video, ...known(ID.width, width), ...known(ID.height, height))
      : element(ID.audio, element(ID.rate, float(rate)), ...known(ID.channels, channels), ...known(ID.bits, bits))
  return element(
    ID.entry,
    element(ID.number, uint(number)),
    element(ID.uid, uint(number)),
    element(ID.type, uint(kind === 'video' ? 1 : 2)),
    element(ID.lacing, uint(0)),
    ...known(ID.duration, Math.round((frameSeconds ?? 0) * 1e9)),
    element(ID.codecId, Buffer.from(codecId)),
    ...(config === null ? [] : [element(ID.config, config)]),
    special,
  )
}

/** A sample with the number of its track. */
interface Placed {
  readonly number: number
  readonly sample: Sample
  /** The latest time up to it, s. */
  readonly latest: number
}

/** Pictures in the order of decoding, and sound before the first picture that is shown later. */
function inOrder(tracks: readonly CutTrack[]): Placed[] {
  const lists = tracks.map(({ samples }, at) => {
    let latest = Number.NEGATIVE_INFINITY
    return samples.map(sample => {
      latest = Math.max(latest, sample.time)
      return { number: at + 1, sample, latest }
    })
  })
  return lists.flat().toSorted((a, b) => a.latest - b.latest)
}

/** Their parts, one after the other: samples are copied once, into the file. */
function clustersOf(placed: readonly Placed[], origin: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  let [blocks, base, bytes]: [Uint8Array[], number, number] = [[], 0, 0]
  const end = (): void => {
    if (blocks.length > 0) {
      const time = element(ID.time, uint(base))
      parts.push(headOf(ID.cluster, lengthOf([time, ...blocks])), time, ...blocks)
    }
    blocks = []
  }
  for (const { number, sample } of placed) {
    const ticks = Math.min(MAX_TICKS, Math.max(0, Math.round((sample.time - origin) * TICKS_PER_SECOND)))
    if (blocks.length === 0 || Math.abs(ticks - base) > MAX_CLUSTER_TICKS || bytes > MAX_CLUSTER_BYTES) {
      end()
      base = ticks
      bytes = 0
    }
    const head = Buffer.alloc(4)
    head[0] = 0x80 | number
    head.writeInt16BE(ticks - base, 1)
    head[3] = sample.isKey ? 0x80 : 0
    blocks.push(headOf(ID.simple, head.length + sample.bytes.length), head, sample.bytes)
    bytes += sample.bytes.length
  }
  end()
  return parts
}

function element(id: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return joined([headOf(id, lengthOf(parts)), ...parts])
}

/** The head of an element; lengths are always 8 bytes long. */
function headOf(id: number, length: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUIntBE(length, 2, 6)
  bytes[0] = 1
  return Buffer.concat([uint(id), bytes])
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}

/** In a memory of their own, which can be handed over. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthOf(parts))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Big-endian, without zeros before it. */
function uint(value: number): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}
