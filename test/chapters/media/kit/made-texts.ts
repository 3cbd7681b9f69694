// Matroska films with a track of texts between their pictures, made byte by byte: packed in any way, with an index of
// each text, of key frames alone, or none.

import { element, float, seekHead, uint } from './made-mkv.ts'

/** A text as it lies in the film. */
export interface MadeText {
  readonly ms: number
  /** Null: it does not say how long. */
  readonly lengthMs: number | null
  readonly bytes: Uint8Array
  /** Flags of its block; default: none. */
  readonly flags?: number
}

/** What it is made of. */
export interface MadeTextsOptions {
  readonly texts: readonly MadeText[]
  /** Default: S_TEXT/UTF8. */
  readonly codecId?: string
  /** Elements of its track beside number, type and codec; default: none. */
  readonly more?: readonly Buffer[]
  /** What its index tells; default: the place of each text; `clusters`: of each text its cluster alone. */
  readonly index?: 'texts' | 'clusters' | 'keys' | 'none'
  /** Other tracks that stand before that of the texts; default: none. */
  readonly before?: number
  /** Default: a minute. */
  readonly seconds?: number
  /** Of one picture; there are ten a second. Default: 20,000. */
  readonly pictureBytes?: number
  /** Clusters that do not say where they end. */
  readonly isLive?: boolean
}

/** Where its parts are. */
export interface MadeTexts {
  readonly bytes: Buffer
  /** First bytes of its clusters, one for each five seconds. */
  readonly clusters: readonly number[]
  readonly cues: { readonly start: number; readonly end: number }
}

/** The track of texts; that of the pictures is 1. */
export const TEXTS = 2
const CLUSTER_MS = 5000
const PICTURE_MS = 100
const CLUSTER = 0x1f_43_b6_75

/** A way of packing, for `more`. */
export function packing(...parts: readonly Buffer[]): Buffer {
  return element(0x6d80, element(0x6240, ...parts))
}

/** One of compression; `settings`: what was taken from the start of each. */
export function compression(algorithm: number, settings = Buffer.alloc(0)): Buffer {
  return element(0x5034, element(0x4254, uint(algorithm)), element(0x4255, settings))
}

function block(track: number, moved: number, flags: number, body: Uint8Array): Buffer {
  const head = Buffer.from([0x80 | track, 0, 0, flags])
  head.writeInt16BE(moved, 1)
  return Buffer.concat([head, body])
}

interface Lying {
  readonly ms: number
  readonly isText: boolean
  readonly bytes: Buffer
}

function lyingIn(from: number, { texts, pictureBytes = 20_000 }: MadeTextsOptions): Lying[] {
  const picture = Buffer.alloc(pictureBytes, 0xa3)
  const pictures = Array.from({ length: CLUSTER_MS / PICTURE_MS }, (_, at) => from + at * PICTURE_MS).map(ms => ({
    ms,
    isText: false,
    bytes: element(0xa3, block(1, ms - from, ms === from ? 0x80 : 0, picture)),
  }))
  const own = texts
    .filter(({ ms }) => ms >= from && ms < from + CLUSTER_MS)
    .map(({ ms, lengthMs, bytes, flags = 0 }) => {
      const length = lengthMs === null ? [] : [element(0x9b, uint(lengthMs))]
      const group = element(0xa0, element(0xa1, block(TEXTS, ms - from, flags, bytes)), ...length)
      return { ms, isText: true, bytes: group }
    })
  return [...pictures, ...own].toSorted((a, b) => a.ms - b.ms)
}

function point(ms: number, track: number, cluster: number, within: number | null): Buffer {
  const place = within === null ? [] : [element(0xf0, uint(within))]
  return element(
    0xbb,
    element(0xb3, uint(ms)),
    element(0xb7, element(0xf7, uint(track)), element(0xf1, uint(cluster)), ...place),
  )
}

/** A film; its SeekHead names its index, which lies behind its clusters. */
export function makeTexts(options: MadeTextsOptions): MadeTexts {
  const { codecId = 'S_TEXT/UTF8', more = [], index = 'texts', seconds = 60, isLive = false } = options
  const head = element(0x1a_45_df_a3, element(0x4282, Buffer.from('matroska')))
  const info = element(0x15_49_a9_66, element(0x2a_d7_b1, uint(1_000_000)), element(0x4489, float(seconds * 1000)))
  const entry = (track: number, type: number, codec: string, ...rest: readonly Buffer[]): Buffer =>
    element(0xae, element(0xd7, uint(track)), element(0x83, uint(type)), element(0x86, Buffer.from(codec)), ...rest)
  const others = Array.from({ length: options.before ?? 0 }, (_, at) => entry(100 + at, 17, 'S_TEXT/UTF8'))
  const tracks = element(0x16_54_ae_6b, entry(1, 1, 'V_VP8'), ...others, entry(TEXTS, 17, codecId, ...more))
  const infoAt = seekHead(0, 0, 0).length
  let at = infoAt + info.length + tracks.length
  const [places, clusters, points]: [number[], Buffer[], Buffer[]] = [[], [], []]
  for (let from = 0; from < seconds * 1000; from += CLUSTER_MS) {
    const time = element(0xe7, uint(from))
    let within = time.length
    points.push(point(from, 1, at, null))
    const parts = lyingIn(from, options).map(({ ms, isText, bytes }) => {
      if (isText && index === 'texts') points.push(point(ms, TEXTS, at, within))
      else if (isText && index === 'clusters') points.push(point(ms, TEXTS, at, null))
      within += bytes.length
      return bytes
    })
    const cluster = element(CLUSTER, time, ...parts)
    if (isLive) Buffer.from('01ffffffffffffff', 'hex').copy(cluster, 4)
    places.push(at)
    clusters.push(cluster)
    at += cluster.length
  }
  const cues = index === 'none' ? Buffer.alloc(0) : element(0x1c_53_bb_6b, ...points)
  const parts = [seekHead(infoAt, infoAt + info.length, at), info, tracks, ...clusters, cues]
  const bytes = Buffer.concat([head, element(0x18_53_80_67, ...parts)])
  const body = bytes.length - Buffer.concat(parts).length
  return {
    bytes,
    clusters: places.map(place => body + place),
    cues: { start: body + at, end: bytes.length },
  }
}
