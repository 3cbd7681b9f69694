// The digest of a file by a thread of libuv, where the machine code of src/native is there and the processor has the
// SHA instructions: others hash quicker by node:crypto.

import { createRequire } from 'node:module'
import { nativePart } from '../native-part.ts'

/** What of the machine code is used here. */
interface DigestCode {
  /** Names of the ways to hash; null for one that this processor cannot go. */
  paths(): readonly (string | null)[]
  /** SHA-256 of a file. Throws RangeError for what is no path, rejects with what the system says. */
  fileDigest(path: string): Promise<Uint8Array>
}

/** SHA-256 of a file, in hexadecimal digits; null: not here. Never rejects. It has begun when this returns. */
export async function digestInThread(path: string, load = loadDigestCode): Promise<string | null> {
  try {
    const code = load()
    return code.paths().includes('sha-ni') ? Buffer.from(await code.fileDigest(path)).toString('hex') : null
  } catch {
    return null
  }
}

function loadDigestCode(): DigestCode {
  return createRequire(import.meta.url)(nativePart) as DigestCode
}
