// The end of a file of lines, read backwards in bounds.

import { open } from 'node:fs/promises'

/** Looked at from the end. */
const MAX_TAIL_BYTES = 4 * 1024 * 1024

/**
 * The last `lines` whole lines, the oldest first; none when there is no such file. Rejects with what the system says.
 */
export async function readLogTail(path: string, lines: number): Promise<string[]> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (file === null) return []
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - MAX_TAIL_BYTES)
    const bytes = Buffer.alloc(size - start)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    const all = bytes.subarray(0, bytesRead).toString('utf8').split('\n')
    const whole = start > 0 ? all.slice(1) : all
    return whole.filter(line => line !== '').slice(-lines)
  } finally {
    await file.close()
  }
}
