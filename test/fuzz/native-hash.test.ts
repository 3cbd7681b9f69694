// What JavaScript gives the machine code that hashes: wrong arguments of every kind end in RangeError, and parts that
// lie within the data in the right digest. `make fuzz-native` runs this where every access to memory is watched.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CONTEXT_BYTES } from '../../src/pools/jobs/native-hash.ts'
import { nativeMissing, nativeModule } from '../kit/native-hashes.ts'
import { fuzz, type Fuzz } from '../kit/sim/fuzz.ts'

type Call = (...args: unknown[]) => unknown
const PATHS = 6

/** True when it is refused; anything but RangeError fails the test. */
function refused(call: () => unknown): boolean {
  try {
    call()
    return false
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}

/** Anything that is no argument of any function here. */
function nonsense(source: Fuzz): unknown {
  const detached = new Uint8Array(CONTEXT_BYTES)
  structuredClone(detached.buffer, { transfer: [detached.buffer] })
  return source.pick([
    undefined,
    null,
    'x',
    {},
    [],
    -1,
    1e300,
    NaN,
    Infinity,
    99,
    7n,
    Symbol('s'),
    () => 0,
    detached,
    new Uint16Array(CONTEXT_BYTES),
    new DataView(new ArrayBuffer(CONTEXT_BYTES)),
    new Uint8Array(CONTEXT_BYTES + 1),
    new Uint8Array(new ArrayBuffer(CONTEXT_BYTES + 1), 1),
    new Float64Array([0, 0, 1e15]),
    new Float64Array([9, 0, 1]),
    new Float64Array([0, 65, 1]),
    new Float64Array([NaN, NaN, NaN]),
  ])
}

if (nativeMissing === false) {
  fuzz('nonsense in any place is refused, or harmless', 0.5, source => {
    const native = nativeModule()
    const path = source.below(PATHS)
    const right: [name: 'update' | 'finish' | 'pairs' | 'willNeed', args: unknown[]] = source.pick([
      ['update', [path, 0, new Uint8Array(CONTEXT_BYTES), new Uint8Array(64), new Float64Array([0, 0, 64])]],
      ['finish', [path, 1, new Uint8Array(CONTEXT_BYTES), 1, new Uint8Array(32)]],
      ['pairs', [path, new Uint8Array(128), new Uint8Array(64)]],
      ['willNeed', [0, 0, 1]],
    ])
    const args = [...right[1]]
    for (let times = source.below(3); times >= 0; times--) args[source.below(args.length)] = nonsense(source)
    refused(() => (native[right[0]] as Call)(...args.slice(0, source.below(2) === 0 ? undefined : source.below(5))))
  })

  fuzz('parts within and beyond the data, by every path', 0.5, source => {
    const native = nativeModule()
    const data = source.bytes(5000)
    const parts: number[] = []
    const hash = createHash('sha1')
    let within = true
    for (let left = source.below(20); left >= 0; left--) {
      const [offset, length] = [source.below(5200) - 1, source.below(900)]
      within &&= offset < 0 || offset + length <= data.length
      parts.push(0, offset, length)
      if (within) hash.update(offset < 0 ? new Uint8Array(length) : data.subarray(offset, offset + length))
    }
    const digest = hash.digest('hex')
    const known = native.paths()
    for (let path = 0; path < PATHS; path++) {
      const contexts = new Uint8Array(CONTEXT_BYTES)
      const wrong = refused(() => native.update(path, 0, contexts, data, Float64Array.from(parts)))
      assert.equal(wrong, !within || known[path] === null)
      if (wrong) continue
      const out = Buffer.alloc(20)
      native.finish(path, 0, contexts, 1, out)
      assert.equal(out.toString('hex'), digest, known[path] ?? '')
    }
  })
}

test('what is no argument at all is refused', { skip: nativeMissing }, () => {
  const native = nativeModule()
  for (const name of ['update', 'finish', 'pairs', 'willNeed'] as const)
    assert.throws(() => (native[name] as Call)(), RangeError, name)
})

test('what is no path of a file is refused before anything begins', { skip: nativeMissing }, () => {
  const { fileDigest } = nativeModule() as unknown as { readonly fileDigest: Call }
  for (const wrong of [[], [1], [null], [{}], [Symbol('s')], [''], ['x'.repeat(5000)], ['a\0b'], [new Uint8Array(3)]])
    assert.throws(() => fileDigest(...wrong), RangeError)
})
