// Randomness from the operating system.

import { randomBytes, randomInt } from 'node:crypto'
import type { Random } from '../ports/random.ts'

/** Random over node:crypto. */
export class SystemRandom implements Random {
  bytes(count: number): Uint8Array {
    return randomBytes(count)
  }
  below(below: number): number {
    return below <= 1 ? 0 : randomInt(below)
  }
}
