// Copies block payload into shared memory fast. TypedArray.set moves shared memory with relaxed atomics, byte by byte
// when source and target differ in their offset modulo 8, as 13-byte heads make nearly every block do; Buffer's fill
// with bytes that fill the range exactly is one plain native copy whatever the offsets (decision 0103). Nothing else
// may touch the target meanwhile.

const { fill } = Buffer.prototype

/** Copies all of `source` to `target` from `at` on. Throws RangeError when there is no room. */
export function copyBytes(source: Uint8Array, target: Uint8Array, at: number): void {
  if (at + source.length > target.length) throw new RangeError(`no room for ${source.length} bytes at ${at}`)
  // An empty value would mean zeroes to fill().
  if (source.length > 0) fill.call(target, source, at, at + source.length)
}
