// A segment as a fragment of MP4: HEVC, which players of HLS take in no other form, and H.264 beside sounds that
// transport streams do not hold (FLAC, Opus). Joined to the head it decodes alone; fragments that follow each other are
// one film.

import { DecodeError } from '../../../../base/errors.ts'
import { avcDelay } from '../avc/avc-delay.ts'
import { readAvcConfig } from '../avc/avc-config.ts'
import { decodeTimes, fromZero } from '../decode-times.ts'
import { evenTimes } from '../even-times.ts'
import { hevcReorder } from '../hevc-config.ts'
import type { SegmentOrder, SegmentSamples, SoundSamples, VideoSamples } from '../samples.ts'
import { START_S, TICKS, ticksOf, USUAL_FRAME_S, USUAL_REORDER } from '../timeline.ts'
import { fragment, type FragmentTrack } from './fragment.ts'
import { initSegment, TRACK } from './init-segment.ts'
import { soundSetup } from './sound-setup.ts'

/** The head of all segments. Throws DecodeError. */
export function fmp4Init({ video, sound }: SegmentSamples, { videoCodec, width, height }: SegmentOrder): Uint8Array {
  const { config } = video
  if (config.length === 0) throw new DecodeError('its picture has no configuration')
  const entry = videoCodec === 'h264' ? 'avc1' : 'hvc1'
  // What it says of itself is put into the head: it is read once more than needed, so that none is out of all measure.
  delayOf(video, videoCodec)
  return initSegment({ entry, config, width, height }, sound === null ? null : soundSetup(sound))
}

/** Segment `number`, from 0 on. Throws DecodeError. */
export function fmp4Segment({ video, sound }: SegmentSamples, { videoCodec, number }: SegmentOrder): Uint8Array {
  const tracks = [videoTrack(video, videoCodec), ...(sound === null ? [] : [soundSamples(sound)])]
  return fragment(number + 1, tracks)
}

function videoTrack(video: VideoSamples, codec: string): FragmentTrack {
  const { samples } = video
  const frame = frameTicks(video)
  const times = samples.map(({ time }) => ticksOf(time))
  const { shown, decoded } = fromZero({ shown: times, decoded: decodeTimes(times, delayOf(video, codec)) })
  return {
    id: TRACK.video,
    samples: samples.map(({ bytes, isKey }, at) => {
      const [due, next] = [decoded[at] ?? 0, decoded[at + 1]]
      return { decoded: due, shown: shown[at] ?? 0, duration: next === undefined ? frame : next - due, isKey, bytes }
    }),
  }
}

function frameTicks({ frameSeconds }: VideoSamples): number {
  return Math.round((frameSeconds ?? USUAL_FRAME_S) * TICKS)
}

/** Ticks that pictures are decoded ahead. */
function delayOf(video: VideoSamples, codec: string): number {
  if (codec === 'h264') return avcDelay(video, readAvcConfig(video.config).sequences[0])
  return (hevcReorder(video.config) ?? USUAL_REORDER) * frameTicks(video)
}

function soundSamples(sound: SoundSamples): FragmentTrack {
  const [first] = sound.samples
  if (first === undefined) return { id: TRACK.sound, samples: [] }
  const { rate, ticksOf: ticksIn } = soundSetup(sound)
  const times = evenTimes(
    sound.samples.map(({ time }) => time),
    ticksIn(first.bytes) / rate,
  )
  const samples = sound.samples.map(({ bytes }, at) => {
    const decoded = Math.round(((times[at] ?? 0) + START_S) * rate)
    return { decoded, shown: decoded, isKey: true, bytes }
  })
  // Where there is a hole the frame before it lasts longer.
  const gapless = samples.map((sample, at) => ({
    ...sample,
    duration: Math.max(0, (samples[at + 1]?.decoded ?? sample.decoded + ticksIn(sample.bytes)) - sample.decoded),
  }))
  return { id: TRACK.sound, samples: gapless }
}
