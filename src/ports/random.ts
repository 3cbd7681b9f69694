// Randomness, as the engine sees it. Tests replace it by a seeded one.

/** Chance; tests give one with a seed. */
export interface Random {
  /** `count` random bytes fit for keys. */
  bytes(count: number): Uint8Array
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
}
