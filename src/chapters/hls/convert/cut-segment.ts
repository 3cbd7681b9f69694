// The cut of a segment for another program: the samples of what it is to convert, in a file of our own making.

import { type ConvertedParts, originOf } from '../core/ffmpeg/conversion.ts'
import { cutFile, type CutTrack } from '../core/ffmpeg/cut-file.ts'
import type { SourceTrack } from '../core/ffmpeg/source-track.ts'
import type { SegmentOrder, SegmentSamples, VideoSamples } from '../core/samples.ts'

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
  if (parts.sound !== null && order.sound !== null && sound !== null && sound.samples.length > 0)
    tracks.push({ ...trackOf(order.sound, parts.sound), kind: 'audio', frameSeconds: null, samples: sound.samples })
  return tracks.length === 0 ? new Uint8Array(0) : cutFile(tracks, originOf(order, parts))
}

/** What the container says, else the mean of it: encoders reckon with it. Null: there is one picture. */
function frameSecondsOf({ frameSeconds, samples }: VideoSamples): number | null {
  if (frameSeconds !== null || samples.length < 2) return frameSeconds
  const times = samples.map(({ time }) => time).toSorted((a, b) => a - b)
  return ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (samples.length - 1)
}
