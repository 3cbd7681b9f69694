// The sockets of src/native: batches in both directions, every length, order, senders, closing. What every network
// promises is in test/contract/ports/networks.test.ts, wrong arguments in test/fuzz/native-udp.test.ts.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { PeerAddress } from '../../../src/base/ids.ts'
import type { DeviceSockets } from '../../../src/io/net/device-sockets.ts'
import { NativeNetwork, type UdpSockets } from '../../../src/io/net/udp-native.ts'
import { chooseUdp, ChosenNetwork } from '../../../src/io/net/udp-choice.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import type { UdpNetwork, UdpSocket } from '../../../src/ports/udp.ts'
import { datagramNetworks, spoiled, udpMachine } from '../../kit/datagram-networks.ts'
import { nativeFile } from '../../kit/native-hashes.ts'
import { waitFor } from '../../kit/wait-for.ts'

const skip = datagramNetworks['native'] === undefined ? 'no sockets of src/native here' : false
const at = { family: 4, ip: '127.0.0.1', port: 0 } as const

/** A network, and a socket that keeps what it hears. */
async function rig(t: TestContext, udp: UdpNetwork = spoiled(new NativeNetwork(udpMachine()))) {
  const heard: { bytes: Buffer; from: PeerAddress }[] = []
  const bind = async (receive: (bytes: Uint8Array, from: PeerAddress) => void = () => undefined) => {
    const socket = await udp.bind(at, receive)
    t.after(() => socket.close())
    return socket
  }
  const there = await bind((bytes, from) => heard.push({ bytes: Buffer.from(bytes), from }))
  return { bind, there, heard }
}

function numbered(number: number, length = 100): Buffer {
  const bytes = Buffer.alloc(length, number)
  bytes.writeUInt32BE(number)
  return bytes
}

const numbersOf = (heard: readonly { bytes: Buffer }[]) => heard.map(({ bytes }) => bytes.readUInt32BE())

test('what is sent in a turn leaves by one call, and comes by one, in its order', { skip }, async t => {
  const { bind, there, heard } = await rig(t)
  const here = await bind()
  const machine = udpMachine()
  const before = machine.counts
  for (let number = 0; number < 60; number++) here.send(numbered(number, 100 + (number % 3)), there.address)
  assert.equal(machine.counts.sendCalls, before.sendCalls)
  await waitFor('all', () => heard.length === 60)
  assert.deepEqual(
    numbersOf(heard),
    Array.from({ length: 60 }, (_, number) => number),
  )
  const { sendCalls, sent, receiveCalls, received, lost } = machine.counts
  assert.deepEqual([sendCalls - before.sendCalls, sent - before.sent, lost - before.lost], [1, 60, 0])
  assert.equal(received - before.received, 60)
  assert.ok(receiveCalls - before.receiveCalls <= 3, `${receiveCalls - before.receiveCalls} calls`)
  assert.equal(new Set(heard.map(({ from }) => from)).size, 1, 'a sender is one object')
  assert.deepEqual(heard[0]?.from, here.address)
})

test('datagrams of any length come whole, long ones beside short ones', { skip }, async t => {
  const { bind, there, heard } = await rig(t)
  const here = await bind()
  const { lost } = udpMachine().counts
  const lengths = [0, 1, 2_047, 2_048, 2_049, 1_400, 9_000, 30_000, 30_000, 65_507, 1]
  for (const length of lengths) {
    here.send(Buffer.alloc(length, length & 0xff), there.address)
    await waitFor('it', () => heard.length === lengths.indexOf(length) + 1 || heard.length >= lengths.length - 3)
  }
  here.send(Buffer.alloc(65_508), there.address)
  here.send(Buffer.alloc(100_000), there.address)
  here.send(Buffer.alloc(300_000), there.address)
  await waitFor('all', () => heard.length === lengths.length)
  assert.deepEqual(
    heard.map(({ bytes }) => bytes.length),
    lengths,
  )
  for (const { bytes } of heard) assert.ok(bytes.every(byte => byte === (bytes.length & 0xff)))
  // More than a datagram may have: refused by the kernel, or here.
  assert.equal(udpMachine().counts.lost - lost, 1)
})

test('a turn of many datagrams to many, from several sockets: each way in its order', { skip }, async t => {
  const { bind } = await rig(t)
  const senders = [await bind(), await bind()]
  const heard: number[][] = []
  const places: UdpSocket[] = []
  for (let place = 0; place < 5; place++) {
    const came: number[] = []
    heard.push(came)
    places.push(await bind(bytes => came.push(Buffer.from(bytes).readUInt32BE())))
  }
  for (let number = 0; number < 1_000; number++)
    senders[0]?.send(numbered(number, number % 7 === 0 ? 40 : 1_000), (places[number % 5] as UdpSocket).address)
  for (let number = 0; number < 50; number++) senders[1]?.send(numbered(number), (places[0] as UdpSocket).address)
  await waitFor('all', () => heard.flat().length === 1_050)
  for (const [place, came] of heard.entries()) {
    const own = Array.from({ length: 200 }, (_, number) => number * 5 + place)
    if (place > 0) assert.deepEqual(came, own)
  }
})

test('more destinations than there are places for, each with another object', { skip }, async t => {
  const { bind, there, heard } = await rig(t)
  const here = await bind()
  for (let number = 0; number < 3_000; number++) {
    here.send(numbered(number), { ...there.address })
    if (number % 500 === 499) await waitFor('those', () => heard.length === number + 1)
  }
  assert.deepEqual(
    numbersOf(heard),
    Array.from({ length: 3_000 }, (_, number) => number),
  )
})

test('more senders than there are places for: each datagram has its own', { skip }, async t => {
  const { there, heard } = await rig(t)
  const udp = new NativeNetwork(udpMachine())
  const all: UdpSocket[] = []
  for (let last = 1; last < 251; last++)
    for (let more = 0; more < 6; more++)
      all.push(await udp.bind({ family: 4, ip: `127.1.${more}.${last}`, port: 0 }, () => undefined))
  t.after(() => Promise.all(all.map(socket => socket.close())))
  for (const [number, socket] of all.entries()) {
    socket.send(numbered(number), there.address)
    if (number % 100 === 99) await waitFor('those', () => heard.length === number + 1)
  }
  for (const { bytes, from } of heard) assert.deepEqual(from, all[bytes.readUInt32BE()]?.address)
})

test('memory that was sent may change at once', { skip }, async t => {
  const { bind, there, heard } = await rig(t)
  const here = await bind()
  const bytes = numbered(7)
  here.send(bytes, there.address)
  bytes.fill(0)
  await waitFor('it', () => heard.length === 1)
  assert.deepEqual(heard[0]?.bytes, numbered(7))
  assert.equal(here.unsentBytes, undefined)
})

test('what was sent before close leaves; a closed socket hears nothing and frees its port', { skip }, async t => {
  const { bind, there, heard } = await rig(t)
  const here = await bind()
  const before = readdirSync('/proc/self/fd').length
  for (let number = 0; number < 10; number++) here.send(numbered(number), there.address)
  const closed = here.close()
  assert.equal(readdirSync('/proc/self/fd').length, before - 1)
  await closed
  await here.close()
  here.send(numbered(99), there.address)
  const again = await new DgramNetwork().bind({ ...at, port: here.address.port }, () => undefined)
  t.after(() => again.close())
  await waitFor('all', () => heard.length === 10)
})

test('a socket that its receiver closes hears no more of the batch; one may be opened in it', { skip }, async t => {
  const { bind, heard, there } = await rig(t)
  const here = await bind()
  const came: number[] = []
  const one: UdpSocket = await bind(bytes => {
    came.push(Buffer.from(bytes).readUInt32BE())
    void one.close()
    void bind().then(socket => socket.send(numbered(1), there.address))
  })
  for (let number = 0; number < 20; number++) here.send(numbered(number), one.address)
  await waitFor('the new socket', () => heard.length === 1)
  assert.deepEqual(came, [0])
  // Its senders were not forgotten, whoever hears them next.
  const next = await bind(() => came.push(-1))
  here.send(numbered(0), next.address)
  await waitFor('it', () => came.length === 2)
})

test('an answer in the call that brought the question leaves after the batch, in one call', { skip }, async t => {
  const { bind } = await rig(t)
  const echo: UdpSocket = await bind((bytes, from) => echo.send(bytes, from))
  const came: number[] = []
  const here = await bind(bytes => came.push(Buffer.from(bytes).readUInt32BE()))
  const before = udpMachine().counts
  for (let number = 0; number < 30; number++) here.send(numbered(number), echo.address)
  await waitFor('all', () => came.length === 30)
  assert.deepEqual(
    came,
    Array.from({ length: 30 }, (_, number) => number),
  )
  const { sendCalls } = udpMachine().counts
  assert.ok(sendCalls - before.sendCalls <= 4, `${sendCalls - before.sendCalls} calls`)
})

test('an address of the other family, a port 0 and no address at all are lost', { skip }, async t => {
  const { bind, there, heard } = await rig(t)
  const here = await bind()
  const six = { ip: '::1', port: there.address.port }
  for (const to of [six, { ip: '127.0.0.1', port: 0 }, { ip: 'localhost', port: 9 }, { ip: '127.0.0.1', port: 70_000 }])
    here.send(numbered(1), to)
  const udp6 = await new NativeNetwork(udpMachine()).bind({ family: 6, ip: '::1', port: 0 }, () => undefined)
  t.after(() => udp6.close())
  // Known from a socket of its own family, and wrong for this one.
  udp6.send(numbered(2), six)
  here.send(numbered(2), six)
  here.send(numbered(3), there.address)
  await waitFor('the right one', () => heard.length === 1)
  assert.deepEqual(numbersOf(heard), [3])
})

test('IPv6 sockets are IPv6 alone: both families have the same port', { skip }, async t => {
  const udp = new NativeNetwork(udpMachine())
  const four = await udp.bind({ family: 4, ip: null, port: 0 }, () => undefined)
  const six = await udp.bind({ family: 6, ip: null, port: four.address.port }, () => undefined)
  t.after(() => Promise.all([four.close(), six.close()]))
  assert.deepEqual([four.address.ip, six.address.ip], ['0.0.0.0', '::'])
})

test('a taken port is said to be', { skip }, async t => {
  const { there } = await rig(t)
  const udp = new NativeNetwork(udpMachine())
  const open = readdirSync('/proc/self/fd').length
  await assert.rejects(
    udp.bind({ ...at, port: there.address.port }, () => undefined),
    { code: 'PortTaken' },
  )
  await assert.rejects(
    udp.bind({ ...at, ip: '192.0.2.1' }, () => undefined),
    { code: 'SourceFailed' },
  )
  await assert.rejects(
    udp.bind({ ...at, ip: 'localhost' }, () => undefined),
    { code: 'SourceFailed' },
  )
  assert.equal(readdirSync('/proc/self/fd').length, open)
})

test('a socket that cannot say where it is bound is closed once, by the one who owns its descriptor', {
  skip,
}, async t => {
  const machine = udpMachine()
  const closed: string[] = []
  const left = new Set<number>()
  t.after(() => left.forEach(number => machine.close(number)))
  const mute: UdpSockets = {
    open: (where, receive, isOpen) => {
      const number = machine.open({ ...where, fd: null }, receive, isOpen)
      left.add(number)
      return number
    },
    address: () => {
      throw new Error('no address')
    },
    send: () => undefined,
    close: number => {
      closed.push('socket')
      left.delete(number)
      machine.close(number)
    },
  }
  // The one that binds to devices gives a descriptor, which is the socket's when it was opened with it.
  const devices = { datagrams: () => 99, close: () => closed.push('descriptor') } as unknown as DeviceSockets
  const open = readdirSync('/proc/self/fd').length
  await assert.rejects(
    new NativeNetwork(mute, devices).bind(at, () => undefined),
    { code: 'SourceFailed' },
  )
  assert.deepEqual(closed, ['socket'])
  assert.equal(readdirSync('/proc/self/fd').length, open)
  const refused: UdpSockets = { ...mute, open: () => assert.fail('taken') }
  await assert.rejects(new NativeNetwork(refused, devices).bind(at, () => undefined))
  assert.deepEqual(closed, ['socket', 'descriptor'])
})

test('a destination that the system refuses costs others nothing: theirs go together as before', { skip }, async t => {
  const { bind, there, heard } = await rig(t)
  const here = await bind()
  const { counts } = udpMachine()
  const together = async (first: number) => {
    const before = udpMachine().counts.messages
    for (let number = first; number < first + 20; number++) here.send(numbered(number, 1_000), there.address)
    await waitFor('those', () => heard.length === first + 20)
    return udpMachine().counts.messages - before
  }
  assert.equal(await together(0), 1)
  // Refused as broadcasts are, and as what no route has: the same error as that of a device that cuts no messages.
  for (const [round, ip] of ['127.255.255.255', '240.0.0.1'].entries()) {
    const refused = { ip, port: 9 }
    for (let number = 0; number < 5; number++) here.send(numbered(number, 1_000), refused)
    assert.ok((await together(20 + 40 * round)) <= 20)
    assert.equal(await together(40 + 40 * round), 1, ip)
  }
  assert.equal(udpMachine().counts.lost - counts.lost, 10)
})

test('threads have sockets of their own, which go with them, open or not', { skip }, async () => {
  const open = readdirSync('/proc/self/fd').length
  const text = `
    const native = require(${JSON.stringify(nativeFile)})
    const port = new Uint16Array(10)
    const socket = native.udpOpen(4, new Uint8Array([127, 0, 0, 1]), 0, -1, () => {
      require('node:worker_threads').parentPort.postMessage('heard')
      if (process.argv[2] === 'exit') process.exit()
    })
    native.udpAddress(socket, new Uint8Array(port.buffer))
    require('node:worker_threads').parentPort.postMessage(port[8])`
  for (const how of ['exit', 'terminate', 'terminate in a flood']) {
    const worker = new Worker(text, { eval: true, argv: [how] })
    const [port] = (await once(worker, 'message')) as [number]
    const socket = createSocket('udp4')
    const ended = once(worker, 'exit')
    for (let sent = 0; sent < (how === 'terminate' ? 0 : 500); sent++) socket.send(Buffer.alloc(10), port, '127.0.0.1')
    if (how !== 'exit') await worker.terminate()
    await ended
    await new Promise<void>(resolve => socket.close(() => resolve()))
  }
  await waitFor('their descriptors', () => readdirSync('/proc/self/fd').length <= open)
})

test('where the machine code cannot be loaded, and where it is not wanted, node:dgram carries datagrams', async t => {
  const broken = (): never => {
    throw new Error('it is for another machine\nRequire stack: ...')
  }
  assert.deepEqual(chooseUdp(broken, undefined), { machine: null, missing: 'it is for another machine' })
  assert.deepEqual(chooseUdp(broken, 'node'), { machine: null, missing: '' })
  const said: unknown[] = []
  const log = { info: (_text: string, fields?: unknown) => said.push(fields) }
  const { bind, there, heard } = await rig(t, new ChosenNetwork(null, log, () => chooseUdp(broken, undefined)))
  const here = await bind()
  here.send(numbered(5), there.address)
  await waitFor('it', () => heard.length === 1)
  assert.deepEqual(said, [{ why: 'it is for another machine' }])
  assert.equal(typeof here.unsentBytes, 'number')
})

test('what a receiver throws is uncaught, and costs no other datagram of its batch', { skip }, async () => {
  const io = new URL('../../../src/io/', import.meta.url).href
  const script = `
    const { UdpMachine } = await import('${io}net/udp-machine.js')
    const { NativeNetwork } = await import('${io}net/udp-native.js')
    let [heard, uncaught] = [0, 0]
    const end = () => {
      if (heard + uncaught < 21) return
      console.log(heard, uncaught)
      process.exit()
    }
    process.on('uncaughtException', () => { uncaught++; end() })
    const udp = new NativeNetwork(UdpMachine.load('${nativeFile}'))
    const there = await udp.bind({ family: 4, ip: '127.0.0.1', port: 0 }, () => {
      heard++
      if (heard === 4) throw new Error('the fourth')
      end()
    })
    const here = await udp.bind({ family: 4, ip: '127.0.0.1', port: 0 }, () => undefined)
    for (let number = 0; number < 20; number++) here.send(new Uint8Array(100), there.address)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 20_000,
  })
  assert.equal(stdout.trim(), '20 1')
})
