// The secret behind signed stream links: a file of its own, because links must be checked before the store is open.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import { replaceFile } from '../settings/config-file.ts'

const SECRET_FILE = 'link-secret'
const SECRET_BYTES = 32

/** The secret of this state directory, made at the first start. AppErrors StateUnreadable, DiskFull, DiskError. */
export async function openLinkSecret(stateDir: string): Promise<Uint8Array> {
  const path = join(stateDir, SECRET_FILE)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new AppError('StateUnreadable', `${path} cannot be read: ${errorText(error)}.`, { cause: error })
  })
  // What is too short is no secret: links made with it end, nothing else does.
  if (/^[0-9a-f]{64}\n$/.test(text)) return Buffer.from(text.trim(), 'hex')
  const secret = randomBytes(SECRET_BYTES)
  await replaceFile(path, `${secret.toString('hex')}\n`)
  return secret
}
