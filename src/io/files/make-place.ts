// Makes the folder of a place that was judged. A path may be swapped for a link after it was judged, so what is judged
// once more is the folder that was opened, and the rest is made below its descriptor: nothing is ever made where a link
// led meanwhile.

import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { SafeFolder } from './safe-files.ts'

/**
 * Makes the folders of `place` that are missing and answers the real path of the last. `place`: absolute, its links
 * followed as far as they were there (placeOf). `judge` gets the real path of what will be made, before it is, and the
 * open folder that it is or will lie in, and throws where it may not be. Errors of the system, AppError UnsafePath (a
 * link came meanwhile), and what `judge` throws.
 */
export async function makePlace(
  place: string,
  judge: (real: string, above: SafeFolder) => Promise<void> | void,
): Promise<string> {
  const { above, missing } = await nearestFolder(place)
  let folder = await SafeFolder.openRoot(above)
  try {
    const real = path.join(await folder.realPath(), ...missing)
    await judge(real, folder)
    for (const name of missing) {
      const next: SafeFolder = await folder.openFolder(name, true)
      await folder.close()
      folder = next
    }
    return real
  } finally {
    await folder.close()
  }
}

/** The lowest part of a path where something is, and the names below it. */
async function nearestFolder(place: string): Promise<{ above: string; missing: string[] }> {
  const missing: string[] = []
  let above = place
  for (; !(await isThere(above)); above = path.dirname(above)) missing.unshift(path.basename(above))
  return { above, missing }
}

async function isThere(at: string): Promise<boolean> {
  if (at === path.dirname(at)) return true
  try {
    await lstat(at)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
