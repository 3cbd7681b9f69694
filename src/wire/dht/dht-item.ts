// Items of the DHT (BEP 44): where they lie and which bytes are signed. No cryptography beyond SHA-1, no storage.

import { createHash } from 'node:crypto'

/** Longest value that nodes must store, bytes of bencode. */
export const MAX_ITEM_BYTES = 1000
/** Longest salt, bytes. */
export const MAX_SALT_BYTES = 64

function sha1(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return Uint8Array.from(hash.digest())
}

/** Where an immutable item lies: the SHA-1 of its raw bencode. */
export function immutableTarget(value: Uint8Array): Uint8Array {
  return sha1(value)
}

/** Where a mutable item lies: the SHA-1 of key (32 bytes) and salt (empty for none). */
export function mutableTarget(key: Uint8Array, salt: Uint8Array): Uint8Array {
  return sha1(key, salt)
}

/** The bytes that a mutable item's signature covers; `value` is raw bencode. */
export function signedBytes(salt: Uint8Array, seq: bigint, value: Uint8Array): Uint8Array {
  const saltPart = salt.length === 0 ? [] : [Buffer.from(`4:salt${salt.length}:`, 'latin1'), salt]
  return Buffer.concat([...saltPart, Buffer.from(`3:seqi${seq}e1:v`, 'latin1'), value])
}
