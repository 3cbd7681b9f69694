// Frames in clusters of Matroska (RFC 9559, 5.1.3 and 10): one after the other as they lie, from a cluster on.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../../../media/core/byte-source.ts'
import { FieldBytes } from '../../../media/core/field-bytes.ts'
import { childrenOf, type Element, elementAt, ID, uintOf } from '../../../media/core/matroska/elements.ts'

const TIME = 0xe7
const SIMPLE = 0xa3
const GROUP = 0xa0
const BLOCK = 0xa1
const REFERENCE = 0xfb
/** Elements beside clusters: they end one whose length is not known. */
const BESIDE: ReadonlySet<number> = new Set([
  ID.cluster,
  ID.cues,
  ID.seekHead,
  ID.info,
  ID.tracks,
  ID.chapters,
  0x1254c367,
])
/** A block names its track in the first of these. */
const MAX_TRACK_BYTES = 8
/** Elements that are looked at: a segment has at most 40,000 blocks, beside those of other tracks. */
const MAX_ELEMENTS = 200_000
const LACING = { none: 0, xiph: 1, fixed: 2, ebml: 3 } as const

/** Frames that lie in one block. */
export interface Block {
  readonly track: number
  /** Of the first, in ticks of the file. */
  readonly ticks: number
  readonly isKey: boolean
  readonly frames: readonly Uint8Array[]
}

/**
 * The blocks of `tracks` from the cluster at byte `start` on, up to that at `end`. Throws DecodeError, and what reading
 * throws.
 */
export function* blocksFrom(
  source: ByteSource,
  start: number,
  end: number,
  tracks: ReadonlySet<number>,
): Generator<Block, void> {
  const steps = { left: MAX_ELEMENTS }
  let at = start
  while (at < end) {
    const element = nextAt(source, at, steps)
    if (element === null) return
    if (element.id === ID.cluster) at = yield* blocksOf(source, element, tracks, steps)
    else if (element.end === null) return
    else at = element.end
  }
}

interface Steps {
  left: number
}

/** As elementAt(); throws DecodeError for the one that is too much. */
function nextAt(source: ByteSource, at: number, steps: Steps): Element | null {
  steps.left -= 1
  if (steps.left < 0) throw new DecodeError('a part of it has too many elements')
  return elementAt(source, at)
}

/** Of one cluster; the first byte behind it. */
function* blocksOf(
  source: ByteSource,
  cluster: Element,
  tracks: ReadonlySet<number>,
  steps: Steps,
): Generator<Block, number> {
  const end = Math.min(cluster.end ?? source.size, source.size)
  let [at, time] = [cluster.body, 0]
  while (at < end) {
    const element = nextAt(source, at, steps)
    if (element === null || (cluster.end === null && BESIDE.has(element.id))) return at
    const { id, body } = element
    if (element.end === null || element.end > end) {
      // A file that was cut off ends with what is whole.
      if (end === source.size && cluster.end !== end) return end
      throw new DecodeError('a block goes beyond its cluster')
    }
    if (id === TIME) time = uintOf(new FieldBytes(source.read(body, element.end)))
    const block = id === SIMPLE || id === GROUP ? readBlock(source, element, element.end, time, tracks) : null
    if (block !== null) yield block
    at = element.end
  }
  return end
}

/** Null: it is of another track. */
function readBlock(
  source: ByteSource,
  { id, body }: Element,
  end: number,
  time: number,
  tracks: ReadonlySet<number>,
): Block | null {
  if (id === SIMPLE) {
    const head = new FieldBytes(source.read(body, Math.min(end, body + MAX_TRACK_BYTES)))
    if (!tracks.has(numberAt(head, 0).value)) return null
    const bytes = new FieldBytes(source.read(body, end))
    return framesOf(bytes, time, (flagsOf(bytes) & 0x80) !== 0)
  }
  let [block, isKey]: [FieldBytes | null, boolean] = [null, true]
  for (const child of childrenOf(new FieldBytes(source.read(body, end)))) {
    if (child.id === BLOCK) block = child.body
    else if (child.id === REFERENCE) isKey = false
  }
  if (block === null || !tracks.has(numberAt(block, 0).value)) return null
  return framesOf(block, time, isKey)
}

function flagsOf(bytes: FieldBytes): number {
  return bytes.u8(numberAt(bytes, 0).end + 2)
}

function framesOf(bytes: FieldBytes, time: number, isKey: boolean): Block {
  const { value: track, end } = numberAt(bytes, 0)
  const moved = (bytes.u16(end) << 16) >> 16
  const lacing = (bytes.u8(end + 2) >> 1) & 3
  const frames = lacing === LACING.none ? [bytes.part(end + 3, bytes.length).bytes] : laced(bytes, end + 3, lacing)
  return { track, ticks: time + moved, isKey, frames }
}

/** Several frames in one block. */
function laced(bytes: FieldBytes, at: number, lacing: number): Uint8Array[] {
  const count = bytes.u8(at) + 1
  const { sizes, start } =
    lacing === LACING.xiph
      ? xiphSizes(bytes, at + 1, count - 1)
      : lacing === LACING.ebml
        ? ebmlSizes(bytes, at + 1, count - 1)
        : fixedSizes(bytes, at + 1, count)
  const frames: Uint8Array[] = []
  let next = start
  for (const size of sizes) {
    frames.push(bytes.part(next, next + size).bytes)
    next += size
  }
  frames.push(bytes.part(next, bytes.length).bytes)
  return frames
}

/** Sizes of all but the last, and where the first begins. */
interface Sizes {
  readonly sizes: readonly number[]
  readonly start: number
}

function xiphSizes(bytes: FieldBytes, at: number, count: number): Sizes {
  const sizes: number[] = []
  let next = at
  for (let left = count; left > 0; left -= 1) {
    let [size, byte] = [0, 255]
    while (byte === 255) {
      byte = bytes.u8(next)
      size += byte
      next += 1
    }
    sizes.push(size)
  }
  return { sizes, start: next }
}

/** The first is a size, each other one a difference to the one before. */
function ebmlSizes(bytes: FieldBytes, at: number, count: number): Sizes {
  const sizes: number[] = []
  let [next, size] = [at, 0]
  for (let left = count; left > 0; left -= 1) {
    const { value, end } = numberAt(bytes, next)
    size = sizes.length === 0 ? value : size + value - (2 ** (7 * (end - next) - 1) - 1)
    sizes.push(size)
    next = end
  }
  return { sizes, start: next }
}

function fixedSizes(bytes: FieldBytes, at: number, count: number): Sizes {
  const size = Math.floor((bytes.length - at) / count)
  return { sizes: Array.from({ length: count - 1 }, () => size), start: at }
}

/** A number of variable length (RFC 8794, 4), and the first byte behind it. */
function numberAt(bytes: FieldBytes, at: number): { readonly value: number; readonly end: number } {
  const first = bytes.u8(at)
  const length = Math.clz32(first) - 23
  if (length > 8) throw new DecodeError('a number has no length')
  let value = first & (0xff >> length)
  for (let next = at + 1; next < at + length; next += 1) value = value * 256 + bytes.u8(next)
  return { value, end: at + length }
}
