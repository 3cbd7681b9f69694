// The size of the store on the disk.

import { stat } from 'node:fs/promises'

/** What SQLite keeps beside a database. */
const SUFFIXES = ['', '-wal', '-shm']

/** Bytes of the database at `path` with its log; 0 when there is none. Never rejects. */
export async function databaseBytes(path: string): Promise<number> {
  const sizes = SUFFIXES.map(suffix =>
    stat(`${path}${suffix}`)
      .then(({ size }) => size)
      .catch(() => 0),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
