// Timed fuzzing: runs a check on made-up input until the time is over. The seed is printed, so that a failure can be
// had again with FUZZ_SEED; FUZZ_SECONDS makes a file run longer.

import { test } from 'node:test'

/** A source of made-up input. */
export interface Fuzz {
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
  /** Up to `max` random bytes, short ones more often. */
  bytes(max: number): Uint8Array
  /** One of `items`. */
  pick<T>(items: readonly T[]): T
  /** `bytes` with a few bytes changed, cut, repeated or put in. */
  mutate(bytes: Uint8Array): Uint8Array
}

/** Seconds one file may spend in all its fuzz tests. */
export const FUZZ_SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 2)

/** A source that depends only on `seed`. */
export function fuzzSource(seed: number): Fuzz {
  let state = seed >>> 0 || 1
  const below = (limit: number): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  const bytes = (max: number): Uint8Array => Uint8Array.from({ length: below(below(max + 1) + 1) }, () => below(256))
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const change = (input: Uint8Array): Uint8Array => {
    const at = below(input.length + 1)
    const end = Math.min(input.length, at + below(8))
    const parts = [
      [input.subarray(0, at), bytes(8), input.subarray(end)],
      [input.subarray(0, at), input.subarray(end)],
      [input.subarray(0, end), input.subarray(at)],
      [input.subarray(0, at), Uint8Array.of(pick(SPECIAL)), input.subarray(at + 1)],
    ]
    return new Uint8Array(Buffer.concat(pick(parts)))
  }
  const mutate = (input: Uint8Array): Uint8Array => {
    let output = input
    for (let round = below(4); round >= 0; round--) output = change(output)
    return output
  }
  return { below, bytes, pick, mutate }
}

/** Bytes that mean something to a parser. */
const SPECIAL = [0, 1, 0x0a, 0x2d, 0x2f, 0x30, 0x39, 0x3a, 0x64, 0x65, 0x69, 0x6c, 0x7f, 0x80, 0xff]

/** A test that runs `check` with fresh sources for `share` of the file's time. */
export function fuzz(name: string, share: number, check: (source: Fuzz) => void): void {
  test(name, context => {
    const first = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000)
    const end = performance.now() + FUZZ_SECONDS * 1000 * share
    let seed = first
    try {
      do check(fuzzSource(seed++))
      while (performance.now() < end)
    } catch (error) {
      throw new Error(`failed with FUZZ_SEED=${seed - 1}`, { cause: error })
    }
    context.diagnostic(`${seed - first} inputs, first seed ${first}`)
  })
}
