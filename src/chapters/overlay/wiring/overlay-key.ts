// The key pair that this node is in the overlays: a file of its own in the state directory, made at the first start of
// the overlay and never again. Its holder can speak as this node.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, errorText } from '../../../base/errors.ts'
import type { OverlayCrypto, OverlayKeyPair } from '../ports/overlay-crypto.ts'
import { replaceFile } from '../../../node/settings/config-file.ts'

/** Its name in the state directory. */
export const OVERLAY_KEY_FILE = 'overlay-key'

/** The key of this state directory. AppErrors StateUnreadable (also for a file that is no key), DiskFull, DiskError. */
export async function openOverlayKey(
  stateDir: string,
  crypto: Pick<OverlayCrypto, 'generate' | 'fromPrivate'>,
): Promise<OverlayKeyPair> {
  const path = join(stateDir, OVERLAY_KEY_FILE)
  const text = await readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new AppError('StateUnreadable', `${path} cannot be read: ${errorText(error)}.`, { cause: error })
  })
  if (text === null) return makeKey(path, crypto)
  const form = /^[0-9a-f]{148}\n$/.test(text) ? Buffer.from(text.trim(), 'hex') : Buffer.alloc(0)
  try {
    return crypto.fromPrivate(form)
  } catch (error) {
    // Another key would make this another node: that is for its owner to decide.
    throw new AppError('StateUnreadable', `${path} is no key; delete it to have a new one made.`, { cause: error })
  } finally {
    form.fill(0)
  }
}

async function makeKey(path: string, crypto: Pick<OverlayCrypto, 'generate'>): Promise<OverlayKeyPair> {
  const pair = crypto.generate()
  const form = pair.privateForm()
  try {
    await replaceFile(path, `${Buffer.from(form).toString('hex')}\n`)
  } finally {
    form.fill(0)
  }
  return pair
}
