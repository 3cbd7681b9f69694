// uTP with libutp, another project's implementation (utp-native, the one inside WebTorrent): our transport without the
// engine, either side connecting, bytes both ways at once, compared.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { UtpStream } from '../../src/utp/stream.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { needs, UTP_NATIVE_ENTRY } from '../kit/requirements.ts'
import { startUdpRelay } from '../kit/peers/udp-relay.ts'
import { sendContent, someBytes, StreamEnd } from '../kit/sim/utp-link.ts'
import { startUtpNode } from '../kit/sim/utp-node.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const IP = '127.0.0.1'
const script = fileURLToPath(new URL('../kit/peers/utp-native-peer.js', import.meta.url))

/** What the other process printed, a line each. */
interface NativePeer {
  readonly lines: Record<string, unknown>[]
  readonly exited: Promise<unknown>
}

function startNative(t: TestContext, args: readonly (string | number)[]): NativePeer {
  const child = spawn(process.execPath, [script, UTP_NATIVE_ENTRY, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines: Record<string, unknown>[] = []
  createInterface({ input: child.stdout }).on('line', line => lines.push(JSON.parse(line) as Record<string, unknown>))
  return { lines, exited: once(child, 'exit') }
}

/** Bytes both ways at once, then the end. */
async function exchange(
  t: TestContext,
  native: NativePeer,
  here: StreamEnd,
  bytes: number,
  native2us: number,
): Promise<void> {
  const content = someBytes(bytes, 1)
  here.expected = someBytes(native2us, 2)
  const begin = performance.now()
  sendContent(here, content)
  await waitFor(
    'all bytes',
    () => here.received === native2us && native.lines.length === 2,
    60_000,
    () => [here.received, native.lines, here.error?.message],
  )
  const seconds = (performance.now() - begin) / 1000
  t.diagnostic(`${((bytes + native2us) / 1e6 / seconds).toFixed(1)} MB/s`)
  assert.deepEqual(native.lines[1], { received: bytes, sha1: createHash('sha1').update(content).digest('hex') })
  // libutp drops packets that begin with an extension it does not know, such as a probe for the packet size.
  const { packetBytes } = (here.stream as UtpStream).connection.measures
  assert.ok(bytes < MIB || packetBytes > 1400, `packets of ${packetBytes} bytes`)
  here.stream?.destroy()
  await waitFor('our end', () => here.closes === 1)
  assert.equal(here.error, null)
  await native.exited
  cell('uTP', 'other', 'both ways')
}

describe('uTP with libutp', { skip: needs('utp-native'), concurrency: 1 }, () => {
  for (const [name, up, down] of [
    ['to libutp', 8 * MIB, 1000],
    ['from libutp', 1000, 8 * MIB],
    ['both ways at once', 2 * MIB, 2 * MIB],
  ] as const) {
    test(`we connect, ${name}`, { timeout: 90_000 }, async t => {
      const native = startNative(t, ['listen', IP, 0, down, up])
      await waitFor('its port', () => native.lines.length === 1)
      const node = await startUtpNode(4, IP)
      t.after(() => node.close())
      const here = new StreamEnd()
      const to = { ip: IP, port: Number(native.lines[0]?.['port']) }
      here.stream = node.utp.connect(to, { localIp: null, timeoutMs: 10_000 }, here)
      await exchange(t, native, here, up, down)
    })

    test(`libutp connects, ${name}`, { timeout: 90_000 }, async t => {
      const node = await startUtpNode(4, IP)
      t.after(() => node.close())
      const here = new StreamEnd()
      await node.utp.listen(node.address, stream => {
        here.stream = stream
        return here
      })
      const native = startNative(t, ['connect', IP, node.address.port, down, up])
      await waitFor('the stream', () => here.stream !== null)
      await exchange(t, native, here, up, down)
    })
  }

  test('through a line that loses, delays, doubles and mixes', { timeout: 120_000 }, async t => {
    const native = startNative(t, ['listen', IP, 0, MIB / 4, MIB / 4])
    await waitFor('its port', () => native.lines.length === 1)
    const node = await startUtpNode(4, IP)
    t.after(() => node.close())
    const listen = { ip: IP, port: 0 }
    const peer = { ip: IP, port: Number(native.lines[0]?.['port']) }
    const line = { loss: 0.02, delayMs: 10, reorder: 0.02, reorderMs: 3, duplicate: 0.02, seed: 7 }
    const relay = await startUdpRelay({ listen, peer: node.address }, { listen, peer }, line)
    t.after(() => relay.close())
    const here = new StreamEnd()
    here.stream = node.utp.connect(relay.left, { localIp: null, timeoutMs: 10_000 }, here)
    await exchange(t, native, here, MIB / 4, MIB / 4)
    assert.ok(relay.counts.fromLeft.lost > 0 && relay.counts.fromRight.lost > 0)
  })
})
