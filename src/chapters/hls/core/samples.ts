// Pictures and sound of one segment as they come out of any container, before they are packed again.

import { DecodeError } from '../../../base/errors.ts'

/** A picture, or a frame of sound. */
export interface Sample {
  /** When it is shown or heard, seconds of the film. */
  readonly time: number
  /** Of pictures: one may begin here. */
  readonly isKey: boolean
  readonly bytes: Uint8Array
}

/** The pictures of a segment. */
export interface VideoSamples {
  /** The configuration record of the codec (avcC, hvcC). */
  readonly config: Uint8Array
  /** Seconds of one picture as the container says it; null = it does not. */
  readonly frameSeconds: number | null
  /** In the order of decoding, the first a key frame. */
  readonly samples: readonly Sample[]
}

/** The sound of a segment. */
export interface SoundSamples {
  readonly codec: string
  /** Of AAC its AudioSpecificConfig, of FLAC and Opus their head; null = the container has none. */
  readonly config: Uint8Array | null
  readonly samples: readonly Sample[]
}

/** All of a segment. */
export interface SegmentSamples {
  readonly video: VideoSamples
  readonly sound: SoundSamples | null
}

/** How segments are packed: MPEG-TS, or fragments of MP4 behind a head of their own. */
export type Packing = 'ts' | 'fmp4'

/** Containers that films are cut out of. */
export type CutContainer = 'mp4' | 'matroska' | 'avi'

/** Which part of which film is wanted. */
export interface SegmentOrder {
  readonly container: CutContainer
  readonly packing: Packing
  /** The head that fragments have in common, and no segment. */
  readonly isHead: boolean
  /** Of the segment, from 0 on. */
  readonly number: number
  /** Pixels of the picture. */
  readonly width: number
  readonly height: number
  /** Number of the track of pictures, and its codec. */
  readonly video: number
  readonly videoCodec: string
  /** Number of the track of sound; null = without. */
  readonly sound: number | null
  /** Its codec; '' without. */
  readonly soundCodec: string
  /** Hz, as the container says it; 0 = it does not. */
  readonly soundRate: number
  /** Sound that is converted is decoded from so long before to so long behind the segment, s; 0 = it is copied. */
  readonly soundMargin: number
  /** It is the first one: sound from before its key frame belongs to it too. */
  readonly isFirst: boolean
  /**
   * Pictures that are decoded behind the next key frame and shown before it are wanted too, with that key frame: they
   * cannot be decoded from it alone. Absent: no.
   */
  readonly withLeading?: boolean
  /** See Cut. */
  readonly start: number
  readonly end: number
  readonly startByte: number
  readonly endByte: number
  readonly backByte: number
}

/** Times that differ by less are one, s: containers round them. */
export const SAME_TIME_S = 0.0005

/**
 * AVI does not say which pictures are shown before the key frame that they are decoded behind: its segments begin so
 * long after their key frame, when all is shown that was decoded before it, s.
 */
export const AVI_LEAD_S = 0.35

/** The longest segment that is made, bytes: ten seconds of 40 Mbit/s. */
export const MAX_SEGMENT_BYTES = 48 * 1024 * 1024
/** The most pictures or frames of sound in one. */
export const MAX_SAMPLES = 20_000

/** The samples, when they are not more than a segment may have. Throws DecodeError. */
export function checkedSamples(samples: readonly Sample[]): readonly Sample[] {
  const bytes = samples.reduce((sum, sample) => sum + sample.bytes.length, 0)
  if (samples.length > MAX_SAMPLES || bytes > MAX_SEGMENT_BYTES)
    throw new DecodeError(`a part of it has ${samples.length} pictures or sounds and ${bytes} bytes`)
  return samples
}

/** When pictures of a segment begin, s: the first one has all that lies before the second. */
export function videoStart({ isFirst, start }: SegmentOrder): number {
  return isFirst ? Number.NEGATIVE_INFINITY : start
}

/** When its sound begins, s. What encoders put before the start of a film is not heard. */
export function soundStart({ isFirst, start, soundMargin }: SegmentOrder): number {
  return isFirst ? -SAME_TIME_S : start - soundMargin
}

/** When it ends, s. */
export function soundEnd({ end, soundMargin }: SegmentOrder): number {
  return end + soundMargin
}
