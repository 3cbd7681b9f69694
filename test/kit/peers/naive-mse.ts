// Message stream encryption the slow way, written from its description with node:crypto and a textbook RC4: what the
// product is held against. Shares no code with src/wire.

import { createDiffieHellman, createHash } from 'node:crypto'

/** The prime of the group, in hexadecimal. */
export const PRIME_HEX =
  'FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD' +
  'EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A63A36210000000000090563'

/** Encrypts or decrypts the next bytes of one direction. */
export type NaiveCipher = (bytes: Uint8Array) => Buffer

/** RC4 with so many bytes of its keystream thrown away. */
export function naiveRc4(key: Uint8Array, discard = 1024): NaiveCipher {
  const s = Array.from({ length: 256 }, (_, n) => n)
  const swap = (a: number, b: number): void => {
    const kept = s[a] as number
    s[a] = s[b] as number
    s[b] = kept
  }
  let j = 0
  for (let i = 0; i < 256; i++) {
    j = (j + (s[i] as number) + (key[i % key.length] as number)) % 256
    swap(i, j)
  }
  let i = 0
  j = 0
  const next = (): number => {
    i = (i + 1) % 256
    j = (j + (s[i] as number)) % 256
    swap(i, j)
    return s[((s[i] as number) + (s[j] as number)) % 256] as number
  }
  for (let count = 0; count < discard; count++) next()
  return bytes => Buffer.from(Array.from(bytes, byte => byte ^ next()))
}

/** SHA-1 of all parts in a row. */
export function naiveSha1(...parts: readonly (string | Uint8Array)[]): Buffer {
  return createHash('sha1')
    .update(Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))))
    .digest()
}

/** A key pair: 96 bytes each, made by OpenSSL. */
export interface NaiveKeys {
  readonly publicKey: Buffer
  secret(other: Uint8Array): Buffer
}

const padded = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.alloc(96), bytes]).subarray(-96)

/** The keys of one private exponent. Slow: OpenSSL proves the prime every time. */
export function naiveKeys(exponent: Uint8Array): NaiveKeys {
  const dh = createDiffieHellman(Buffer.from(PRIME_HEX, 'hex'), 2)
  dh.setPrivateKey(exponent)
  dh.generateKeys()
  return { publicKey: padded(dh.getPublicKey()), secret: other => padded(dh.computeSecret(other)) }
}

/** Step 3 of a handshake; what is left out is as it should be. */
export interface NaiveOffer {
  readonly provide: number
  readonly padC?: Uint8Array
  readonly initial?: Uint8Array
  readonly vc?: Uint8Array
  /** Instead of the true length of PadC. */
  readonly padBytes?: number
}

/** What a side sends, and its ciphers behind it. */
export interface NaiveStep {
  readonly bytes: Buffer
  readonly encrypt: NaiveCipher
  readonly decrypt: NaiveCipher
}

function uint(value: number, bytes: number): Buffer {
  const out = Buffer.alloc(bytes)
  out.writeUIntBE(value, 0, bytes)
  return out
}

/** Step 3. `skey`: the 20 bytes of the info hash. */
export function naiveOffer(secret: Uint8Array, skey: Uint8Array, offer: NaiveOffer): NaiveStep {
  const encrypt = naiveRc4(naiveSha1('keyA', secret, skey))
  const decrypt = naiveRc4(naiveSha1('keyB', secret, skey))
  const { provide, padC = Buffer.alloc(0), initial = Buffer.alloc(0), vc = Buffer.alloc(8), padBytes } = offer
  const mask = naiveSha1('req3', secret)
  const hidden = Buffer.from(naiveSha1('req2', skey).map((byte, at) => byte ^ (mask[at] as number)))
  const length = uint(padBytes ?? padC.length, 2)
  const body = encrypt(Buffer.concat([vc, uint(provide, 4), length, padC, uint(initial.length, 2), initial]))
  return { bytes: Buffer.concat([naiveSha1('req1', secret), hidden, body]), encrypt, decrypt }
}

/** Step 4. `padBytes`: instead of the true length of PadD. */
export function naiveChoice(
  secret: Uint8Array,
  skey: Uint8Array,
  choice: { readonly select: number; readonly padD?: Uint8Array; readonly padBytes?: number },
): NaiveStep {
  const decrypt = naiveRc4(naiveSha1('keyA', secret, skey))
  const encrypt = naiveRc4(naiveSha1('keyB', secret, skey))
  const { select, padD = Buffer.alloc(0), padBytes } = choice
  const bytes = encrypt(Buffer.concat([Buffer.alloc(8), uint(select, 4), uint(padBytes ?? padD.length, 2), padD]))
  return { bytes, encrypt, decrypt }
}
