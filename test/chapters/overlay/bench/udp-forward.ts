// What sockets leave for a relay: processes that pass datagrams of 1,053 bytes on and do nothing else, each in another
// way of node:dgram or by those of src/native, and some that also take a layer off. A closed loop with 512 under way;
// CPU is the forwarding process's, all its threads.

import { fork } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { nativePart } from '../../../../src/io/native-part.ts'
import { DgramNetwork } from '../../../../src/io/net/udp-dgram.ts'
import { UdpMachine } from '../../../../src/io/net/udp-machine.ts'
import { NativeNetwork } from '../../../../src/io/net/udp-native.ts'
import { processCost } from '../../../../bench/lib/process-cost.ts'
import { report, round, type Row } from '../../../../bench/lib/report.ts'

const ip = '127.0.0.1'
const BYTES = 1_053
const WINDOW = 512
const SECONDS = 1.5
const BUFFERS = { recvBufferSize: 4 << 20, sendBufferSize: 4 << 20 }
const literal = {
  lookup: (name: string, _: unknown, done: (e: null, ip: string, family: 4) => void) => done(null, name, 4),
}

const kinds = [
  'as it comes',
  'own look-up',
  'connected',
  'our socket',
  'our socket and a layer',
  'native',
  'native and a layer',
  'worker',
  '2 workers',
] as const
type Kind = (typeof kinds)[number]

async function bound(socket: Socket): Promise<number> {
  const listening = once(socket, 'listening')
  socket.bind(0, ip)
  await listening
  return socket.address().port
}

/** Passes what comes on to `to`; answers its port. */
async function forward(kind: Kind, to: number): Promise<number> {
  if (kind.startsWith('our socket') || kind.startsWith('native')) return forwardByOurs(kind, to)
  const socket = createSocket({ type: 'udp4', ...BUFFERS, ...(kind === 'as it comes' ? {} : literal) })
  if (kind === 'connected') {
    const out = createSocket({ type: 'udp4', ...BUFFERS, ...literal })
    await bound(out)
    const connected = once(out, 'connect')
    out.connect(to, ip)
    await connected
    socket.on('message', bytes => out.send(bytes))
  } else socket.on('message', bytes => socket.send(bytes, to, ip))
  return bound(socket)
}

async function forwardByOurs(kind: Kind, to: number): Promise<number> {
  const layer = kind.endsWith('a layer')
  const network = kind.startsWith('native') ? new NativeNetwork(UdpMachine.load(nativePart)) : new DgramNetwork()
  const random = new SystemRandom()
  const { forward: key } = makeOverlayCrypto(random).session(random.bytes(72), 'originator')
  const peer = { ip, port: to }
  const socket = await network.bind({ family: 4, ip, port: 0 }, bytes => {
    // Sealing costs what opening does, and there is no peer here that could have sealed.
    if (layer) key.seal(bytes, 29, bytes.length - 16)
    socket.send(bytes, peer)
  })
  return socket.address.port
}

async function forwarder(kind: Kind, to: number): Promise<number[]> {
  const workers = kind === 'worker' ? 1 : kind === '2 workers' ? 2 : 0
  if (workers === 0) return [await forward(kind, to)]
  const all = Array.from({ length: workers }, () => new Worker(new URL(import.meta.url), { workerData: { to } }))
  return Promise.all(all.map(async worker => ((await once(worker, 'message')) as [number])[0]))
}

async function measure(kind: Kind): Promise<Row> {
  let came = 0
  let sent = 0
  const socket = createSocket({ type: 'udp4', ...BUFFERS, ...literal })
  const own = await bound(socket)
  const child = fork(process.argv[1] as string, [kind, String(own)])
  const [ports] = (await once(child, 'message')) as [number[]]
  const cell = Buffer.alloc(BYTES)
  const out = createSocket({ type: 'udp4', ...BUFFERS, ...literal })
  await bound(out)
  const fill = (): void => {
    while (sent - came < WINDOW) out.send(cell, ports[sent++ % ports.length] as number, ip)
  }
  socket.on('message', () => {
    came++
    fill()
  })
  fill()
  await new Promise(resolve => setTimeout(resolve, 500))
  const pid = child.pid ?? 0
  const before = { came, cpu: processCost(pid).cpuSec, at: performance.now() }
  await new Promise(resolve => setTimeout(resolve, SECONDS * 1_000))
  const count = came - before.came
  const spent = processCost(pid).cpuSec - before.cpu
  const seconds = (performance.now() - before.at) / 1_000
  child.kill()
  socket.close()
  out.close()
  return {
    forwarder: kind,
    'CPU us/datagram': round((spent * 1e6) / count, 1),
    'datagrams/s': round(count / seconds, 0),
    'CPU %': round((spent / seconds) * 100, 0),
  }
}

if (!isMainThread) {
  const { parentPort } = await import('node:worker_threads')
  parentPort?.postMessage(await forward('own look-up', (workerData as { to: number }).to), [])
} else if (process.argv[2] !== undefined) {
  process.send?.(await forwarder(process.argv[2] as Kind, Number(process.argv[3])))
} else {
  const rows: Row[] = []
  const wanted = kinds.filter(kind => process.env['KINDS']?.split(',').includes(kind) ?? true)
  for (const kind of wanted) rows.push(await measure(kind))
  report('passing datagrams on', rows)
  process.exit(0)
}
