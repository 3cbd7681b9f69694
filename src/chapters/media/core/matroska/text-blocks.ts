// Texts in clusters of Matroska (RFC 9559, 5.1.3): of all other blocks no more than the head is read.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import type { Steps } from '../subtitles/part-steps.ts'
import { MAX_TEXT_BYTES } from '../subtitles/subtitle-part.ts'
import { type Element, elementAt, uintOf } from './elements.ts'

const TIME = 0xe7
const SIMPLE = 0xa3
const GROUP = 0xa0
const BLOCK = 0xa1
const DURATION = 0x9b
/** Elements beside clusters have ids of four bytes, those in clusters never: they end one of unknown length. */
const BESIDE = 0x10_00_00_00
/** Number of the track (up to 8 bytes), time, flags. */
const MAX_BLOCK_HEAD_BYTES = 11
const LACED = 0x06
/** Elements before a cluster's time: checksum, filling. */
const MAX_BEFORE_TIME = 4
/** Numbers are at most so long. */
const MAX_NUMBER_BYTES = 8

/** A text as it lies there. */
export interface TextBlock {
  /** Of the film's clock. */
  readonly ticks: number
  /** How long it is shown, ticks; null = it does not say. */
  readonly length: number | null
  readonly bytes: Uint8Array
}

/** The time that a cluster begins at, ticks. Throws DecodeError, and what reading throws. */
export function clusterTicks(source: ByteSource, cluster: Element): number {
  let at = cluster.body
  for (let step = 0; step < MAX_BEFORE_TIME; step += 1) {
    const element = elementAt(source, at)
    if (element?.id === TIME) return numberOf(source, element)
    if (element === null || element.end === null) break
    at = element.end
  }
  throw new DecodeError('a cluster has no time')
}

/** An element that holds a number. */
function numberOf(source: ByteSource, { body, end }: Element): number {
  if (end === null || end - body > MAX_NUMBER_BYTES || end > source.size) throw new DecodeError('a number has no end')
  return uintOf(new FieldBytes(source.read(body, end)))
}

/** The texts of `track` in a cluster that begins at `ticks`; gives the first byte behind it. Throws as above. */
export function* textsIn(
  source: ByteSource,
  cluster: Element,
  ticks: number,
  track: number,
  steps: Steps,
): Generator<TextBlock, number> {
  const end = Math.min(cluster.end ?? source.size, source.size)
  let at = cluster.body
  while (at < end) {
    steps.take()
    const element = elementAt(source, at)
    if (element === null || (cluster.end === null && element.id >= BESIDE)) return at
    if (element.end === null || element.end > end) throw new DecodeError('a block goes beyond its cluster')
    const text = textAt(source, element, ticks, track, steps)
    if (text !== null) yield text
    at = element.end
  }
  return end
}

/** Null: it is no block, or one of another track. `ticks`: of its cluster. Throws as above. */
export function textAt(
  source: ByteSource,
  { id, body, end }: Element,
  ticks: number,
  track: number,
  steps: Steps,
): TextBlock | null {
  if (end === null || end > source.size) throw new DecodeError('a block has no end')
  if (id === SIMPLE) return readBlock(source, body, end, ticks, track, null)
  return id === GROUP ? readGroup(source, body, end, ticks, track, steps) : null
}

/** Its parts are passed over as soon as its block is seen to be of another track. */
function readGroup(
  source: ByteSource,
  body: number,
  end: number,
  ticks: number,
  track: number,
  steps: Steps,
): TextBlock | null {
  let [block, length]: [Element | null, number | null] = [null, null]
  for (let at = body; at < end; ) {
    steps.take()
    const part = elementAt(source, at)
    if (part === null || part.end === null || part.end > end) throw new DecodeError('a group has no end')
    if (part.id === BLOCK) {
      if (!isOf(source, part.body, part.end, track)) return null
      block = part
    } else if (part.id === DURATION) length = numberOf(source, part)
    at = part.end
  }
  if (block === null || block.end === null) return null
  return readBlock(source, block.body, block.end, ticks, track, length)
}

function isOf(source: ByteSource, start: number, end: number, track: number): boolean {
  return trackIn(headOf(source, start, end)).track === track
}

function headOf(source: ByteSource, start: number, end: number): FieldBytes {
  return new FieldBytes(source.read(start, Math.min(end, start + MAX_BLOCK_HEAD_BYTES)))
}

/** Null: it is of another track, or no text: those are never laced, and never so long. */
function readBlock(
  source: ByteSource,
  start: number,
  end: number,
  ticks: number,
  track: number,
  length: number | null,
): TextBlock | null {
  const head = headOf(source, start, end)
  const { track: of, end: behind } = trackIn(head)
  if (of !== track) return null
  const moved = (head.u16(behind) << 16) >> 16
  const first = start + behind + 3
  if ((head.u8(behind + 2) & LACED) !== 0 || end - first > MAX_TEXT_BYTES) return null
  return { ticks: ticks + moved, length, bytes: new Uint8Array(source.read(first, end)) }
}

/** The number of a block's track (RFC 8794, 4), and the first byte behind it. */
function trackIn(bytes: FieldBytes): { readonly track: number; readonly end: number } {
  const first = bytes.u8(0)
  const end = Math.clz32(first) - 23
  if (end > MAX_NUMBER_BYTES) throw new DecodeError('a number has no length')
  let track = first & (0xff >> end)
  for (let at = 1; at < end; at += 1) track = track * 256 + bytes.u8(at)
  return { track, end }
}
