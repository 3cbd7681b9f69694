// The message about a file in a download's place that is not the download's: which file, and what to do. One text for
// every caller.

import { AppError } from './errors.ts'

/** AppError ForeignFile of `count` files, the first at `path`; `why` it is not the download's. */
export function foreignFile(path: string, why: string, count = 1): AppError {
  const more = count > 1 ? ` (and ${count - 1} more)` : ''
  return new AppError(
    'ForeignFile',
    `A file that is not of this download lies in its place: ${path}${more}: ${why}. Nothing of it was changed. Move the file ` +
      'away, choose another folder or deselect it, then resume; or resume with overwrite to write over it.',
  )
}
