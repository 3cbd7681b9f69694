// A segment as a fragment of MP4: HEVC, which players of HLS take in no other form, with AAC beside it. Joined to the
// head it decodes alone; fragments that follow each other are one film.

import { DecodeError } from '../../../../base/errors.ts'
import { readAacSetup } from '../aac.ts'
import { decodeTimes } from '../decode-times.ts'
import { evenTimes } from '../even-times.ts'
import { hevcReorder } from '../hevc-config.ts'
import type { SegmentSamples, SoundSamples, VideoSamples } from '../samples.ts'
import { START_S, TICKS, ticksOf, USUAL_FRAME_S, USUAL_REORDER } from '../timeline.ts'
import { fragment, type FragmentTrack } from './fragment.ts'
import { initSegment, type SoundTrack, TRACK } from './init-segment.ts'

/** The head of all segments. Throws DecodeError. */
export function fmp4Init({ video, sound }: SegmentSamples, width: number, height: number): Uint8Array {
  return initSegment({ config: video.config, width, height }, sound === null ? null : soundTrack(sound))
}

/** Segment `number`, from 0 on. Throws DecodeError. */
export function fmp4Segment({ video, sound }: SegmentSamples, number: number): Uint8Array {
  const tracks = [videoTrack(video), ...(sound === null ? [] : [soundSamples(sound)])]
  return fragment(number + 1, tracks)
}

function videoTrack(video: VideoSamples): FragmentTrack {
  const { samples, config, frameSeconds } = video
  const frame = Math.round((frameSeconds ?? USUAL_FRAME_S) * TICKS)
  const shown = samples.map(({ time }) => ticksOf(time))
  const decoded = decodeTimes(shown, (hevcReorder(config) ?? USUAL_REORDER) * frame)
  return {
    id: TRACK.video,
    samples: samples.map(({ bytes, isKey }, at) => {
      const [due, next] = [decoded[at] ?? 0, decoded[at + 1]]
      return { decoded: due, shown: shown[at] ?? 0, duration: next === undefined ? frame : next - due, isKey, bytes }
    }),
  }
}

function soundSamples(sound: SoundSamples): FragmentTrack {
  if (sound.samples.length === 0) return { id: TRACK.sound, samples: [] }
  const { rate } = soundTrack(sound)
  const { frameSeconds } = readAacSetup(configOf(sound))
  const duration = Math.round(frameSeconds * rate)
  const times = evenTimes(
    sound.samples.map(({ time }) => time),
    frameSeconds,
  )
  const samples = sound.samples.map(({ bytes }, at) => {
    const decoded = Math.round(((times[at] ?? 0) + START_S) * rate)
    return { decoded, shown: decoded, duration, isKey: true, bytes }
  })
  // Where there is a hole the frame before it lasts longer.
  const gapless = samples.map((sample, at) => ({
    ...sample,
    duration: (samples[at + 1]?.decoded ?? sample.decoded + duration) - sample.decoded,
  }))
  return { id: TRACK.sound, samples: gapless }
}

function configOf({ codec, config }: SoundSamples): Uint8Array {
  if (codec !== 'aac' || config === null) throw new DecodeError(`its sound is ${codec}, which fragments do not hold`)
  return config
}

function soundTrack(sound: SoundSamples): SoundTrack {
  const config = configOf(sound)
  const { channels, frameSeconds } = readAacSetup(config)
  return { config, channels: channels === 7 ? 8 : channels, rate: Math.round(1024 / frameSeconds) }
}
