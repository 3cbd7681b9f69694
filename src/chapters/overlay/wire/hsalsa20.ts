// HSalsa20 with sixteen zero bytes as input (Bernstein, "Extending the Salsa20 nonce"): what NaCl does with the result
// of X25519 before it is used as a key. Neither Node nor sodium-native has it by itself.

/** "expand 32-byte k" as four little-endian words. */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const
const DOUBLE_ROUNDS = 10
/** Rows of words that a quarter round mixes: the columns, then the rows. */
const QUARTERS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
]
/** Where the eight words of the result are. */
const RESULT = [0, 5, 10, 15, 6, 7, 8, 9]

/** The key (32 bytes) that NaCl makes of 32 bytes of shared secret. */
export function hsalsa20(secret: Uint8Array): Uint8Array {
  const words = stateOf(new DataView(secret.buffer, secret.byteOffset, secret.byteLength))
  for (let round = 0; round < DOUBLE_ROUNDS; round++) for (const quarter of QUARTERS) mix(words, quarter)
  const key = new Uint8Array(32)
  const view = new DataView(key.buffer)
  for (const [i, word] of RESULT.entries()) view.setUint32(4 * i, words[word] as number, true)
  words.fill(0)
  return key
}

function stateOf(secret: DataView): Uint32Array {
  const words = new Uint32Array(16)
  for (const [i, word] of SIGMA.entries()) words[5 * i] = word
  for (let i = 0; i < 4; i++) {
    words[1 + i] = secret.getUint32(4 * i, true)
    words[11 + i] = secret.getUint32(16 + 4 * i, true)
  }
  return words
}

function mix(words: Uint32Array, [a, b, c, d]: readonly [number, number, number, number]): void {
  const add = (to: number, x: number, y: number, by: number): void => {
    const sum = ((words[x] as number) + (words[y] as number)) | 0
    words[to] = (words[to] as number) ^ ((sum << by) | (sum >>> (32 - by)))
  }
  add(b, a, d, 7)
  add(c, b, a, 9)
  add(d, c, b, 13)
  add(a, d, c, 18)
}
