// Sound as FLAC (RFC 9639): frames of 16 bits, each channel by itself, by fixed predictors. Simple, because nothing
// lies between this encoder and the player but memory; a frame stands for itself, so that any may be the first. Pure.

import { BitWriter } from './bit-writer.ts'

/** Samples of a frame. */
export const FRAME_SAMPLES = 4096
/** Channels that FLAC knows. */
export const MAX_CHANNELS = 8

const BLOCK_SIZE_CODE = 12
const SIXTEEN_BITS = 4
const RATE_CODES: Readonly<Record<number, number>> = { 32_000: 8, 44_100: 9, 48_000: 10, 96_000: 11 }
const MAX_ORDER = 4
/** A frame's residual is coded in 2^3 partitions, each with a parameter of its own. */
const PARTITION_ORDER = 3
const PARTITION = FRAME_SAMPLES >> PARTITION_ORDER
const MAX_RICE = 14

/** What stands before all frames: the mark, and STREAMINFO as the last of the metadata (RFC 9639, 8.2). */
export function flacHead(sampleRate: number, channels: number): Uint8Array {
  const head = new BitWriter(42)
  for (const letter of [0x66, 0x4c, 0x61, 0x43]) head.put(letter, 8)
  head.put(0x80, 8)
  head.put(34, 24)
  head.put(FRAME_SAMPLES, 16)
  head.put(FRAME_SAMPLES, 16)
  // Sizes of frames: not known.
  head.put(0, 24)
  head.put(0, 24)
  head.put(sampleRate, 20)
  head.put(channels - 1, 3)
  head.put(15, 5)
  // How many samples there are, and their digest: not known.
  head.put(0, 12)
  for (let at = 0; at < 6; at += 1) head.put(0, 24)
  head.put(0, 8)
  return head.written().slice()
}

/** One frame. `planes`: FRAME_SAMPLES samples of each channel; `number`: how many frames went before. */
export function flacFrame(planes: readonly Int16Array[], sampleRate: number, number: number): Uint8Array {
  const out = new BitWriter(planes.length * FRAME_SAMPLES * 2)
  out.put(0xfff8, 16)
  out.put((BLOCK_SIZE_CODE << 4) | (RATE_CODES[sampleRate] ?? 0), 8)
  out.put(((planes.length - 1) << 4) | (SIXTEEN_BITS << 1), 8)
  putNumber(out, number)
  out.put(checksum(out.written(), 8, 0x07), 8)
  for (const plane of planes) putChannel(out, plane)
  out.align()
  out.put(checksum(out.written(), 16, 0x8005), 16)
  return out.written().slice()
}

/** As UTF-8 codes a character. `number` below 2^31. */
function putNumber(out: BitWriter, number: number): void {
  if (number < 0x80) return out.put(number, 8)
  let more = 1
  while (more < 5 && number >= 2 ** (5 * more + 6)) more += 1
  out.put(((0xff00 >> (more + 1)) & 0xff) | Math.floor(number / 2 ** (6 * more)), 8)
  for (let at = more - 1; at >= 0; at -= 1) out.put(0x80 | (Math.floor(number / 2 ** (6 * at)) & 0x3f), 8)
}

function putChannel(out: BitWriter, samples: Int16Array): void {
  const first = samples[0] ?? 0
  if (samples.every(sample => sample === first)) {
    out.put(0, 8)
    return out.put(first, 16)
  }
  const { order, residual } = predicted(samples)
  out.put((8 | order) << 1, 8)
  for (let at = 0; at < order; at += 1) out.put(samples[at] ?? 0, 16)
  out.put(PARTITION_ORDER, 6)
  for (let start = 0; start < FRAME_SAMPLES; start += PARTITION)
    putPartition(out, residual, Math.max(start, order), start + PARTITION)
}

/** What is left of the samples by the fixed predictor that leaves the least: differences of differences. */
function predicted(samples: Int16Array): { readonly order: number; readonly residual: Int32Array } {
  let best = Int32Array.from(samples)
  let order = 0
  let least = weight(best)
  let residual = best
  for (let each = 1; each <= MAX_ORDER; each += 1) {
    const next = new Int32Array(FRAME_SAMPLES)
    for (let at = each; at < FRAME_SAMPLES; at += 1) next[at] = (residual[at] ?? 0) - (residual[at - 1] ?? 0)
    residual = next
    const sum = weight(next)
    if (sum >= least) continue
    least = sum
    best = next
    order = each
  }
  return { order, residual: best }
}

// The first samples are no residual of any order.
function weight(values: Int32Array): number {
  let sum = 0
  for (let at = MAX_ORDER; at < values.length; at += 1) sum += Math.abs(values[at] ?? 0)
  return sum
}

/** Rice codes with the parameter that suits their mean. */
function putPartition(out: BitWriter, residual: Int32Array, start: number, end: number): void {
  let sum = 0
  for (let at = start; at < end; at += 1) sum += folded(residual[at] ?? 0)
  const mean = sum / (end - start)
  const rice = mean < 1 ? 0 : Math.min(MAX_RICE, Math.floor(Math.log2(mean)))
  out.put(rice, 4)
  for (let at = start; at < end; at += 1) {
    const value = folded(residual[at] ?? 0)
    out.unary(value >>> rice)
    out.put(value, rice)
  }
}

/** 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ... */
function folded(value: number): number {
  return value >= 0 ? 2 * value : -2 * value - 1
}

/** CRC of `bits` (8 or 16), the highest bit first, from 0. */
function checksum(bytes: Uint8Array, bits: 8 | 16, polynomial: number): number {
  const table = tables[bits] ?? (tables[bits] = checksumTable(bits, polynomial))
  const mask = 2 ** bits - 1
  let sum = 0
  for (const byte of bytes) sum = ((sum << 8) & mask) ^ (table[((sum >> (bits - 8)) ^ byte) & 0xff] ?? 0)
  return sum
}

const tables: { 8?: Uint16Array; 16?: Uint16Array } = {}

function checksumTable(bits: number, polynomial: number): Uint16Array {
  const top = 2 ** (bits - 1)
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let sum = byte << (bits - 8)
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & top) === 0 ? sum << 1 : (sum << 1) ^ polynomial
    return sum & (2 ** bits - 1)
  })
}
