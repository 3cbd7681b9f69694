// Matroska made byte by byte: tracks that call themselves anything, numbers that are none, attachments of any length.

/** What it is made of. */
export interface MadeMkvOptions {
  readonly codecId?: string
  /** Body of SamplingFrequency; default: 48 kHz. */
  readonly rate?: Buffer
  /** Milliseconds. */
  readonly duration?: number
  /** Bytes of fonts before the first cluster; default: none. */
  readonly fonts?: number
}

/** Where its parts are. */
export interface MadeMkv {
  readonly bytes: Buffer
  readonly fonts: { readonly start: number; readonly end: number }
  readonly cluster: number
  readonly cues: { readonly start: number; readonly end: number }
}

/** An element; its length always takes eight bytes. */
export function element(id: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.from(id.toString(16), 'hex')
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(body.length) | (1n << 56n))
  return Buffer.concat([head, length, body])
}

/** The body of a number. */
export function uint(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** The body of a floating-point number of 64 bits. */
export function float(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/** A SeekHead of three places; its length is the same for all. */
export function seekHead(infoAt: number, tracksAt: number, cuesAt: number): Buffer {
  const ids: readonly [id: number, place: number][] = [
    [0x15_49_a9_66, infoAt],
    [0x16_54_ae_6b, tracksAt],
    [0x1c_53_bb_6b, cuesAt],
  ]
  const seek = (id: number, place: number): Buffer =>
    element(0x4dbb, element(0x53ab, Buffer.from(id.toString(16), 'hex')), element(0x53ac, uint(place)))
  return element(0x11_4d_9b_74, ...ids.map(([id, place]) => seek(id, place)))
}

/** One film of one sound; its index (Cues) lies behind its only cluster, and its SeekHead names all but the fonts. */
export function makeMkv({ codecId = 'A_OPUS', rate, duration = 10_000, fonts = 0 }: MadeMkvOptions = {}): MadeMkv {
  const head = element(0x1a_45_df_a3, element(0x4282, Buffer.from('matroska')))
  const info = element(0x15_49_a9_66, element(0x2a_d7_b1, uint(1_000_000)), element(0x4489, float(duration)))
  const sound = element(0xe1, element(0xb5, rate ?? float(48_000)), element(0x9f, uint(2)))
  const entry = [element(0xd7, uint(1)), element(0x83, uint(2)), element(0x86, Buffer.from(codecId)), sound]
  const tracks = element(0x16_54_ae_6b, element(0xae, ...entry))
  const attachments = fonts === 0 ? Buffer.alloc(0) : element(0x19_41_a4_69, Buffer.alloc(fonts))
  const cluster = element(0x1f_43_b6_75, element(0xe7, uint(0)), element(0xec, Buffer.alloc(40_000)))
  const infoAt = seekHead(0, 0, 0).length
  const fontsAt = infoAt + info.length + tracks.length
  const clusterAt = fontsAt + attachments.length
  const cuesAt = clusterAt + cluster.length
  const position = element(0xb7, element(0xf7, uint(1)), element(0xf1, uint(clusterAt)))
  const cues = element(0x1c_53_bb_6b, element(0xbb, element(0xb3, uint(0)), position))
  const parts = [seekHead(infoAt, infoAt + info.length, cuesAt), info, tracks, attachments, cluster, cues]
  const bytes = Buffer.concat([head, element(0x18_53_80_67, ...parts)])
  const body = bytes.length - Buffer.concat(parts).length
  return {
    bytes,
    fonts: { start: body + fontsAt, end: body + clusterAt },
    cluster: body + clusterAt,
    cues: { start: body + cuesAt, end: bytes.length },
  }
}
