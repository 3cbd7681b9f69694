// The cut of a segment for another program: the samples of what it is to convert, in a file of our own making.

import { DecodeError } from '../../../base/errors.ts'
import { type ConvertedParts, originOf } from '../core/ffmpeg/conversion.ts'
import { cutFile, type CutTrack } from '../core/ffmpeg/cut-file.ts'
import type { SourceTrack } from '../core/ffmpeg/source-track.ts'
import { evenTimes } from '../core/even-times.ts'
import type { Sample, SegmentOrder, SegmentSamples, VideoSamples } from '../core/samples.ts'

/** The most of a cut, bytes: sixteen seconds of 16 Mbit/s. Several wait at a time, each beside the program's memory. */
const MAX_CUT_BYTES = 32 * 1024 * 1024
/** How far from a whole number of samples the length of a frame may be measured. */
const SAME_SAMPLES = 0.2

/** `trackOf`: a track of the film by its number and codec. Empty: there is nothing to convert. Throws DecodeError. */
export function cutOf(
  trackOf: (number: number, codec: string) => SourceTrack,
  order: SegmentOrder,
  parts: ConvertedParts,
  { video, sound }: SegmentSamples,
): Uint8Array<ArrayBuffer> {
  const tracks: CutTrack[] = []
  if (parts.picture !== null)
    tracks.push({
      ...trackOf(order.video, parts.picture),
      kind: 'video',
      frameSeconds: frameSecondsOf(video),
      samples: video.samples,
    })
  if (parts.sound !== null && order.sound !== null && sound !== null && sound.samples.length > 0) {
    const track = trackOf(order.sound, parts.sound)
    tracks.push({ ...track, kind: 'audio', frameSeconds: null, samples: evened(sound.samples, track.rate) })
  }
  const bytes = tracks.reduce((sum, { samples }) => sum + lengthOf(samples), 0)
  if (bytes > MAX_CUT_BYTES)
    throw new DecodeError(
      `a part of it has ${Math.round(bytes / 2 ** 20)} MiB, and no more than 32 are converted in one go`,
    )
  return tracks.length === 0 ? new Uint8Array(0) : cutFile(tracks, originOf(order, parts))
}

function lengthOf(samples: readonly Sample[]): number {
  return samples.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** What the container says, else the mean of it: encoders reckon with it. Null: there is one picture. */
function frameSecondsOf({ frameSeconds, samples }: VideoSamples): number | null {
  if (frameSeconds !== null || samples.length < 2) return frameSeconds
  const times = samples.map(({ time }) => time).toSorted((a, b) => a - b)
  return ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (samples.length - 1)
}

/** With the rounding of their container taken out of their times, where all frames have one length; `rate`: Hz. */
function evened(samples: readonly Sample[], rate: number): readonly Sample[] {
  const times = samples.map(({ time }) => time)
  const measured = slopeOf(times) * rate
  const length = Math.round(measured)
  if (length < 1 || !(Math.abs(measured - length) <= SAME_SAMPLES)) return samples
  const even = evenTimes(times, length / rate)
  return samples.map((sample, at) => ({ ...sample, time: even[at] ?? sample.time }))
}

/** Seconds from one to the next, by least squares: the rounding of single ones hardly counts. */
function slopeOf(times: readonly number[]): number {
  const middle = (times.length - 1) / 2
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  const both = times.reduce((sum, time, at) => sum + (at - middle) * (time - mean), 0)
  const own = times.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
  return own === 0 ? 0 : both / own
}
