// What JavaScript gives the sockets of the machine code: wrong arguments of every kind end in RangeError or an Error of
// the system, and so does nonsense in the memory that both write to. `make fuzz-native` runs this where every access to
// memory is watched.

import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import type { NativeUdp } from '../../src/io/net/udp-machine.ts'
import { nativeFile, nativeMissing } from '../kit/native-hashes.ts'
import { fuzz, type Fuzz } from '../kit/sim/fuzz.ts'

type Call = (...args: unknown[]) => unknown
const skip = nativeMissing !== false || process.platform !== 'linux' ? 'no sockets of src/native here' : false
const names = ['udpMemory', 'udpOpen', 'udpAddress', 'udpFlush', 'udpWaiting', 'udpClose'] as const
const ANY = new Uint8Array(0)
const load = (): NativeUdp => createRequire(import.meta.url)(nativeFile) as NativeUdp

/** What a call answers; undefined when it is refused. Anything but an Error that says why fails the test. */
function tried(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    assert.ok(error instanceof RangeError || (error instanceof Error && 'code' in error), String(error))
    return undefined
  }
}

function nonsense(source: Fuzz): unknown {
  const detached = new Uint8Array(20)
  structuredClone(detached.buffer, { transfer: [detached.buffer] })
  return source.pick([
    undefined,
    null,
    'x',
    {},
    -1,
    -2,
    0,
    4,
    4096,
    1e300,
    NaN,
    Infinity,
    7n,
    Symbol('s'),
    () => 0,
    detached,
    new Uint16Array(4),
    new Uint8Array(16),
    new Uint8Array(5),
    new DataView(new ArrayBuffer(20)),
  ])
}

if (skip === false) {
  const made = new Set<number>()
  const file = openSync(nativeFile, 'r')
  after(() => {
    closeSync(file)
    for (const socket of made) tried(() => load().udpClose(socket))
  })

  fuzz('nonsense in any place is refused, or harmless', 0.5, source => {
    const native = load()
    const socket = [...made][source.below(made.size + 1)] ?? 0
    const name = source.pick([...names])
    const right: Record<(typeof names)[number], unknown[]> = {
      udpMemory: [],
      udpOpen: [source.pick([4, 6]), ANY, 0, source.pick([-1, -1, file]), () => undefined],
      udpAddress: [socket, new Uint8Array(20)],
      udpFlush: [],
      udpWaiting: [socket],
      udpClose: [socket],
    }
    const args = right[name]
    for (let times = source.below(3); times > 0 && args.length > 0; times--)
      args[source.below(args.length)] = nonsense(source)
    const answer = tried(() => (native[name] as Call)(...args))
    if (name === 'udpOpen' && typeof answer === 'number') made.add(answer)
    if (name === 'udpClose' && made.delete(socket)) tried(() => native.udpClose(socket))
    if (made.size > 50) for (const one of made) if (made.delete(one)) tried(() => native.udpClose(one))
  })

  fuzz('nonsense in the memory is refused, or sent somewhere', 0.5, source => {
    const native = load()
    const memory = native.udpMemory()
    const socket = native.udpOpen(4, new Uint8Array([127, 0, 0, 1]), 0, -1, () => undefined)
    const counts = new Float64Array(memory.buffer, memory.counts, 1)
    const staged = new Int32Array(memory.buffer, memory.staged, memory.mostStaged * 4)
    const units = new Uint16Array(memory.buffer, memory.destinations, memory.mostDestinations * 10)
    const odd = [0, 1, -1, 127, 1_400, 65_507, 65_536, memory.mostBytes, memory.mostBytes - 1, 2 ** 31 - 1, -(2 ** 31)]
    for (let number = 0; number < memory.mostStaged; number++) {
      const where = [
        source.pick([socket, socket, source.pick(odd)]),
        source.below(8),
        source.below(9_000),
        source.below(3_000),
      ]
      if (source.below(40) === 0) where[source.below(4)] = source.pick(odd)
      staged.set(where, number * 4)
    }
    for (let number = 0; number < 8; number++) {
      units.set(Buffer.from([127, 0, 0, 1]), number * 10)
      units[number * 10] = 127
      units[number * 10 + 1] = 256
      units[number * 10 + 8] = source.below(65_536)
      units[number * 10 + 9] = source.pick([2, 2, 2, 10, 0, 65_535])
    }
    counts[0] = source.pick([0, 1, 30, memory.mostStaged, memory.mostStaged + 1, -1, NaN, Infinity, 0.5, 1e300])
    tried(() => native.udpFlush())
    counts[0] = 0
    native.udpClose(socket)
  })
}

test('what is no argument at all is refused', { skip }, () => {
  const native = load()
  for (const name of ['udpOpen', 'udpAddress', 'udpWaiting', 'udpClose'] as const)
    assert.throws(() => (native[name] as Call)(), RangeError, name)
})

test('a descriptor of something else is refused and stays open', { skip }, () => {
  const file = openSync(nativeFile, 'r')
  assert.throws(() => load().udpOpen(4, ANY, 0, file, () => undefined), RangeError)
  closeSync(file)
})
