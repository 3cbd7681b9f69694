// Where a benchmark runs: a folder in memory (/dev/shm) and addresses of its own in the network namespace.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { makeTestFolder, type TestFolder } from '../../test/kit/content/content-on-disk.ts'
import { claimHosts, type LoopbackHosts } from '../../test/kit/nodes/loopback-hosts.ts'
import { removeAtExit } from './owned-processes.ts'

/**
 * Blocks of addresses of a flow: each run of a client has up to ten of its own (eight leechers, a tracker, a seeder),
 * and `--level all` has some 330 in its longest flow.
 */
export const BENCH_BLOCKS = 8

export interface BenchPlace {
  readonly folder: TestFolder
  readonly hosts: LoopbackHosts
  /** A number that was not given before, for names of folders. */
  turn(): number
}

/** Runs `work` in a place of its own, removed afterwards. */
export async function inPlace<T>(work: (place: BenchPlace) => Promise<T>): Promise<T> {
  process.env['TMPDIR'] = '/dev/shm'
  const hosts = await claimHosts(BENCH_BLOCKS)
  const folder = await makeTestFolder()
  removeAtExit(folder.path)
  let turns = 0
  try {
    return await work({ folder, hosts, turn: () => ++turns })
  } finally {
    await folder.remove()
    await hosts.release()
  }
}

/**
 * Touches and frees `mib` MiB in a child. A virtual machine gives memory that is free back to its host; the first touch
 * of such a page then costs the process under measurement up to two CPU-seconds per GiB, at random.
 */
export async function warmMemory(mib: number): Promise<void> {
  const code = `for (let left = ${Math.ceil(mib)}, kept = []; left > 0; left -= 64) kept.push(Buffer.alloc(64 << 20, 1))`
  const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' })
  await once(child, 'close')
}

/**
 * Lets clients that have just started come to rest, not measured: libtorrent, for one, makes no connection in its first
 * half second, which users that leave it running never meet.
 */
export function settle(): Promise<void> {
  return pass(1000)
}

/** Waits `ms`: only where the passing of time is what is measured (idle CPU). */
export function pass(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
