// The key agreement of message stream encryption: Diffie-Hellman in a fixed group of 768 bits, with private exponents
// of 160 bits. Powers are taken with BigInt: about 200 multiplications, well under a millisecond. node:crypto would be
// asked for the same by createDiffieHellman(), which proves at every call that the prime is one, and that takes 14 ms.
// BigInt does not hide the exponent from who measures time; exponents are used once, and the secret is worth one
// connection.

import { DecodeError } from '../../base/errors.ts'

/** Bytes of a public key and of the shared secret, big-endian with zeros in front. */
export const PUBLIC_KEY_BYTES = 96

/** Bytes of a private exponent: more than 160 bits only cost time (MSE). */
export const EXPONENT_BYTES = 20

const PRIME = BigInt(
  '0xffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74' +
    '020bbea63b139b22514a08798e3404ddef9519b3cd3a431b302b0a6df25f1437' +
    '4fe1356d6d51c245e485b576625e7ec6f44c42e9a63a36210000000000090563',
)

/** Takes the powers; tests put in one that counts. Each call is one modular exponentiation. */
export interface KeyAgreement {
  /** The public key, 96 bytes, of a private exponent of 20 bytes. */
  publicKey(exponent: Uint8Array): Uint8Array
  /** The shared secret, 96 bytes. Throws DecodeError when `other` is a key that gives the secret away. */
  secret(exponent: Uint8Array, other: Uint8Array): Uint8Array
}

/** What the handshake needs of chance. */
export interface MseRandom {
  bytes(count: number): Uint8Array
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
}

/** A fresh private exponent. Its highest bit is set, so that no chance makes a small one. */
export function makeExponent(random: MseRandom): Uint8Array {
  const exponent = Uint8Array.from(random.bytes(EXPONENT_BYTES))
  exponent[0] = (exponent[0] as number) | 0x80
  return exponent
}

/** Diffie-Hellman with the prime of MSE and the generator 2. */
export const mseKeys: KeyAgreement = {
  publicKey: exponent => toBytes(powerOfTwo(exponent)),
  secret(exponent, other) {
    if (other.length !== PUBLIC_KEY_BYTES) throw new DecodeError(`a public key has ${PUBLIC_KEY_BYTES} bytes`)
    const base = toNumber(other)
    // 0, 1 and -1 make a secret that everybody knows; nothing at or above the prime comes out of an exponentiation.
    if (base <= 1n || base >= PRIME - 1n) throw new DecodeError('a public key of no use')
    return toBytes(power(base, exponent))
  },
}

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`)
}

function toBytes(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * PUBLIC_KEY_BYTES, '0'), 'hex')
}

/** 2 to the power of a big-endian exponent: eight squarings a byte, and a shift for the byte itself. */
function powerOfTwo(exponent: Uint8Array): bigint {
  let value = 1n
  for (const byte of exponent) {
    for (let bit = 0; bit < 8; bit += 1) value = (value * value) % PRIME
    value = (value << BigInt(byte)) % PRIME
  }
  return value
}

/** `base` to the power of a big-endian exponent, four bits at a time. */
function power(base: bigint, exponent: Uint8Array): bigint {
  const powers = [1n]
  for (let last = 1n; powers.length < 16; ) {
    last = (last * base) % PRIME
    powers.push(last)
  }
  let value = 1n
  for (const byte of exponent) {
    for (const digit of [byte >> 4, byte & 15]) {
      for (let bit = 0; bit < 4; bit += 1) value = (value * value) % PRIME
      if (digit > 0) value = (value * (powers[digit] as bigint)) % PRIME
    }
  }
  return value
}
