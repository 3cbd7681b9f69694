// What the scenes with disks have in common: stopping a node, and reading ranges from it.

import { spawnSync } from 'node:child_process'
import type { TestFolder } from '../kit/content/content-on-disk.ts'
import type { MadeTorrent } from '../kit/content/make-torrent.ts'
import type { NodeProcess } from '../kit/nodes/node-process.ts'
import { ask } from './raw-request.ts'
import type { Tally } from './tally.ts'

/** What README and src/docs/configuration.md promise, and what a busy machine may take beside it. */
const STOP_LIMIT_MS = 5500
/** Bytes of a piece of the download. */
export const PIECE = 65_536

/** What every scene has. */
export interface Stage {
  readonly tally: Tally
  readonly folder: TestFolder
  readonly stateDir: string
  readonly made: MadeTorrent
  readonly torrent: string
}

/** True where the kernel itself holds a thread of the process (state D): no signal ends that. */
function heldByKernel(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-L', '-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.split('\n').some(line => line.startsWith('D'))
}

/**
 * SIGTERM now: it must end in time with 0, or be held by the kernel; `free` gives the disk back to one that is held.
 */
export async function endIt(tally: Tally, scene: string, node: NodeProcess, free = () => {}): Promise<void> {
  const start = performance.now()
  let held = false
  const look = setTimeout(() => {
    held = heldByKernel(node.pid)
    free()
  }, STOP_LIMIT_MS)
  const ended = await node.kill('SIGTERM')
  clearTimeout(look)
  const tookMs = Math.round(performance.now() - start)
  if (held) tally.note(`${scene}: the kernel held the process, ${tookMs} ms`)
  const told = () => `${tookMs} ms, ${ended.code} ${ended.signal}`
  tally.check(`${scene}: it ends in time`, held || (tookMs < STOP_LIMIT_MS && ended.code === 0), told)
  tally.check(
    `${scene}: nothing unhandled`,
    !/unhandled|uncaught/i.test(ended.stderr),
    () => /^.*(unhandled|uncaught).*$/im.exec(ended.stderr)?.[0],
  )
}

/** Reads drawn ranges of the download; bytes that are answered must be right unless `mayBeWrong`. */
export async function readRanges(
  stage: Stage,
  node: NodeProcess,
  count: number,
  mayBeWrong = () => false,
): Promise<number> {
  const { tally, made } = stage
  const { content } = made
  let right = 0
  for (let at = 0; at < count; at++) {
    const from = tally.random.below(content.length)
    const to = Math.min(content.length - 1, from + tally.random.below(PIECE * 2))
    const headers = { 'x-api-key': node.key, range: `bytes=${from}-${to}` }
    const excused = mayBeWrong()
    const { status, bytes } = await ask(node.port, 'GET', `/downloads/${made.infoHash}/stream/0`, {
      headers,
      limitMs: 300,
    })
    if (status !== 206) continue
    const same = bytes.equals(content.subarray(from, from + bytes.length))
    if (same) right += bytes.length
    tally.check('no wrong byte is served', same || excused, () => `${from}-${to}: ${bytes.length} bytes`)
  }
  return right
}
