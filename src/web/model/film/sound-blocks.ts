// Decoded sound cut into blocks of one length, without a gap and without an overlap: where the source has a gap there
// is silence, and what it says twice is left out. Pure.

/** Samples of all channels at a time. */
export interface SoundBlock {
  /** One of `length` samples for each channel. */
  readonly planes: readonly Int16Array[]
  /** When its first sample is heard, samples from the film's start. */
  readonly at: number
}

/** Times of the source are rounded (Matroska: to milliseconds): below this, seconds, nothing is missing. */
const ROUNDED_SEC = 0.02
/** A gap that is longer than this, seconds, is left as it is: the next block begins behind it. */
const MAX_SILENCE_SEC = 10

/** Takes decoded sound in, gives blocks out. */
export class SoundBlocks {
  readonly #rate: number
  readonly #channels: number
  readonly #length: number
  #planes: Int16Array[]
  #filled = 0
  /** Of the first sample of the block that is being filled; null: nothing has come yet. */
  #at: number | null = null
  #ready: SoundBlock[] = []

  /** `rate`: samples/s; `length`: samples of a block. */
  constructor(rate: number, channels: number, length: number) {
    this.#rate = rate
    this.#channels = channels
    this.#length = length
    this.#planes = this.#empty()
  }

  /** Adds sound that begins at `atSec`; `planes`: -1 to 1, one for each channel. */
  add(planes: readonly Float32Array[], atSec: number): void {
    const count = planes[0]?.length ?? 0
    const begins = Math.round(atSec * this.#rate)
    const due = this.#at === null ? begins : this.#at + this.#filled
    this.#at ??= begins
    const gap = begins - due
    const isRounding = Math.abs(gap) < ROUNDED_SEC * this.#rate
    if (!isRounding && gap > 0) this.#bridge(gap, begins)
    this.#copy(planes, !isRounding && gap < 0 ? Math.min(-gap, count) : 0, count)
  }

  /** Fills the last block up with silence. */
  finish(): void {
    if (this.#filled > 0) this.#silence(this.#length - this.#filled)
  }

  /** Blocks that are full, each once. */
  take(): SoundBlock[] {
    return this.#ready.splice(0)
  }

  #bridge(gap: number, begins: number): void {
    if (gap <= MAX_SILENCE_SEC * this.#rate) return this.#silence(gap)
    this.finish()
    this.#at = begins
  }

  #silence(count: number): void {
    for (let left = count; left > 0; ) {
      const part = Math.min(left, this.#length - this.#filled)
      this.#advance(part)
      left -= part
    }
  }

  #copy(planes: readonly Float32Array[], from: number, to: number): void {
    for (let at = from; at < to; ) {
      const part = Math.min(to - at, this.#length - this.#filled)
      for (const [channel, plane] of this.#planes.entries())
        convert(planes[channel]?.subarray(at, at + part) ?? new Float32Array(part), plane, this.#filled)
      this.#advance(part)
      at += part
    }
  }

  #advance(count: number): void {
    this.#filled += count
    if (this.#filled < this.#length) return
    const at = this.#at ?? 0
    this.#ready.push({ planes: this.#planes, at })
    this.#at = at + this.#length
    this.#planes = this.#empty()
    this.#filled = 0
  }

  #empty(): Int16Array[] {
    return Array.from({ length: this.#channels }, () => new Int16Array(this.#length))
  }
}

function convert(from: Float32Array, into: Int16Array, offset: number): void {
  for (let at = 0; at < from.length; at += 1) {
    const value = Math.round((from[at] ?? 0) * 32_767)
    into[offset + at] = Math.max(-32_768, Math.min(32_767, value))
  }
}
