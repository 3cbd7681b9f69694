// Made-up names of torrents for the catalogue: words of a language whose n-th word comes up 1/n as often, a year, a
// quality; and queries as people type them.

import { SeededRandom } from '../../../kit/sim/seeded-random.ts'

const SYLLABLES =
  'ba be bi bo ca ce co da de di do fa fe ga go ha he ka ke la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va ve vi vo wa za'.split(
    ' ',
  )
const WORDS = 30_000
const KINDS = [
  '1080p',
  '720p',
  'x264',
  'x265',
  'bluray',
  'web',
  'flac',
  'mp3',
  'epub',
  'remastered',
  'complete',
  'season',
]

/** Draws names. */
export class NameSource {
  readonly #random: SeededRandom
  readonly #words: readonly string[]

  constructor(seed: number) {
    this.#random = new SeededRandom(seed)
    const syllable = (): string => SYLLABLES[this.#random.below(SYLLABLES.length)] ?? ''
    this.#words = Array.from({ length: WORDS }, (_, n) => Array.from({ length: 2 + (n % 3) }, syllable).join(''))
  }

  /** A word, common ones more often. */
  word(): string {
    // The inverse of a distribution by 1/n.
    const at = Math.floor(WORDS ** (this.#random.below(1_000_000) / 1_000_000)) - 1
    return this.#words[at] ?? ''
  }

  name(): string {
    const words = Array.from({ length: 2 + this.#random.below(4) }, () => this.word())
    const kind = (): string => KINDS[this.#random.below(KINDS.length)] ?? ''
    return `${words.join(' ')} ${1960 + this.#random.below(66)} ${kind()} ${kind()}`
  }

  /** The first letters of a word. */
  prefix(): string {
    return this.word().slice(0, 2 + this.#random.below(3))
  }

  below(n: number): number {
    return this.#random.below(n)
  }

  bytes(n: number): Uint8Array {
    return this.#random.bytes(n)
  }
}
