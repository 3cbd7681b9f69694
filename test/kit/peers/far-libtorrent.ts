// Debian's libtorrent in another namespace, such as the far host of two-hosts.ts: the same script as libtorrent-peer.ts
// starts.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectRoot } from '../project-root.ts'
import { PYTHON } from '../requirements.ts'

/** A session whose commands are those of libtorrent-peer.py. */
export interface FarLibtorrent {
  readonly port: number
  call(op: string, fields: object): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** Starts a session at an address of far. */
export async function startFarLibtorrent(
  hosts: { prefix(host: 'far'): readonly string[] },
  ip: string,
): Promise<FarLibtorrent> {
  const script = join(projectRoot, 'test/kit/peers/libtorrent-peer.py')
  const [program, ...rest] = [...hosts.prefix('far'), PYTHON, script, ip, '0']
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting: ((answer: Record<string, unknown>) => void)[] = []
  createInterface({ input: child.stdout }).on('line', line => {
    waiting.shift()?.(JSON.parse(line) as Record<string, unknown>)
  })
  child.on('exit', () => {
    for (const answer of waiting.splice(0)) answer({ error: 'the libtorrent process ended' })
  })
  const call = async (op: string, fields: object): Promise<Record<string, unknown>> => {
    const answered = new Promise<Record<string, unknown>>(resolve => waiting.push(resolve))
    child.stdin.write(`${JSON.stringify({ op, ...fields })}\n`)
    const answer = await answered
    if (typeof answer['error'] === 'string' && answer['error'] !== '') throw new Error(`${op}: ${answer['error']}`)
    return answer
  }
  return {
    port: Number((await call('port', {}))['port']),
    call,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
