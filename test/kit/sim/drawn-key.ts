// Keys for tests: the same number is the same key.

import { createHash } from 'node:crypto'

/** 32 bytes. */
export function drawnKey(number: number): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(`key ${number} of a test`).digest())
}
