// The built node under measurement: as users start it, with the loop-delay probe loaded unless told otherwise.

import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NodeProcess, startNode } from '../../test/kit/nodes/node-process.ts'
import { waitFor } from '../../test/kit/wait-for.ts'
import { killAtExit } from './owned-processes.ts'

const probe = fileURLToPath(new URL('./loop-delay-probe.js', import.meta.url))

/** Delay of the main loop above its timer, ms. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface MeasuredNode {
  readonly node: NodeProcess
  /** The delays since the last call (or the start); measuring begins again. */
  takeLoopDelay(): Promise<LoopDelay>
  /** Runs `during` while the delays are not looked at (which costs some 1 % of a core), then begins again. */
  unwatched<T>(during: () => Promise<T>): Promise<T>
  /** Stops the node; the delays since the last take. */
  stop(): Promise<LoopDelay>
}

function figuresIn(path: string): (LoopDelay & { readonly written: number }) | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LoopDelay & { written: number }
  } catch {
    return null
  }
}

/**
 * Starts a node whose state lies in `folder`, with the probe; `prefix`: what runs before it; `until`: see startNode.
 */
export async function startMeasuredNode(
  folder: string,
  settings: Record<string, string | number | boolean>,
  prefix: readonly string[] = [],
  until: 'listening' | 'ready' = 'ready',
): Promise<MeasuredNode> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `loop-delay-${process.hrtime.bigint()}.json`)
  const env = { NODE_OPTIONS: `--import=${probe}`, BENCH_LOOP_DELAY: path }
  const node = await startNode({ settings, asUsers: true, env, stateDir: join(folder, 'state'), prefix, until })
  killAtExit(node.process)
  let taken = 0
  const take = () => {
    taken++
    const look = () => {
      const figures = figuresIn(path)
      return figures?.written === taken ? figures : null
    }
    return waitFor('the delays of the main loop', look)
  }
  const takeLoopDelay = () => {
    process.kill(node.pid, 'SIGUSR2')
    return take()
  }
  return {
    node,
    takeLoopDelay,
    async unwatched(during) {
      await writeFile(`${path}.rest`, '')
      await takeLoopDelay()
      const result = await during()
      await rm(`${path}.rest`)
      await takeLoopDelay()
      return result
    },
    async stop() {
      await node.stop()
      return take()
    },
  }
}
