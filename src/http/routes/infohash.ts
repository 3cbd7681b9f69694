// The infohash of a path, for all routes that have one.

import { AppError } from '../../base/errors.ts'

/** An infohash of the samples. */
export const SAMPLE_INFOHASH = '0123456789abcdef0123456789abcdef01234567'

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/**
 * The segment `infohash`, lower case. What is not hexadecimal is answered as what is not known: AppError
 * DownloadNotFound.
 */
export function infohashOf(path: Readonly<Record<string, string>>): string {
  const text = (path['infohash'] ?? '').toLowerCase()
  if (!HASH.test(text)) throw new AppError('DownloadNotFound')
  return text
}
