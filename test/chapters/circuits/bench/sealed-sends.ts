// What an originator of three hops costs for each cell that it sends, with its layers put on one by one, and gathered
// for a worker: closed loop with a sink that acknowledges each 16th. CPU of the main thread is the kernel's account of
// that thread.

import { fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { OpeningLayer } from '../../../../src/chapters/circuits/core/opening-layer.ts'
import { OwnCircuit } from '../../../../src/chapters/circuits/core/own-circuit.ts'
import { SealingOutbox } from '../../../../src/chapters/circuits/core/sealing-outbox.ts'
import { SlotRing } from '../../../../src/chapters/circuits/core/slot-ring.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { ChosenNetwork } from '../../../../src/io/net/udp-choice.ts'
import { SealPool } from '../../../../src/chapters/overlay/sealing/seal-pool.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { report, round, type Row } from '../../../../bench/lib/report.ts'

const ip = '127.0.0.1'
const STEP = 16
const SECONDS = 2

async function sink(): Promise<void> {
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: 4 << 20,
    lookup: (name, _o, done) => done(null, name, 4),
  })
  let count = 0
  const ack = Buffer.alloc(8)
  socket.on('message', (_, from) => {
    if (++count % STEP !== 0) return
    ack.writeUInt32BE(count)
    socket.send(Buffer.from(ack), from.port, from.address)
  })
  const bound = once(socket, 'listening')
  socket.bind(0, ip)
  await bound
  process.send?.(socket.address().port)
}

function threadUs(): number {
  const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8')
  return Number(text.split(' ')[0]) / 1_000
}

async function measure(gather: boolean, circuits: number, window: number): Promise<Row> {
  const child = fork(process.argv[1] as string, ['sink'])
  const [port] = (await once(child, 'message')) as [number]
  const random = new SystemRandom()
  const crypto = makeOverlayCrypto(random)
  const pool = new SealPool({}, { crypto, random, log: silentLog })
  let counted = 0
  let sent = 0
  let fill = (): void => undefined
  const socket = await new ChosenNetwork().bind({ family: 4, ip, port: 0 }, bytes => {
    counted = Buffer.from(bytes).readUInt32BE(0)
    fill()
  })
  const unsent = (): number => socket.unsentBytes ?? 0
  const outbox = new SealingOutbox({ pool, clock: new SystemClock(), unsent })
  const wire = {
    prefix: new Uint8Array(22),
    ring: new SlotRing(unsent),
    send: (cell: Uint8Array, to: { ip: string; port: number }) => socket.send(cell, to),
    ...(gather ? { outbox } : {}),
  }
  const made = Array.from({ length: circuits }, (_, id) => {
    const common = { id: id + 1, purpose: 'data' as const, goalHops: 3, required: null, lastKind: 'exit' as const }
    const circuit = new OwnCircuit({ ...common, createdMs: 0, createdAtMs: 0 }, wire)
    circuit.setFirstHop({ ip, port })
    for (let hop = 0; hop < 3; hop++) {
      const keys = crypto.session(random.bytes(72), 'originator')
      const open = new OpeningLayer(keys.backward)
      circuit.addHop({ publicKey: new Uint8Array(74), member: '', address: null, seal: keys.forward, open, wipe() {} })
    }
    return circuit
  })
  const destination = new Uint8Array(7)
  const payload = new Uint8Array(1_000)
  let running = true
  fill = () => {
    while (running && sent - counted < window) made[sent++ % circuits]?.sendData(destination, payload)
  }
  fill()
  await new Promise(resolve => setTimeout(resolve, 500))
  const before = { counted, main: threadUs(), all: process.cpuUsage(), at: performance.now() }
  await new Promise(resolve => setTimeout(resolve, SECONDS * 1_000))
  const cells = counted - before.counted
  const seconds = (performance.now() - before.at) / 1_000
  const mainUs = threadUs() - before.main
  const { user, system } = process.cpuUsage(before.all)
  running = false
  child.kill()
  await socket.close()
  await pool.stop()
  return {
    layers: gather ? 'gathered' : 'one by one',
    circuits,
    window,
    'MB/s': round(cells / seconds / 1_000, 1),
    'main us/cell': round(mainUs / cells, 1),
    'all us/cell': round((user + system) / cells, 1),
    'batches/s': round(outbox.batches / seconds, 0),
    'cells lost': outbox.lost,
  }
}

if (process.argv[2] === 'sink') await sink()
else {
  const rows: Row[] = []
  for (const circuits of [1, 8])
    for (const window of [64, 256, 1_024])
      for (const gather of [false, true]) {
        rows.push(await measure(gather, circuits, window))
        console.log(JSON.stringify(rows.at(-1)))
      }
  report('sealed sends', rows)
}
