// From errno names to the error table. Knows the codes and the sentences, touches no file.

import { AppError, errorText, type ErrorCode } from '../../base/errors.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'DiskFull',
  EDQUOT: 'DiskFull',
  ENOENT: 'FileMissing',
  ENOTDIR: 'FileMissing',
  GONE: 'FileMissing',
  ELOOP: 'UnsafePath',
  // A directory, socket or pipe where a file should be.
  EISDIR: 'UnsafePath',
  ENXIO: 'UnsafePath',
}

const sentences: Partial<Record<ErrorCode, string>> = {
  DiskFull: 'The disk is full',
  FileMissing: 'A file or folder of the download has vanished',
  UnsafePath: 'A path of the download leads through a link or is not a plain file',
}

/** The errno name of a thrown value, or null. */
export function errnoOf(error: unknown): string | null {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : null
}

/** The AppError of errno `errno` that happened to `path`: its text names both. */
export function diskErrorFrom(errno: string, path: string, text: string, cause?: unknown): AppError {
  const code = codes[errno] ?? 'DiskError'
  const detail = text.startsWith(errno) ? text.split(',')[0] : `${errno}: ${text}`
  // The name of the error stays with it: some faults pass.
  const known = cause ?? Object.assign(new Error(text), { code: errno })
  return new AppError(code, `${sentences[code] ?? 'The disk reported an error'}: ${path} (${detail})`, { cause: known })
}

/** The AppError of a failed file operation on `path`. An AppError stays itself; what has no errno becomes DiskError. */
export function diskError(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error
  return diskErrorFrom(errnoOf(error) ?? 'error', path, errorText(error), error)
}
