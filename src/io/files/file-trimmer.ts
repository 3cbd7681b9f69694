// FileTrimmer over safe-files: no path is followed through a link.

import { fdatasync, fstat, ftruncate } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import { AppError } from '../../base/errors.ts'
import type { FileTrimmer } from '../../ports/file-trimmer.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import { noTurns, type VolumeTurns } from '../../ports/volumes.ts'
import { withFolder } from './folder-way.ts'
import { closeQuietly, procAvailable } from './safe-files.ts'

const stat = promisify(fstat)
const truncate = promisify(ftruncate)
const sync = promisify(fdatasync)

/** FileTrimmer over safe-files: no path is followed through a link. */
export class SafeFileTrimmer implements FileTrimmer {
  readonly #own: OwnFiles | null
  readonly #turns: VolumeTurns

  /** `own`: what is never touched. */
  constructor(own: OwnFiles | null, turns: VolumeTurns = noTurns) {
    this.#own = own
    this.#turns = turns
  }

  async trim(
    destination: string,
    files: readonly { readonly path: readonly string[]; readonly length: number }[],
  ): Promise<void> {
    const root = await this.#turns.runInTime(destination, () => realpath(destination).catch(() => null))
    if (root === null) return
    for (const { path, length } of files)
      await this.#turns.runInTime(root, () => trimOne(root, path, length, this.#own))
  }
}

async function trimOne(root: string, path: readonly string[], length: number, own: OwnFiles | null): Promise<void> {
  const name = path.at(-1)
  if (name === undefined) return
  try {
    await withFolder(root, path.slice(0, -1), { create: false, proc: procAvailable, own }, async folder => {
      if ((await folder.stat(name))?.isFile() !== true) return
      const { fd } = await folder.openFile(name, { write: true, create: false })
      try {
        if ((await stat(fd)).size <= length) return
        await truncate(fd, length)
        await sync(fd)
      } finally {
        await closeQuietly(fd)
      }
    })
  } catch (error) {
    // A folder that is not there has no file that is too long.
    if (!(error instanceof AppError) || error.code !== 'FileMissing') throw error
  }
}
