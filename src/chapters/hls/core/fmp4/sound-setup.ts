// Sounds that fragments hold as they are: how each is said in the head (ISO 14496-12, 8.5.2; 14496-14, 5.6; the
// mappings of FLAC and Opus to it), and how long a frame is heard.

import { DecodeError } from '../../../../base/errors.ts'
import { readAacSetup } from '../aac.ts'
import { flacFrameSamples, readFlacSetup } from '../flac.ts'
import { OPUS_RATE, opusPacketSamples, readOpusSetup } from '../opus.ts'
import type { SoundSamples } from '../samples.ts'
import { box, type BoxPart, fullBox, u16, u32, zeros } from './made-boxes.ts'
import { TRACK } from './init-segment.ts'

/** A sound as its track says it. */
export interface SoundSetup {
  /** Hz; ticks of its clock too. */
  readonly rate: number
  /** Its sample entry. */
  readonly entry: Uint8Array
  /** Ticks of a frame. Throws DecodeError. */
  readonly ticksOf: (frame: Uint8Array) => number
}

/** Throws DecodeError for what fragments do not hold. */
export function soundSetup({ codec, config }: Pick<SoundSamples, 'codec' | 'config'>): SoundSetup {
  if (config === null) throw new DecodeError('its sound has no configuration')
  if (codec === 'aac') return aacSound(config)
  if (codec === 'flac') return flacSound(config)
  if (codec === 'opus') return opusSound(config)
  throw new DecodeError(`its sound is ${codec}, which fragments do not hold`)
}

function aacSound(config: Uint8Array): SoundSetup {
  const { channels, frameSeconds } = readAacSetup(config)
  const rate = Math.round(1024 / frameSeconds)
  const entry = soundEntry('mp4a', channels === 7 ? 8 : channels, rate, streamBox(config))
  return { rate, entry, ticksOf: () => 1024 }
}

function flacSound(config: Uint8Array): SoundSetup {
  const { rate, channels, head } = readFlacSetup(config)
  return { rate, entry: soundEntry('fLaC', channels, rate, fullBox('dfLa', 0, 0, head)), ticksOf: flacFrameSamples }
}

function opusSound(config: Uint8Array): SoundSetup {
  const setup = readOpusSetup(config)
  const entry = soundEntry('Opus', setup.channels, OPUS_RATE, box('dOps', setup.box))
  return { rate: OPUS_RATE, entry, ticksOf: opusPacketSamples }
}

/** Rates above 65,535 Hz do not fit, and are said by the codec alone. */
function soundEntry(type: string, channels: number, rate: number, configuration: BoxPart): Uint8Array {
  const shown = rate > 0xff_ff ? 0 : rate
  const fields = [...zeros(6), ...u16(1), ...zeros(8), ...u16(channels), ...u16(16), ...zeros(4)]
  return box(type, fields, u32(shown * 0x1_00_00), configuration)
}

/** The box esds (ISO 14496-14, 5.6): AAC with this configuration. */
function streamBox(config: Uint8Array): Uint8Array {
  const specific = [5, config.length, ...config]
  const decoder = [4, 13 + specific.length, 0x40, 0x15, ...zeros(11), ...specific]
  const synchronisation = [6, 1, 2]
  const body = [...u16(TRACK.sound), 0, ...decoder, ...synchronisation]
  return fullBox('esds', 0, 0, [3, body.length, ...body])
}
