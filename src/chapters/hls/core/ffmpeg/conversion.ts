// One conversion: which part of a segment ffmpeg is given, by which clock, and what it does with it. Times that
// it sees count from an origin some seconds before the segment, so that none is negative.

import { DecodeError } from '../../../../base/errors.ts'
import { SAME_TIME_S, type SegmentOrder } from '../samples.ts'
import { FRAME_SAMPLES, type GridPart, gridPart } from '../sound-grid.ts'
import { convertedRate, MAX_PIXELS, PROGRAM_PICTURE, PROGRAM_SOUND } from './codecs.ts'

/** What of a segment is converted: codecs by the names of facts, null = nothing of it. */
export interface ConvertedParts {
  readonly picture: string | null
  readonly sound: string | null
}

/** Frames of sound that are encoded before a segment: what an encoder carries from frame to frame is there then. */
export const RUN_UP_FRAMES = 2
/** How long before the first moment of a conversion its clock begins, s. */
const ORIGIN_S = 10
/** Frames behind the segment that the encoder may take in too. */
const RUN_OUT_FRAMES = 2
const SOUND_BITS_PER_SECOND = 160_000
/** Of pictures: quality, and what they may take at most. */
const QUALITY = '23'
/** Bits/s. */
export const PICTURE_BITS_PER_SECOND = 8_000_000

/** The frames of converted sound that a segment has; `end` of the last segment is Infinity. */
export function soundPartOf(order: SegmentOrder): GridPart {
  const rate = convertedRate(order.soundRate)
  const { first } = gridPart(order.isFirst ? 0 : order.start, 0, rate)
  return order.end === Number.POSITIVE_INFINITY
    ? { first, end: order.end }
    : { first, end: gridPart(0, order.end, rate).end }
}

/** Where the clock of a conversion begins, s of the film: a whole number of samples before its first one. */
export function originOf(order: SegmentOrder, { sound }: ConvertedParts): number {
  return (sound === null ? order.start : firstSample(order) / convertedRate(order.soundRate)) - ORIGIN_S
}

function firstSample(order: SegmentOrder): number {
  return (soundPartOf(order).first - RUN_UP_FRAMES) * FRAME_SAMPLES
}

/**
 * The arguments of ffmpeg for one: Matroska by standard input, and Matroska by standard output. `seconds`: of the
 * segment; null = all. Throws DecodeError for codecs that are not converted.
 */
export function conversionArguments(
  order: SegmentOrder,
  parts: ConvertedParts,
  threads: number,
  seconds: number | null,
): string[] {
  const { picture, sound } = parts
  const decoders = [decodersOf(PROGRAM_PICTURE, picture), decodersOf(PROGRAM_SOUND, sound)].flat()
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-copyts'],
    ...['-protocol_whitelist', 'pipe', '-format_whitelist', 'matroska', '-codec_whitelist', decoders.join(',')],
    ...(picture === null ? [] : ['-max_pixels', String(MAX_PIXELS)]),
    ...['-threads', String(picture === null ? 1 : threads), '-f', 'matroska', '-i', 'pipe:0'],
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-sn', '-dn'],
    ...(picture === null ? ['-vn'] : pictureArguments(order, originOf(order, parts), threads, seconds)),
    ...(sound === null ? ['-an'] : soundArguments(order)),
    ...['-f', 'matroska', 'pipe:1'],
  ]
}

function decodersOf(table: ReadonlyMap<string, readonly string[]>, codec: string | null): readonly string[] {
  if (codec === null) return []
  const decoders = table.get(codec)
  if (decoders === undefined) throw new DecodeError(`${codec} is not converted`)
  return decoders
}

/** Each segment begins with a key frame and has no other; no picture is decoded ahead of one shown before it. */
function pictureArguments(order: SegmentOrder, origin: number, threads: number, seconds: number | null): string[] {
  const start = order.isFirst ? null : order.start - origin - SAME_TIME_S
  const end = Math.min(order.end, seconds === null ? Number.POSITIVE_INFINITY : order.start + seconds)
  const limits = [
    ...(start === null ? [] : [`start=${start.toFixed(6)}`]),
    ...(end === Number.POSITIVE_INFINITY ? [] : [`end=${(end - origin - SAME_TIME_S).toFixed(6)}`]),
  ]
  const filters = [
    'yadif=deint=interlaced',
    ...(limits.length === 0 ? [] : [`trim=${limits.join(':')}`]),
    'crop=trunc(iw/2)*2:trunc(ih/2)*2',
    'format=yuv420p',
  ]
  const rate = String(PICTURE_BITS_PER_SECOND)
  return [
    ...['-map', '0:v:0', '-vf', filters.join(','), '-c:v', 'libx264', '-preset', 'superfast', '-profile:v', 'high'],
    // Times as they are, not those of an even number of pictures a second; levels beyond 1080p are not played by all.
    ...['-level:v', '4.2', '-enc_time_base:v', '1:90000'],
    ...['-crf', QUALITY, '-maxrate', rate, '-bufsize', rate, '-bf', '0', '-g', '100000', '-sc_threshold', '0'],
    ...['-threads:v', String(threads)],
  ]
}

/** Two channels from the first sample of the run-up on, exactly; holes become silence. */
function soundArguments(order: SegmentOrder): string[] {
  const rate = convertedRate(order.soundRate)
  const { first, end } = soundPartOf(order)
  const count = (end - first + RUN_UP_FRAMES + RUN_OUT_FRAMES) * FRAME_SAMPLES
  const filters = [
    `aresample=${rate}`,
    'aformat=sample_fmts=fltp:channel_layouts=stereo',
    `aresample=async=1:min_comp=0.00001:min_hard_comp=0.02:first_pts=${ORIGIN_S * rate}`,
    ...(Number.isFinite(count) ? [`atrim=end_pts=${ORIGIN_S * rate + count}`] : []),
  ]
  const encoder = ['-c:a', 'aac', '-b:a', String(SOUND_BITS_PER_SECOND), '-ar', String(rate), '-ac', '2']
  return ['-map', '0:a:0?', '-af', filters.join(','), ...encoder]
}
