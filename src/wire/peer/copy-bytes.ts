// Copies block payload into shared memory fast. Writing to a SharedArrayBuffer is four to six times slower when source and
// target differ in their offset modulo 8 (V8 must then move single bytes), and 13-byte heads make nearly every block so.
// Two copies, the first into private memory at the target's offset, cost a quarter (decision 0103). Not thread-safe: sync.

const SCRATCH_BYTES = 16 * 1024

/** Private memory for the first of two copies; room for the offset in front. Its content means nothing between calls. */
const scratch = new Uint8Array(SCRATCH_BYTES + 8)

/** Copies all of `source` to `target` from `at` on; there must be room. */
export function copyBytes(source: Uint8Array, target: Uint8Array, at: number): void {
  const shift = (target.byteOffset + at) & 7
  if (!(target.buffer instanceof SharedArrayBuffer) || (source.byteOffset & 7) === shift) {
    target.set(source, at)
    return
  }
  // SCRATCH_BYTES is a multiple of 8: the shift is the same in every round.
  for (let done = 0; done < source.length; done += SCRATCH_BYTES) {
    const count = Math.min(SCRATCH_BYTES, source.length - done)
    scratch.set(source.subarray(done, done + count), shift)
    target.set(scratch.subarray(shift, shift + count), at + done)
  }
}
