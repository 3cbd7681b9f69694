// What programs write to the device, by the kernel's accounting, and a folder where writing reaches one.

import { mkdtemp, readFile, rm, mkdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestFolder } from '../../test/kit/content/content-on-disk.ts'
import { projectRoot } from '../../test/kit/project-root.ts'
import { removeAtExit } from './owned-processes.ts'

/** Of tmpfs and ramfs (statfs(2)): what is written there reaches no device. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6])

/** Read before a benchmark moves its temporary folders to memory. */
const places = [tmpdir(), join(projectRoot, 'dist')]

/** A new folder on a device; null where the machine has none at hand, or does not count what is written. */
export async function folderOnDevice(): Promise<TestFolder | null> {
  if ((await readOwn()) === null) return null
  for (const place of places) {
    if (IN_MEMORY.has((await statfs(place)).type)) continue
    const path = await mkdtemp(join(place, 'tributary-bench-'))
    removeAtExit(path)
    const sub = async (name: string) => {
      await mkdir(join(path, name), { recursive: true })
      return join(path, name)
    }
    return { path, sub, remove: () => rm(path, { recursive: true, force: true }) }
  }
  return null
}

/**
 * Bytes that this process and its children that have ended sent to a device (`write_bytes` of /proc/PID/io): Linux adds
 * a child's to its parent's when the parent has waited for it, so what it wrote while it stopped is counted too.
 */
export async function bytesToDevice(): Promise<number> {
  const bytes = await readOwn()
  if (bytes === null) throw new Error('this kernel does not count what a process writes')
  return bytes
}

async function readOwn(): Promise<number | null> {
  const text = await readFile('/proc/self/io', 'utf8').catch(() => '')
  const found = /^write_bytes: (\d+)$/m.exec(text)?.[1]
  return found === undefined ? null : Number(found)
}
