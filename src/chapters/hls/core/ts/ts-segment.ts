// A segment as a transport stream: H.264 with AAC or MP3 beside it. Every segment stands alone (tables, parameter sets,
// a key frame first), and joined ones are one stream: times and counters go on.

import { DecodeError } from '../../../../base/errors.ts'
import { adtsFrame, readAacSetup } from '../aac.ts'
import { accessUnit } from '../avc/access-unit.ts'
import { readAvcConfig } from '../avc/avc-config.ts'
import { avcDelay } from '../avc/avc-delay.ts'
import { decodeTimes, fromZero } from '../decode-times.ts'
import { evenTimes } from '../even-times.ts'
import { mp3Setup } from '../mp3.ts'
import {
  MAX_SEGMENT_BYTES,
  type Sample,
  type SegmentSamples,
  type SoundSamples,
  type VideoSamples,
} from '../samples.ts'
import { ticksOf } from '../timeline.ts'
import { elementaryPacket, STREAM } from './elementary.ts'
import { PacketWriter } from './packet-writer.ts'
import { associationTable, PID, programMap, STREAM_TYPE } from './tables.ts'

/** How long before it is decoded a picture is there. */
const AHEAD_TICKS = 27_000
/** Sound is written so long after pictures of its time: libavformat takes the first that it reads for the start of all,
 * and seeks to the wrong place when that is later than the first picture is decoded. */
const SOUND_LATE_TICKS = 13_500
/** What heads and parameter sets may add to the pictures of a segment, bytes. */
const SETS_BYTES = 4 * 1024 * 1024
/** Frames of sound in a packet: some 0.17 s. */
const FRAMES_PER_PACKET = 8
/** How often the tables are there: the counters of their packets fit in every segment. */
const TABLES = 16

/** A packet of an elementary stream, and when it is to be there. */
interface Piece {
  readonly due: number
  readonly pid: number
  readonly payload: Uint8Array
  /** Of pictures: when they are decoded. */
  readonly decoded: number | null
  readonly isKey: boolean
}

/** Packs a segment. Throws DecodeError for pictures and sound that are not what their track says. */
export function tsSegment({ video, sound }: SegmentSamples): Uint8Array {
  const [pictures, packed] = [videoPieces(video), sound === null ? null : soundPieces(sound)]
  const pieces = [...pictures, ...(packed?.pieces ?? [])].sort((a, b) => a.due - b.due)
  const streams: { readonly pid: number; readonly type: number }[] = [{ pid: PID.video, type: STREAM_TYPE.h264 }]
  if (packed !== null) streams.push({ pid: PID.sound, type: packed.type })
  return written(pieces, pictures.length, programMap(streams))
}

function written(pieces: readonly Piece[], pictures: number, map: Uint8Array): Uint8Array {
  const size = pieces.reduce((sum, { payload }) => sum + payload.length, 0)
  const writer = new PacketWriter(Math.ceil(size * 1.06) + 64 * 1024)
  const association = associationTable()
  const last = new Map(pieces.map(({ pid }, at) => [pid, at]))
  let [tables, seen] = [0, 0]
  const writeTables = (count: number): void => {
    for (; tables < count; tables += 1) {
      writer.table(PID.association, association)
      writer.table(PID.map, map)
    }
  }
  writeTables(1)
  for (const [at, { pid, payload, decoded, isKey }] of pieces.entries()) {
    if (pid === PID.video) {
      writeTables(Math.floor((seen * TABLES) / pictures) + 1)
      seen += 1
    }
    const clock = decoded === null ? null : Math.max(0, decoded - AHEAD_TICKS)
    writer.packets(pid, payload, { clock, isEntry: isKey }, last.get(pid) === at)
  }
  writeTables(TABLES)
  return writer.bytes
}

function videoPieces(video: VideoSamples): Piece[] {
  const { samples } = video
  const config = readAvcConfig(video.config)
  const times = samples.map(({ time }) => ticksOf(time))
  const { shown, decoded } = fromZero({
    shown: times,
    decoded: decodeTimes(times, avcDelay(video, config.sequences[0])),
  })
  let made = 0
  return samples.map(({ bytes, isKey }, at) => {
    const [time, due] = [shown[at] ?? 0, decoded[at] ?? 0]
    const payload = elementaryPacket(STREAM.video, time, due, [accessUnit(config, bytes, isKey)])
    // Parameter sets are put before every key frame.
    made += payload.length
    if (made > MAX_SEGMENT_BYTES + SETS_BYTES) throw new DecodeError('a part of it is too long')
    return { due, pid: PID.video, payload, decoded: due, isKey }
  })
}

interface PackedSound {
  readonly type: number
  readonly pieces: readonly Piece[]
}

function soundPieces(sound: SoundSamples): PackedSound {
  if (sound.samples.length === 0) return { type: sound.codec === 'mp3' ? STREAM_TYPE.mp3 : STREAM_TYPE.aac, pieces: [] }
  const { type, frameSeconds, frame } = soundSetup(sound)
  const times = evenTimes(
    sound.samples.map(({ time }) => time),
    frameSeconds,
  )
  const pieces: Piece[] = []
  for (let at = 0; at < times.length; ) {
    const end = runEnd(times, at, frameSeconds)
    const shown = ticksOf(times[at] ?? 0)
    const parts = sound.samples.slice(at, end).map(({ bytes }: Sample) => frame(bytes))
    const payload = elementaryPacket(STREAM.sound, shown, null, parts)
    pieces.push({ due: shown + SOUND_LATE_TICKS, pid: PID.sound, payload, decoded: null, isKey: false })
    at = end
  }
  return { type, pieces }
}

/** Frames of one packet follow each other without a hole: only the first has a time. */
function runEnd(times: readonly number[], first: number, step: number): number {
  let end = first + 1
  while (
    end < times.length &&
    end - first < FRAMES_PER_PACKET &&
    Math.abs((times[end] ?? 0) - (times[end - 1] ?? 0) - step) < step / 100
  )
    end += 1
  return end
}

/** How frames of a sound are packed. */
interface SoundSetup {
  readonly type: number
  readonly frameSeconds: number
  readonly frame: (bytes: Uint8Array) => Uint8Array
}

function soundSetup({ codec, config, samples }: SoundSamples): SoundSetup {
  if (codec === 'mp3') {
    const { frameSeconds, isLow } = mp3Setup(samples[0]?.bytes ?? null)
    return { type: isLow ? STREAM_TYPE.mp3Low : STREAM_TYPE.mp3, frameSeconds, frame: bytes => bytes }
  }
  if (config === null) throw new DecodeError('its sound has no configuration')
  const setup = readAacSetup(config)
  return { type: STREAM_TYPE.aac, frameSeconds: setup.frameSeconds, frame: bytes => adtsFrame(setup, bytes) }
}
