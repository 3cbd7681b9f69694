// The last lines of the log, read from its end backwards; what is missing from the newest file comes from the one
// before.

import { open } from 'node:fs/promises'
import { errnoOf } from '../files/disk-errors.ts'

const CHUNK_BYTES = 64 * 1024
/** More than the longest answer worth reading; lines beyond it are left out. */
const MAX_TAIL_BYTES = 4 * 1024 * 1024
const NEWLINE = 0x0a

/** The last `maxLines` lines of `files`, the newest file first in the list; empty when there is none. */
export async function logTail(files: readonly string[], maxLines: number): Promise<string> {
  let text = ''
  let left = maxLines
  for (const file of files) {
    if (left <= 0) break
    const part = await tailOf(file, left)
    text = part + text
    left -= countLines(part)
  }
  return text
}

async function tailOf(file: string, maxLines: number): Promise<string> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  })
  if (handle === null) return ''
  try {
    const { size } = await handle.stat()
    const parts: Buffer[] = []
    let lines = 0
    let bytes = 0
    // One newline more than lines: the first one kept begins behind it.
    for (let end = size; end > 0 && lines <= maxLines && bytes < MAX_TAIL_BYTES; ) {
      const length = Math.min(CHUNK_BYTES, end)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, end - length)
      const part = buffer.subarray(0, bytesRead)
      parts.unshift(part)
      for (const byte of part) if (byte === NEWLINE) lines += 1
      bytes += length
      end -= length
    }
    return lastLines(Buffer.concat(parts).toString('utf8'), maxLines, bytes < size)
  } finally {
    await handle.close()
  }
}

/** `cut`: the text begins in the middle of a line. */
function lastLines(text: string, maxLines: number, cut: boolean): string {
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text
  const lines = whole.split('\n')
  const complete = cut ? lines.slice(1) : lines
  const kept = complete.slice(-maxLines)
  return whole === '' || kept.length === 0 ? '' : `${kept.join('\n')}\n`
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - 1
}
