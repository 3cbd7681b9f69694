// A process in a network namespace of its own, whose loopback device is slow: sends more than the kernel has room for,
// and prints what waited and what came. The first argument is the machine code.

import { UdpMachine } from '../../src/io/net/udp-machine.ts'
import { NativeNetwork } from '../../src/io/net/udp-native.ts'
import { waitFor } from './wait-for.ts'

const COUNT = 3_000
const machine = UdpMachine.load(process.argv[2] ?? '')
const udp = new NativeNetwork(machine)
const at = { family: 4, ip: '127.0.0.1', port: 0 } as const
let inOrder = true
let came = 0
let last = -1
const there = await udp.bind(at, bytes => {
  const number = Buffer.from(bytes).readUInt32BE()
  inOrder &&= number > last
  last = number
  came += 1
})
const here = await udp.bind(at, () => undefined)
const bytes = Buffer.alloc(1_200)
for (let number = 0; number < COUNT; number++) {
  bytes.writeUInt32BE(number)
  here.send(bytes, there.address)
}
machine.flush()
// The port does not say which number a socket has: the first two of a process are among these.
const waited = Math.max(...[0, 1, 2, 3].map(place => waitingAt(place)))
// The receiver's kernel may lose some on a busy machine; here none may be.
await waitFor('all', () => machine.counts.sent === COUNT && came > COUNT / 2, 20_000)
const lostBefore = machine.counts.lost
// What waits when a socket closes is lost, and no handle stays for it.
for (let number = 0; number < COUNT; number++) here.send(bytes, there.address)
await here.close()
await there.close()
process.stdout.write(JSON.stringify({ waited, came, inOrder, lostBefore, lost: machine.counts.lost }))

function waitingAt(place: number): number {
  try {
    return machine.waitingBytes(4_096 * (place >> 1) + 4_096 + (place & 1))
  } catch {
    return 0
  }
}
