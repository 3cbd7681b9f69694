// One change for many torrents: a few at a time, each whatever becomes of the others.

import { AppError } from '../../base/errors.ts'

/** Changes under way at a time; each waits for the database. */
const AT_ONCE = 8

/**
 * Runs `change` for each; rejects with the first failure when all are through. A torrent that is gone is no failure.
 */
export async function eachTorrent(
  infohashes: readonly string[],
  change: (infohash: string) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  const waiting = infohashes.values()
  const worker = async (): Promise<void> => {
    for (const infohash of waiting) {
      try {
        await change(infohash)
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'DownloadNotFound')) failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, infohashes.length) }, worker))
  if (failures.length > 0) throw failures[0]
}
