// The names that browsers are asked with (RFC 6381 and the registrations of the codecs), made of the configurations
// that containers keep of their tracks. MP4 and Matroska hold the same bytes for most codecs.

import type { FieldBytes } from './field-bytes.ts'

const hex = (value: number): string => value.toString(16).padStart(2, '0')
const two = (value: number): string => String(value).padStart(2, '0')

/** AVCDecoderConfigurationRecord (ISO 14496-15, 5.3.3): avc1.PPCCLL. Null: too short for one. */
export function avcString(config: FieldBytes, entry = 'avc1'): string | null {
  if (config.length < 4 || config.u8(0) !== 1) return null
  return `${entry}.${hex(config.u8(1))}${hex(config.u8(2))}${hex(config.u8(3))}`
}

/** HEVCDecoderConfigurationRecord (ISO 14496-15, 8.3.3): hvc1.profile.compatibility.tier-level.constraints. */
export function hevcString(config: FieldBytes, entry = 'hvc1'): string | null {
  if (config.length < 13 || config.u8(0) !== 1) return null
  const general = config.u8(1)
  const space = ['', 'A', 'B', 'C'][general >> 6] ?? ''
  const tier = (general & 0x20) === 0 ? 'L' : 'H'
  const constraints = Array.from({ length: 6 }, (_, at) => config.u8(6 + at))
  while (constraints.at(-1) === 0) constraints.pop()
  const parts = [
    `${space}${general & 0x1f}`,
    reversedBits(config.u32(2)).toString(16),
    `${tier}${config.u8(12)}`,
    ...constraints.map(byte => byte.toString(16)),
  ]
  return `${entry}.${parts.join('.')}`
}

function reversedBits(value: number): number {
  let out = 0
  for (let bit = 0; bit < 32; bit += 1) if (((value >>> bit) & 1) === 1) out += 2 ** (31 - bit)
  return out
}

/** AV1CodecConfigurationRecord (AV1 in ISOBMFF, 2.3): av01.P.LLT.DD. */
export function av1String(config: FieldBytes): string | null {
  if (config.length < 4 || config.u8(0) !== 0x81) return null
  const [levels, flags] = [config.u8(1), config.u8(2)]
  const depth = (flags & 0x40) === 0 ? 8 : (flags & 0x20) === 0 ? 10 : 12
  return `av01.${levels >> 5}.${two(levels & 0x1f)}${(flags & 0x80) === 0 ? 'M' : 'H'}.${two(depth)}`
}

/** The body of a vpcC box (VP codecs in ISOBMFF), after its version: vp09.PP.LL.DD. */
export function vpString(config: FieldBytes, entry: string): string | null {
  if (config.length < 7) return null
  return `${entry}.${two(config.u8(4))}.${two(config.u8(5))}.${two(config.u8(6) >> 4)}`
}

/** What an AudioSpecificConfig (ISO 14496-3, 1.6.2.1) says. */
export interface AacConfig {
  readonly objectType: number
  /** 0 = not said there. */
  readonly channels: number
}

/** Reads one; null when it is too short. */
export function aacConfig(config: FieldBytes): AacConfig | null {
  if (config.length < 2) return null
  const first = config.u16(0)
  const short = first >> 11
  if (short !== 31) {
    const explicitRate = ((first >> 7) & 15) === 15
    if (explicitRate && config.length < 5) return null
    const channels = explicitRate ? (config.u8(4) >> 3) & 15 : (first >> 3) & 15
    return { objectType: short, channels: channelsOf(channels) }
  }
  return { objectType: 32 + ((first >> 5) & 63), channels: 0 }
}

function channelsOf(configuration: number): number {
  if (configuration === 7 || configuration === 12 || configuration === 14) return 8
  return configuration === 11 ? 7 : configuration <= 6 ? configuration : 0
}

/** Channels of acmod and lfeon (ETSI TS 102 366). */
const AC3_CHANNELS = [2, 1, 2, 3, 3, 4, 4, 5]

/** Of the body of a dac3 box (ETSI TS 102 366, F.4). */
export function ac3Channels(config: FieldBytes): number {
  const bits = config.u24(0)
  return (AC3_CHANNELS[(bits >> 11) & 7] ?? 0) + ((bits >> 10) & 1)
}

/** Of the body of a dec3 box (F.6): its first independent substream, with what dependent ones add. */
export function eac3Channels(config: FieldBytes): number {
  const bits = config.u24(2)
  const base = (AC3_CHANNELS[(bits >> 9) & 7] ?? 0) + ((bits >> 8) & 1)
  const dependent = (bits >> 1) & 15
  // Bits of chan_loc name pairs or single speakers; 7.1 is the one that films have.
  return dependent === 0 ? base : base + 2
}
