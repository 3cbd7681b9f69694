// Events: 100,000 at once while fifty clients follow over sockets of their own and five of these read nothing. How long
// until the others have all, what it costs the process, and how long turns of its main loop become.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { waitFor } from '../../test/kit/wait-for.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import type { FlowOptions } from '../lib/flow-result.ts'
import { killAtExit } from '../lib/owned-processes.ts'
import { type Figures, OURS } from '../lib/samples.ts'

const EVENTS = 100_000
const FOLLOWERS = 50
const STALLED = 5
/** The hub, the database and the HTTP front of the product in a process of their own. */
const SERVER = fileURLToPath(new URL('../../test/contract/http/event-burst-server.js', import.meta.url))
/** All readers read into this: what they read is only looked through. */
const scratch = Buffer.alloc(256 * 1024)

interface Server {
  readonly child: ChildProcess
  ask(line: string): Promise<Record<string, number>>
}

/** A reader that is done when it has seen the number of the last event. */
interface Reader {
  readonly socket: Socket
  begun: boolean
  done: boolean
}

function startServer(path: string): Server & { readonly ready: Promise<Record<string, unknown>> } {
  const child = spawn(process.execPath, [SERVER, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  killAtExit(child)
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const answer = async (): Promise<Record<string, unknown>> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the server ended')
    return JSON.parse(value) as Record<string, unknown>
  }
  const ask = (line: string) => {
    child.stdin?.write(`${line}\n`)
    return answer() as Promise<Record<string, number>>
  }
  return { child, ask, ready: answer() }
}

function startReader(port: number, key: string, last: string): Reader {
  // A number that lies across two reads: the end of one is put before the next.
  let kept = ''
  const callback = (length: number) => {
    reader.begun = true
    const text = kept + scratch.toString('latin1', Math.max(0, length - 512), length)
    kept = text.slice(-64)
    if (text.includes(last)) reader.done = true
    return true
  }
  const socket = connect({ port, host: '127.0.0.1', onread: { buffer: scratch, callback } })
  socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\n\r\n`)
  // Those that stall are cut off.
  socket.on('error', () => undefined)
  const reader: Reader = { socket, begun: false, done: false }
  return reader
}

async function burst(server: Server, readers: readonly Reader[], events: number): Promise<Figures> {
  await waitFor('all to follow', () => readers.every(reader => reader.begun))
  for (const { socket } of readers.slice(0, STALLED)) socket.pause()
  const beganMs = performance.now()
  const written = server.ask(`burst ${events}`)
  await waitFor('all to have all', () => readers.slice(STALLED).every(reader => reader.done), 120_000)
  const allMs = performance.now() - beganMs
  await written
  const cost = await server.ask('cost')
  return {
    'events/s': events / (allMs / 1000),
    'CPU us/event': ((cost['cpuSec'] ?? 0) * 1e6) / events,
    'loop p99 ms': cost['loopP99Ms'] ?? 0,
    'loop max ms': cost['loopMaxMs'] ?? 0,
  }
}

async function measure(events: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-events-'))
  const server = startServer(join(folder, 'a.db'))
  const readers: Reader[] = []
  try {
    const { port, key } = (await server.ready) as { port: number; key: string }
    for (let n = 0; n < FOLLOWERS; n++) readers.push(startReader(port, key, `"id":${events},`))
    return await burst(server, readers, events)
  } finally {
    for (const { socket } of readers) socket.destroy()
    server.child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

export const events: Flow = {
  name: 'events',
  async run(options: FlowOptions) {
    const count = options.counts?.[0] ?? EVENTS
    const runs: Figures[] = []
    for (let round = 0; round < options.rounds; round++) runs.push(await measure(count))
    const id = `${count} events, ${FOLLOWERS - STALLED} followers that read, ${STALLED} that do not`
    const cases = [{ id, primary: 'events/s' as const, results: [{ client: OURS, runs }] }]
    return { title: 'A burst of events', cases, notes: [] }
  },
}

await runAlone(events, import.meta.url)
