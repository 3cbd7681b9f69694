// Compares byte arrays.

/** True when both have the same bytes. Not for secrets: how long it takes says where they differ. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && Buffer.compare(one, other) === 0
}
