// Numbers that wrap: sequence numbers of 16 bits, microseconds of 32. Comparing two of them only means something while
// they are less than half the circle apart.

/** `seq` moved by `count`, 0 to 65,535. */
export function seqAdd(seq: number, count: number): number {
  return (seq + count) & 0xffff
}

/** How far `seq` lies after `base`: -32,768 to 32,767. */
export function seqDiff(seq: number, base: number): number {
  return ((seq - base) << 16) >> 16
}

/** The microseconds of a packet for a clock in milliseconds: 0 to 2^32 - 1. */
export function microsOf(nowMs: number): number {
  return Math.floor(nowMs * 1000) >>> 0
}

/** `later` minus `earlier` on the circle: 0 to 2^32 - 1. */
export function microsBetween(later: number, earlier: number): number {
  return (later - earlier) >>> 0
}

/** True when microseconds `a` lie before `b` on the shorter way round. */
export function microsBefore(a: number, b: number): boolean {
  return ((a - b) | 0) < 0
}
