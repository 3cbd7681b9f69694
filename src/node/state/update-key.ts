// The key pair under which this node publishes torrents that are updated (BEP 46): a file of its own in the state
// directory that only its owner may read. Its holder can publish in our name, so it is never replaced: a broken one is
// an error.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import { replaceFile } from '../settings/config-file.ts'

const KEY_FILE = 'update-key'
const SEED_BYTES = 32

/** The seed of the key pair, made at the first use. AppErrors StateUnreadable, DiskFull, DiskError. */
export async function openUpdateKey(stateDir: string): Promise<Uint8Array> {
  const path = join(stateDir, KEY_FILE)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new AppError('StateUnreadable', `${path} cannot be read: ${errorText(error)}.`, { cause: error })
  })
  if (text === null) {
    const seed = randomBytes(SEED_BYTES)
    await replaceFile(path, `${seed.toString('hex')}\n`)
    return seed
  }
  if (!/^[0-9a-f]{64}\n?$/.test(text))
    throw new AppError('StateUnreadable', `${path} is no key: 64 hexadecimal digits.`)
  return Buffer.from(text.trim(), 'hex')
}
