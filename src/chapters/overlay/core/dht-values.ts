// Values that others stored with us: by target, each for its time, of signed ones the newest of each key. Bounded: a
// full store gives up what is farthest from us, since others are asked for that.

import type { Clock } from '../../../ports/clock.ts'
import { compareDistance } from '../../../wire/dht/dht-id.ts'
import type { SignedValue, UnsignedValue } from '../wire/dht-value.ts'
import { valueKey } from '../wire/dht-value.ts'
import { MAX_DHT_VALUES_OF_TARGET } from './limits.ts'

/** Targets for which values are kept. */
const MAX_DHT_TARGETS = 4_096

interface Stored {
  readonly bytes: Uint8Array
  /** Of signed ones; others have -1. */
  readonly version: number
  readonly untilMs: number
}

interface Target {
  readonly id: Uint8Array
  readonly values: Map<string, Stored>
}

/** The values of this node. */
export class DhtValues {
  readonly #clock: Clock
  readonly #targets = new Map<string, Target>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Targets with values. */
  get size(): number {
    return this.#targets.size
  }

  /** Keeps a checked value for `ageMs`; false when there is a newer one, or no room. `own`: our node id. */
  put(id: Uint8Array, value: SignedValue | UnsignedValue, bytes: Uint8Array, ageMs: number, own: Uint8Array): boolean {
    const target = this.#target(id, own)
    if (target === null) return false
    const key = valueKey(value)
    const version = value.kind === 'signed' ? value.version : -1
    const before = target.values.get(key)
    if (before !== undefined && before.version > version) return false
    target.values.delete(key)
    if (target.values.size >= MAX_DHT_VALUES_OF_TARGET) target.values.delete(firstOf(target.values))
    target.values.set(key, { bytes: Uint8Array.from(bytes), version, untilMs: this.#clock.now() + ageMs })
    return true
  }

  /** Up to `count` values of a target from `offset` on, the newest first. */
  get(id: Uint8Array, offset: number, count: number): Uint8Array[] {
    const target = this.#targets.get(keyOf(id))
    if (target === undefined) return []
    const nowMs = this.#clock.now()
    const live = [...target.values.values()].filter(stored => stored.untilMs > nowMs).reverse()
    return live.slice(offset, offset + count).map(stored => stored.bytes)
  }

  /** Gives up what is too old. */
  expire(): void {
    const nowMs = this.#clock.now()
    for (const [name, { values }] of this.#targets) {
      for (const [key, { untilMs }] of values) if (untilMs <= nowMs) values.delete(key)
      if (values.size === 0) this.#targets.delete(name)
    }
  }

  #target(id: Uint8Array, own: Uint8Array): Target | null {
    const name = keyOf(id)
    const known = this.#targets.get(name)
    if (known !== undefined) return known
    if (this.#targets.size >= MAX_DHT_TARGETS && !this.#makeRoom(id, own)) return null
    const target = { id: Uint8Array.from(id), values: new Map<string, Stored>() }
    this.#targets.set(name, target)
    return target
  }

  /** Gives up the target that is farthest from us, unless the new one is farther. */
  #makeRoom(id: Uint8Array, own: Uint8Array): boolean {
    let farthest: Uint8Array = id
    for (const target of this.#targets.values()) if (compareDistance(own, target.id, farthest) > 0) farthest = target.id
    return farthest !== id && this.#targets.delete(keyOf(farthest))
  }
}

function keyOf(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('hex')
}

function firstOf(values: ReadonlyMap<string, unknown>): string {
  for (const key of values.keys()) return key
  return ''
}
