// The text of a file of magnet links: one a line. Pure.

import { AppError } from '../../base/errors.ts'
import { MAX_MAGNET_CHARS } from '../../wire/metainfo/magnet.ts'

/** Links of one file. */
const MAX_LINKS = 1_000

/** The links, in order. AppError BadMagnet: a line is no magnet link, or there is none, or there are too many. */
export function magnetLines(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
  const lines = text.split(/\r?\n|\r/).map(line => line.trim())
  const links = lines.filter(line => line !== '' && !line.startsWith('#'))
  if (links.length === 0) throw new AppError('BadMagnet', 'The file has no magnet link.')
  if (links.length > MAX_LINKS) throw new AppError('BadMagnet', `The file has more than ${MAX_LINKS} lines.`)
  for (const link of links) {
    if (!/^magnet:\?/i.test(link) || link.length > MAX_MAGNET_CHARS)
      throw new AppError('BadMagnet', 'A line of the file is no magnet link.')
  }
  return links
}
