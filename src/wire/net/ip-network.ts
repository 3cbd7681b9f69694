// Whether addresses are in one network. Pure.

import { parseIp } from './compact-address.ts'

/**
 * True when both literal addresses are of one family and begin with the same `bits`; false for texts that are no
 * addresses.
 */
export function sameNetwork(a: string, b: string, bits: number): boolean {
  const left = parseIp(a)
  const right = parseIp(b)
  if (left === null || right === null || left.length !== right.length || bits > left.length * 8) return false
  for (let bit = 0; bit < bits; bit += 1) {
    const mask = 0x80 >> (bit & 7)
    if (((left[bit >> 3] ?? 0) & mask) !== ((right[bit >> 3] ?? 0) & mask)) return false
  }
  return true
}
