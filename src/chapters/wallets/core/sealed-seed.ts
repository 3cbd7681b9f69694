// The seed as it lies on the disk: encrypted with AES-256-GCM under a key that scrypt makes of the password (RFC 7914).
// The parameters are stored beside it and authenticated with it.

import { createCipheriv, createDecipheriv, createHash, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'

/** Cost of trying a password: 64 MiB and some tenths of a second. */
const COST = { N: 65_536, r: 8, p: 2 } as const
/** A file that asks for more is not ours: 1 GiB. */
const MAX_COST = 1024 * 1024 * 1024
const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const HEX = /^(?:[0-9a-f]{2}){1,256}$/

/** What is stored. Texts are hexadecimal. */
export interface SealedSeed {
  readonly version: 1
  readonly kdf: {
    readonly name: 'scrypt'
    readonly N: number
    readonly r: number
    readonly p: number
    readonly salt: string
  }
  readonly cipher: 'aes-256-gcm'
  readonly nonce: string
  readonly sealed: string
  readonly tag: string
}

/** Seals `secret`. `random`: bytes fit for keys. `cost`: for tests. */
export async function sealSeed(
  secret: Uint8Array,
  password: Uint8Array,
  random: (count: number) => Uint8Array,
  cost: { readonly N: number; readonly r: number; readonly p: number } = COST,
): Promise<SealedSeed> {
  const kdf = { name: 'scrypt', ...cost, salt: hex(random(SALT_BYTES)) } as const
  const nonce = random(NONCE_BYTES)
  const key = await keyOf(password, kdf)
  try {
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(associated(kdf))
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
    return {
      version: 1,
      kdf,
      cipher: 'aes-256-gcm',
      nonce: hex(nonce),
      sealed: hex(sealed),
      tag: hex(cipher.getAuthTag()),
    }
  } finally {
    key.fill(0)
  }
}

/** Opens it; null: the password is another one. The caller wipes the bytes. */
export async function openSeed(stored: SealedSeed, password: Uint8Array): Promise<Uint8Array | null> {
  const key = await keyOf(password, stored.kdf)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(stored.nonce, 'hex'), { authTagLength: 16 })
    decipher.setAAD(associated(stored.kdf))
    decipher.setAuthTag(Buffer.from(stored.tag, 'hex'))
    const opened = decipher.update(Buffer.from(stored.sealed, 'hex'))
    decipher.final()
    return opened
  } catch {
    return null
  } finally {
    key.fill(0)
  }
}

/** Reads the stored form; null: it is none. */
export function readSealedSeed(value: unknown): SealedSeed | null {
  const { version, kdf, cipher, nonce, sealed, tag } = (value ?? {}) as Partial<Record<keyof SealedSeed, unknown>>
  const { name, N, r, p, salt } = (kdf ?? {}) as Partial<Record<string, unknown>>
  if (version !== 1 || name !== 'scrypt' || cipher !== 'aes-256-gcm') return null
  if (!isHex(nonce) || !isHex(sealed) || !isHex(tag) || !isHex(salt) || tag.length !== 32 || nonce.length !== 24)
    return null
  if (!isCount(N) || !isCount(r) || !isCount(p) || (N & (N - 1)) !== 0 || N < 2 || 128 * N * r * p > MAX_COST)
    return null
  return { version, kdf: { name, N, r, p, salt }, cipher, nonce, sealed, tag }
}

/** Hash of a spend key, which is as random as its owner made it: salted and slow. Hexadecimal. */
export async function hashSpendKey(key: Uint8Array, salt: string): Promise<string> {
  return hex(await keyOf(key, { N: 16_384, r: 8, p: 1, salt }))
}

/** Whether two hexadecimal hashes are the same, in a time that does not tell where they differ. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [a, b].map(text => createHash('sha256').update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}

function keyOf(password: Uint8Array, kdf: { N: number; r: number; p: number; salt: string }): Promise<Buffer> {
  const { N, r, p, salt } = kdf
  const options: ScryptOptions = { N, r, p, maxmem: 129 * N * r * p + 1_048_576 }
  return new Promise((resolve, reject) => {
    scrypt(password, Buffer.from(salt, 'hex'), KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

function associated({ name, N, r, p, salt }: SealedSeed['kdf']): Buffer {
  return Buffer.from(`tributary wallet seed 1 ${name} ${N} ${r} ${p} ${salt}`)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && HEX.test(value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}
