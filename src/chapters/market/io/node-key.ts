// The key of the node, under which secrets of swaps are sealed: 32 bytes in a file that only its owner can read, made
// once and on the disk before anything is sealed. In memory it lies with OpenSSL, not in the heap.

import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorText } from '../../../base/errors.ts'
import type { SecretSeal } from '../ports/market-files.ts'
import { syncFolder, writeDurably } from '../../../io/files/owner-folder.ts'

/** Its name in the folder of the market. */
export const NODE_KEY_FILE = 'node.key'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const PREFIX = 'sealed1:'
const ASSOCIATED = Buffer.from('tributary market secret 1')
const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants

/**
 * The seal of the key in `folder`; the key is made where there is none. One at a time for a folder. AppErrors
 * StateUnreadable (others can read it, or it is no key), DiskFull, DiskError.
 */
export async function openNodeKey(folder: string): Promise<SecretSeal> {
  const path = join(folder, NODE_KEY_FILE)
  const bytes = (await readKey(path)) ?? (await makeKey(folder, path))
  try {
    return new NodeSeal(createSecretKey(bytes), path)
  } finally {
    bytes.fill(0)
  }
}

async function readKey(path: string): Promise<Buffer | null> {
  try {
    const file = await open(path, O_RDONLY | O_NOFOLLOW)
    try {
      const facts = await file.stat()
      if (!facts.isFile() || facts.size !== KEY_BYTES) throw new Error('it is no key of 32 bytes')
      // Others that read it may have kept it: its owner must know.
      if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)
        throw new Error('others than its owner may read or change it: its mode must be 0600')
      const bytes = Buffer.alloc(KEY_BYTES)
      const { bytesRead } = await file.read(bytes, 0, KEY_BYTES, 0)
      if (bytesRead !== KEY_BYTES) throw new Error('it is no key of 32 bytes')
      return bytes
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    const text = `${path} cannot be used: ${errorText(error)}. Swaps that are under way need it.`
    throw new AppError('StateUnreadable', text, { cause: error })
  }
}

async function makeKey(folder: string, path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(KEY_BYTES)
  randomBytes(KEY_BYTES).copy(bytes)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const fresh = `${path}.new`
    await rm(fresh, { force: true })
    await writeDurably(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, bytes)
    await rename(fresh, path)
    await syncFolder(folder)
    return bytes
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const full = code === 'ENOSPC' || code === 'EDQUOT'
    throw new AppError(full ? 'DiskFull' : 'DiskError', `${path} could not be made: ${errorText(error)}`, {
      cause: error,
    })
  }
}

/** AES-256-GCM with a random nonce; what it makes is `sealed1:` and base64 of nonce, tag and cipher text. */
class NodeSeal implements SecretSeal {
  readonly #key: KeyObject
  readonly #path: string

  constructor(key: KeyObject, path: string) {
    this.#key = key
    this.#path = path
  }

  seal(secret: Uint8Array): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(ASSOCIATED)
    const text = cipher.update(secret)
    cipher.final()
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
  }

  open(sealed: string): Uint8Array {
    const bytes = Buffer.from(sealed.startsWith(PREFIX) ? sealed.slice(PREFIX.length) : '', 'base64')
    try {
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('it is no sealed secret')
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(ASSOCIATED)
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
      decipher.final()
      return opened
    } catch (error) {
      const text = `A secret of a swap cannot be opened with ${this.#path}: it was sealed with another key, or changed.`
      throw new AppError('StateUnreadable', text, { cause: error })
    }
  }
}
