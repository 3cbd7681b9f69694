// What a node costs while nothing happens: its CPU, and what it writes to its folder and to those of the data.

import { readFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { NodeProcess } from './node-process.ts'
import { residentMiB } from './resident-memory.ts'

/** Changes that are seen in such a time are of one write: a batch may take longer than a look. Milliseconds. */
const ONE_WRITE_MS = 5000
/** Clock ticks of /proc a second. */
const TICKS = 100

/** Figures of some seconds. */
export interface IdleFigures {
  readonly mib: number
  /** Of one core. */
  readonly cpuPercent: number
  /** Bytes that the process gave to disks, as /proc/PID/io counts them. */
  readonly writtenBytes: number
  /** How often each file of the state folder was written, by name. */
  readonly stateWrites: ReadonlyMap<string, number>
  /** Names below the data folder that changed. */
  readonly dataChanges: readonly string[]
}

function cpuSec(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

/** When everything below `folder` was changed last, ms since 1970, by name; '.' is the folder. */
async function changes(folder: string): Promise<ReadonlyMap<string, number>> {
  const names = ['.', ...(await readdir(folder, { recursive: true }))]
  const looks = names.map(async name => [name, (await stat(path.join(folder, name))).mtimeMs] as const)
  return new Map((await Promise.allSettled(looks)).flatMap(look => (look.status === 'fulfilled' ? [look.value] : [])))
}

function differences(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter(name => before.get(name) !== after.get(name))
}

/** Watches for `seconds`; `data`: the folder of the downloads. */
export async function idleFigures(node: NodeProcess, data: string, seconds: number): Promise<IdleFigures> {
  const dataBefore = await changes(data)
  const stateWrites = new Map<string, number>()
  const lastMs = new Map<string, number>()
  let state = await changes(node.stateDir)
  const [cpu, bytes, beganMs] = [cpuSec(node.pid), writtenBytes(node.pid), performance.now()]
  for (let second = 0; second < seconds; second += 1) {
    await pause(1000)
    const now = await changes(node.stateDir)
    for (const name of differences(state, now)) {
      const isNew = performance.now() - (lastMs.get(name) ?? Number.NEGATIVE_INFINITY) > ONE_WRITE_MS
      lastMs.set(name, performance.now())
      if (isNew) stateWrites.set(name, (stateWrites.get(name) ?? 0) + 1)
    }
    state = now
  }
  const tookSec = (performance.now() - beganMs) / 1000
  return {
    mib: residentMiB(node.pid),
    cpuPercent: ((cpuSec(node.pid) - cpu) / tookSec) * 100,
    writtenBytes: writtenBytes(node.pid) - bytes,
    stateWrites,
    dataChanges: differences(dataBefore, await changes(data)),
  }
}
