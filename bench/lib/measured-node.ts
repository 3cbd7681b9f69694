// The built node under measurement: as users start it, with the loop-delay probe loaded.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NodeProcess, startNode } from '../../test/kit/node-process.ts'

const probe = fileURLToPath(new URL('./loop-delay-probe.js', import.meta.url))

/** Delay of the main loop above its timer, ms. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface MeasuredNode {
  readonly node: NodeProcess
  /** Forgets the delays so far: measuring begins now. */
  resetLoopDelay(): void
  /** Stops the node; the delays since the reset. */
  stop(): Promise<LoopDelay>
}

/** Starts a node whose state lies in `folder`. */
export async function startMeasuredNode(
  folder: string,
  settings: Record<string, string | number>,
): Promise<MeasuredNode> {
  const figures = join(folder, 'loop-delay.json')
  const env = { NODE_OPTIONS: `--import=${probe}`, BENCH_LOOP_DELAY: figures }
  const node = await startNode({ settings, env, stateDir: join(folder, 'state') })
  return {
    node,
    resetLoopDelay: () => process.kill(node.pid, 'SIGUSR2'),
    async stop() {
      await node.stop()
      return JSON.parse(readFileSync(figures, 'utf8')) as LoopDelay
    },
  }
}
