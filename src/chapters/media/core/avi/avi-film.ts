// Facts of AVI: streams from its head, times and key frames from its index.

import { codecOfCode } from '../codec-names.ts'
import { type FilmFacts, type FilmReading, type FilmTrack, type KeyTable, plainTrack } from '../film-facts.ts'
import { bitrateOf, keyTrackOf, soundDuration, soundHertz } from '../film-parts.ts'
import { KeyGathering } from '../key-table.ts'
import type { MeteredSource } from '../metered-source.ts'
import { OptionalParts } from '../optional-parts.ts'
import { codecOfWaveTag } from '../wave-film.ts'
import { type AviHead, type AviStream, readAviHead } from './avi-head.ts'
import { type AviChunks, indexBytes, MAX_INDEX_BYTES, readAviIndex } from './avi-index.ts'

/** Blocks of its index that are fetched beside it. */
const MARGIN_BYTES = 64 * 1024

/** Reads the facts. Throws DecodeError when its head cannot be read, and what reading that throws. */
export function readAvi(source: MeteredSource): FilmReading {
  const head = readAviHead(source)
  const tracks = head.streams.map((stream, at) => trackOf(stream, at + 1))
  const parts = new OptionalParts()
  source.allow(Math.min(MAX_INDEX_BYTES, indexBytes(head)) + MARGIN_BYTES)
  const chunks = parts.part('Its index', null, () => readAviIndex(source, head))
  const track = keyTrackOf(tracks)
  const keys = chunks === null || track === null ? null : keysOf(head, chunks, track, source.size)
  if (keys === null && parts.missing === null) parts.say('It has no index that can be read: not seekable.')
  const duration = soundDuration(durationOf(head, chunks, track))
  const facts: FilmFacts = {
    container: 'avi',
    fragmented: false,
    duration,
    bitrate: bitrateOf(source.size, duration),
    seek: keys === null ? 'no' : 'keys',
    note: parts.note,
    tracks,
    chapters: [],
    index: head.index === null ? [] : [head.index],
    keys,
  }
  return { facts, missing: parts.missing, fetched: source.fetched }
}

function trackOf({ kind, format }: AviStream, id: number): FilmTrack {
  if (kind === 'vids' && format.length >= 20) {
    const [width, height] = [format.u32le(4), format.u32le(8) | 0]
    const size = { width: width % 0x1_00_00, height: Math.abs(height) % 0x1_00_00 }
    return { ...plainTrack, id, kind: 'video', codec: codecOfCode(format.latin(16, 4)), ...size }
  }
  if (kind === 'auds' && format.length >= 16) {
    const sound = { channels: format.u16le(2), sampleRate: soundHertz(format.u32le(4)) }
    return { ...plainTrack, id, kind: 'audio', codec: codecOfWaveTag(format.u16le(0)), ...sound }
  }
  return { ...plainTrack, id, kind: 'other', codec: 'unknown' }
}

function keysOf(
  { streams }: AviHead,
  chunks: readonly AviChunks[],
  { id, kind }: FilmTrack,
  size: number,
): KeyTable | null {
  const [stream, of] = [streams[id - 1], chunks[id - 1]]
  if (kind !== 'video' || stream === undefined || of === undefined) return null
  const keys = new KeyGathering(id, size)
  for (const frame of of.keys) keys.add(frameTime(stream, frame), of.starts[frame] ?? size)
  return keys.table()
}

/** When a frame is decoded, seconds of the film. */
export function frameTime({ start, scale, rate }: AviStream, frame: number): number {
  return ((start + frame) * scale) / rate
}

/** Seconds of the picture. */
function durationOf({ streams }: AviHead, chunks: readonly AviChunks[] | null, track: FilmTrack | null): number | null {
  const [stream, of] = [streams[(track?.id ?? 0) - 1], chunks?.[(track?.id ?? 0) - 1]]
  if (stream === undefined || of === undefined || track?.kind !== 'video') return null
  return frameTime(stream, of.starts.length)
}
