// Debian's opentracker, for HTTP and UDP at one port, that serves the infohashes of its list.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '../wait-for.ts'

export interface OpenTracker {
  readonly ip: string
  readonly port: number
  stop(): Promise<void>
}

async function freePort(ip: string): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, ip, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>(resolve => server.close(() => resolve()))
  return port
}

async function answers(ip: string, port: number): Promise<boolean> {
  return fetch(`http://${ip}:${port}/scrape`).then(
    reply => reply.arrayBuffer().then(() => true),
    () => false,
  )
}

/** Starts it at `ip`; it serves `listed` only (hexadecimal infohashes). */
export async function startOpentracker(ip: string, listed: readonly string[]): Promise<OpenTracker> {
  // It changes its root to this folder and becomes nobody, so nobody must be able to enter it.
  const folder = await mkdtemp(join(tmpdir(), 'opentracker-'))
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'whitelist'), listed.map(infoHash => `${infoHash}\n`).join(''))
  const port = await freePort(ip)
  const args = ['-i', ip, '-p', String(port), '-P', String(port), '-d', folder, '-w', 'whitelist']
  const child: ChildProcess = spawn('opentracker', args, { cwd: folder, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await waitFor('opentracker to answer', () => answers(ip, port), 10_000)
  } catch (error) {
    await stop()
    throw error
  }
  return { ip, port, stop }
}
