// The pieces of a download as shares of a bar: many pieces to few columns. Pure.

/** The bits of a base64 field: one a piece, most significant first. */
export function bitsOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), char => char.charCodeAt(0))
}

/** For each of `columns` columns the share of its pieces that is there, 0 to 1. */
export function shares(bits: Uint8Array, pieces: number, columns: number): Float32Array {
  const filled = new Float32Array(columns)
  if (pieces === 0) return filled
  for (let column = 0; column < columns; column++) {
    const begin = Math.floor((column * pieces) / columns)
    const end = Math.max(begin + 1, Math.floor(((column + 1) * pieces) / columns))
    let have = 0
    for (let piece = begin; piece < end; piece++) have += ((bits[piece >> 3] ?? 0) >> (7 - (piece & 7))) & 1
    filled[column] = have / (end - begin)
  }
  return filled
}
