// Values that a look-up brings, checked: each unsigned one once, of signed ones the newest of each key. Bounded.

import { DecodeError } from '../../../base/errors.ts'
import { decodeValue, type SignedValue, type UnsignedValue, valueKey } from '../wire/dht-value.ts'
import type { SignatureCheck } from './identity.ts'
import type { FoundValue } from './introduced.ts'
import { MAX_DHT_VALUES_OF_TARGET } from './limits.ts'

interface Kept {
  readonly value: SignedValue | UnsignedValue
  readonly bytes: Uint8Array
}

/** Values that a look-up brings, checked: each unsigned one once, of signed ones the newest of each key. */
export class DhtFound {
  readonly #check: SignatureCheck
  readonly #kept = new Map<string, Kept>()

  constructor(check: SignatureCheck) {
    this.#check = check
  }

  addAll(values: readonly Uint8Array[]): void {
    for (const bytes of values) this.add(bytes)
  }

  /** A value as a node gave it; passed over when it is none, forged, or older than one that is there. */
  add(bytes: Uint8Array): void {
    const value = decoded(bytes)
    if (value === null) return
    const key = valueKey(value)
    const before = this.#kept.get(key)?.value
    if (before === undefined && this.#kept.size >= MAX_DHT_VALUES_OF_TARGET) return
    if (value.kind === 'signed') {
      if (before?.kind === 'signed' && before.version >= value.version) return
      if (!this.#check.verify(value.key, value.signedPart, value.signature)) return
    }
    this.#kept.set(key, { value, bytes })
  }

  /** As they are stored. */
  stored(): readonly Uint8Array[] {
    return [...this.#kept.values()].map(kept => kept.bytes)
  }

  values(): readonly FoundValue[] {
    return [...this.#kept.values()].map(({ value }) => ({
      data: value.data,
      publicKey: value.kind === 'signed' ? value.key.form : null,
    }))
  }
}

function decoded(bytes: Uint8Array): SignedValue | UnsignedValue | null {
  try {
    return decodeValue(bytes)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
