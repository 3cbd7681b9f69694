// A mount that stops answering: a folder seen through bindfs, whose process is stopped. The kernel's own waiting, which
// no preloaded library can play.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '../wait-for.ts'

/** A mount that stops answering: a folder seen through bindfs, whose process is stopped. */
export interface StalledMount {
  /** Where it is mounted. */
  readonly path: string
  /** From now on nothing is answered. */
  stall(): void
  /** It answers again. */
  recover(): void
  /** Unmounts; whoever still waits gets an error. */
  remove(): Promise<void>
}

/** Mounts `folder`/behind at `folder`/mounted (needs root and bindfs). */
export async function makeStalledMount(folder: string): Promise<StalledMount> {
  const [behind, path] = [join(folder, 'behind'), join(folder, 'mounted')]
  await mkdir(behind)
  await mkdir(path)
  const bindfs = spawn('bindfs', ['-f', '--no-allow-other', behind, path], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(bindfs, 'exit')
  const isMounted = async (): Promise<boolean> => (await readFile('/proc/self/mountinfo', 'utf8')).includes(` ${path} `)
  await waitFor('the mount', isMounted)
  return {
    path,
    stall: () => void bindfs.kill('SIGSTOP'),
    recover: () => void bindfs.kill('SIGCONT'),
    async remove() {
      spawn('umount', ['--lazy', path], { stdio: 'ignore' })
      // Killed, not asked: what waits for an answer then gets one.
      bindfs.kill('SIGKILL')
      await ended
      await waitFor('the end of the mount', async () => !(await isMounted()))
    },
  }
}
