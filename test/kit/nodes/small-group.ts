// A control group with little memory, no swap and one processor, for a node that must live in it: of either version,
// where this user may make one.

import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'
const MIB = 2 ** 20
/** Microseconds of one processor in the scheduler's period. */
const ONE_CPU_US = 100_000

export interface SmallGroup {
  /** What runs before a program so that it runs in the group, as the same process. */
  readonly prefix: readonly string[]
  figures(): SmallGroupFigures
  /** Its programs must have ended. */
  remove(): void
}

/** What happened in the group so far. */
export interface SmallGroupFigures {
  /** The most memory ever charged, page cache included, MiB. */
  readonly peakMiB: number
  /** Memory that is no page cache, now, MiB. */
  readonly anonMiB: number
  readonly swapMiB: number
  readonly oomKills: number
}

/** Files below a group's folder: what is set, and where figures are read. */
interface Version {
  /** Folders of controllers below the root; one in version 2. */
  readonly folders: readonly string[]
  /** File and value, each in the first folder that has it. */
  settings(bytes: number): readonly (readonly [folder: string, file: string, value: string])[]
  /** Of the folder of the memory controller. */
  figures(folder: string): SmallGroupFigures
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function field(text: string, name: string): number {
  return Number(new RegExp(String.raw`^${name} (\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

const two: Version = {
  folders: [''],
  settings: bytes => [
    ['', 'memory.max', String(bytes)],
    ['', 'memory.swap.max', '0'],
    ['', 'cpu.max', `${ONE_CPU_US} ${ONE_CPU_US}`],
  ],
  figures: folder => ({
    peakMiB: Number(textOf(join(folder, 'memory.peak'))) / MIB,
    anonMiB: field(textOf(join(folder, 'memory.stat')), 'anon') / MIB,
    swapMiB: Number(textOf(join(folder, 'memory.swap.current'))) / MIB,
    oomKills: field(textOf(join(folder, 'memory.events')), 'oom_kill'),
  }),
}

const one: Version = {
  folders: ['memory', 'cpu'],
  settings: bytes => [
    ['memory', 'memory.limit_in_bytes', String(bytes)],
    // Memory and swap together: no more than the memory.
    ['memory', 'memory.memsw.limit_in_bytes', String(bytes)],
    ['cpu', 'cpu.cfs_period_us', String(ONE_CPU_US)],
    ['cpu', 'cpu.cfs_quota_us', String(ONE_CPU_US)],
  ],
  figures: folder => ({
    peakMiB: Number(textOf(join(folder, 'memory.max_usage_in_bytes'))) / MIB,
    anonMiB: field(textOf(join(folder, 'memory.stat')), 'total_rss') / MIB,
    swapMiB: field(textOf(join(folder, 'memory.stat')), 'total_swap') / MIB,
    oomKills: field(textOf(join(folder, 'memory.oom_control')), 'oom_kill'),
  }),
}

function versionHere(): Version | null {
  const controllers = textOf(join(ROOT, 'cgroup.controllers')).split(/\s+/)
  if (controllers.includes('memory') && controllers.includes('cpu')) return two
  return one.folders.every(folder => textOf(join(ROOT, folder, 'cgroup.procs')) !== '') ? one : null
}

/** Why no group can be made here; null when one can. */
export function smallGroupMissing(): string | null {
  const version = versionHere()
  if (version === null) return 'no control groups with memory and cpu'
  try {
    for (const folder of version.folders) accessSync(join(ROOT, folder), constants.W_OK)
    return null
  } catch {
    return 'this user may make no control groups (root may)'
  }
}

/** Makes a group of `mib` MiB without swap and one processor. Throws what the kernel says. */
export function makeSmallGroup(mib: number): SmallGroup {
  const version = versionHere()
  if (version === null) throw new Error('no control groups')
  const name = `tributary-${process.pid}`
  const folders = version.folders.map(folder => join(ROOT, folder, name))
  for (const folder of folders) mkdirSync(folder)
  for (const [folder, file, value] of version.settings(mib * MIB)) writeFileSync(join(ROOT, folder, name, file), value)
  const joins = folders.map(folder => `echo $$ > ${folder}/cgroup.procs`).join(' && ')
  return {
    prefix: ['sh', '-c', `${joins} && exec "$@"`, 'sh'],
    figures: () => version.figures(folders[0] ?? ''),
    remove() {
      for (const folder of folders) rmdirSync(folder)
    },
  }
}
