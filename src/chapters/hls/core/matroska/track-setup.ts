// What packing again needs of a track of Matroska (RFC 9559, 5.1.4): its configuration, how long a frame lasts, and
// what was taken from the start of each.

import { DecodeError } from '../../../../base/errors.ts'
import type { FieldBytes } from '../../../media/core/field-bytes.ts'
import { childrenOf, uintOf } from '../../../media/core/matroska/elements.ts'

const ENTRY = 0xae
const NUMBER = 0xd7
const CONFIG = 0x63a2
const DEFAULT_DURATION = 0x23_e3_83
const CODEC_DELAY = 0x56aa
const ENCODINGS = 0x6d80
const ENCODING = 0x6240
const COMPRESSION = 0x5034
const ENCRYPTION = 0x5035
const ALGORITHM = 0x4254
const SETTINGS = 0x4255
/** The same bytes at the start of every frame were taken out. */
const HEADER_STRIPPING = 3

/** Real ones have two to four bytes; they are put before every frame. */
const MAX_PREFIX_BYTES = 64

/** A track. */
export interface TrackSetup {
  readonly config: Uint8Array | null
  /** Seconds of a frame; null = it does not say. */
  readonly frameSeconds: number | null
  /** What its decoder keeps back, which times of its frames count in, s. */
  readonly delaySeconds: number
  /** What comes before the bytes of each frame. */
  readonly prefix: Uint8Array
}

/** The track with this number in the body of a Tracks element. Throws DecodeError when it cannot be read. */
export function trackSetup(tracks: FieldBytes, number: number): TrackSetup {
  for (const { id, body } of childrenOf(tracks)) {
    if (id === ENTRY && numberOf(body) === number) return readSetup(body)
  }
  throw new DecodeError(`it has no track ${number}`)
}

function numberOf(entry: FieldBytes): number {
  for (const { id, body } of childrenOf(entry)) if (id === NUMBER) return uintOf(body)
  return 0
}

function readSetup(entry: FieldBytes): TrackSetup {
  let [config, prefix]: [Uint8Array | null, Uint8Array] = [null, new Uint8Array(0)]
  let [nanoseconds, delay] = [0, 0]
  for (const { id, body } of childrenOf(entry)) {
    if (id === CONFIG) config = body.bytes
    else if (id === DEFAULT_DURATION) nanoseconds = uintOf(body)
    else if (id === CODEC_DELAY) delay = uintOf(body)
    else if (id === ENCODINGS) prefix = readEncodings(body)
  }
  const frameSeconds = nanoseconds === 0 ? null : nanoseconds / 1e9
  return { config, frameSeconds, delaySeconds: delay / 1e9, prefix }
}

function readEncodings(encodings: FieldBytes): Uint8Array {
  let prefix = new Uint8Array(0)
  for (const encoding of childrenOf(encodings)) {
    if (encoding.id !== ENCODING) continue
    for (const { id, body } of childrenOf(encoding.body)) {
      if (id === ENCRYPTION) throw new DecodeError('it is encrypted')
      if (id === COMPRESSION) prefix = new Uint8Array(readCompression(body))
    }
  }
  return prefix
}

function readCompression(compression: FieldBytes): Uint8Array {
  let [algorithm, settings] = [0, new Uint8Array(0)]
  for (const { id, body } of childrenOf(compression)) {
    if (id === ALGORITHM) algorithm = uintOf(body)
    else if (id === SETTINGS) settings = new Uint8Array(body.bytes)
  }
  if (algorithm !== HEADER_STRIPPING) throw new DecodeError('its tracks are compressed once more')
  if (settings.length > MAX_PREFIX_BYTES) throw new DecodeError('too much was taken out of its frames')
  return settings
}
