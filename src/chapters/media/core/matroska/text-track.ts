// A track of texts in Matroska (RFC 9559, 5.1.4): how its texts are written, and how they are packed.

import { DecodeError } from '../../../../base/errors.ts'
import { codecOfMatroskaId } from '../codec-names.ts'
import type { FieldBytes } from '../field-bytes.ts'
import { MAX_TRACKS } from '../film-facts.ts'
import type { TextKind, TextPacking } from '../subtitles/block-cues.ts'
import { NoTexts } from '../subtitles/subtitle-part.ts'
import { childrenOf, uintOf } from './elements.ts'

const ENTRY = 0xae
const NUMBER = 0xd7
const CODEC_ID = 0x86
const ENCODINGS = 0x6d80
const ENCODING = 0x6240
const ORDER = 0x5031
const SCOPE = 0x5032
const COMPRESSION = 0x5034
const ENCRYPTION = 0x5035
const ALGORITHM = 0x4254
const SETTINGS = 0x4255

const ZLIB = 0
const HEADER_STRIPPING = 3
/** Bit of a scope: texts themselves are packed so. */
const OF_BLOCKS = 1
/** Real films have one. */
const MAX_ENCODINGS = 4
const MAX_PREFIX_BYTES = 64

const KINDS: Readonly<Record<string, TextKind>> = { srt: 'srt', ass: 'ass', vtt: 'vtt' }

/** A track of texts. */
export interface TextTrack {
  readonly number: number
  readonly kind: TextKind
  /** In the order in which they are undone. */
  readonly packings: readonly TextPacking[]
}

/**
 * The track with this number in the body of a Tracks element, of the first MAX_TRACKS. Throws NoTexts, and DecodeError:
 * it cannot be read.
 */
export function textTrack(tracks: FieldBytes, number: number): TextTrack {
  let entries = 0
  for (const { id, body } of childrenOf(tracks)) {
    if (id !== ENTRY) continue
    entries += 1
    if (entries > MAX_TRACKS) break
    const entry = readEntry(body)
    if (entry.number === number) return trackOf(entry)
  }
  throw new NoTexts(`it has no track ${number}`)
}

interface Entry {
  readonly number: number
  readonly codecId: string
  readonly encodings: FieldBytes | null
}

function readEntry(body: FieldBytes): Entry {
  const entry = { number: 0, codecId: '', encodings: null as FieldBytes | null }
  for (const { id, body: field } of childrenOf(body)) {
    if (id === NUMBER) entry.number = uintOf(field)
    else if (id === CODEC_ID) entry.codecId = field.text(0, field.length)
    else if (id === ENCODINGS) entry.encodings = field
  }
  return entry
}

function trackOf({ number, codecId, encodings }: Entry): TextTrack {
  const codec = codecOfMatroskaId(codecId)
  const kind = codecId.startsWith('D_WEBVTT') ? 'webm-vtt' : Object.hasOwn(KINDS, codec) ? KINDS[codec] : undefined
  if (kind === undefined) throw new NoTexts(`its track ${number} is no text but ${codec}`)
  return { number, kind, packings: encodings === null ? [] : readPackings(encodings) }
}

/** What was done last has the highest order, and is undone first. */
function readPackings(encodings: FieldBytes): TextPacking[] {
  const found: { readonly order: number; readonly packing: TextPacking }[] = []
  for (const { id, body } of childrenOf(encodings)) {
    if (id !== ENCODING) continue
    const { order, scope, packing } = readEncoding(body)
    if ((scope & OF_BLOCKS) !== 0) found.push({ order, packing })
    if (found.length > MAX_ENCODINGS) throw new DecodeError('its texts are packed too often')
  }
  return found.toSorted((a, b) => b.order - a.order).map(({ packing }) => packing)
}

function readEncoding(encoding: FieldBytes): { order: number; scope: number; packing: TextPacking } {
  let [order, scope] = [0, OF_BLOCKS]
  let packing: TextPacking = { kind: 'zlib' }
  for (const { id, body } of childrenOf(encoding)) {
    if (id === ENCRYPTION) throw new DecodeError('its texts are encrypted')
    if (id === ORDER) order = uintOf(body)
    else if (id === SCOPE) scope = uintOf(body)
    else if (id === COMPRESSION) packing = readCompression(body)
  }
  return { order, scope, packing }
}

function readCompression(compression: FieldBytes): TextPacking {
  let [algorithm, prefix] = [ZLIB, new Uint8Array(0)]
  for (const { id, body } of childrenOf(compression)) {
    if (id === ALGORITHM) algorithm = uintOf(body)
    else if (id === SETTINGS) prefix = new Uint8Array(body.bytes)
  }
  if (algorithm === ZLIB) return { kind: 'zlib' }
  if (algorithm !== HEADER_STRIPPING) throw new DecodeError('its texts are packed in a way that nobody uses')
  if (prefix.length > MAX_PREFIX_BYTES) throw new DecodeError('too much was taken out of its texts')
  return { kind: 'stripped', prefix }
}
