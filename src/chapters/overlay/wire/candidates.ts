// Candidates for the next hop, which each new hop offers (IPv8, sections 7.6 and 7.7): relays, then exits with the
// first of them twice, which is how the two are distinguished. What travels is encrypted; this is the text.

import { sameBytes } from '../../../base/same-bytes.ts'
import { decodePayload, encodePayload } from './message.ts'
import { list16 } from './fields.ts'
import { isCircuitKey } from './public-key.ts'

/** Most of each kind that is offered. */
export const MOST_CANDIDATES = 4

/** Public forms of those who may be the next hop. */
export interface Candidates {
  readonly relays: readonly Uint8Array[]
  readonly exits: readonly Uint8Array[]
}

const list = { fields: { keys: list16 } }

/** The list as it is encrypted, of the first four of each kind. */
export function encodeCandidates({ relays, exits }: Candidates): Uint8Array {
  const last = exits.slice(0, MOST_CANDIDATES)
  return encodePayload(list, { keys: [...relays.slice(0, MOST_CANDIDATES), ...last.slice(0, 1), ...last] })
}

/** Reads a decrypted list; keys that can be no hop are left out. Throws DecodeError. Keys are views of `bytes`. */
export function decodeCandidates(bytes: Uint8Array): Candidates {
  const { keys } = decodePayload(list, bytes)
  const twice = keys.findIndex((key, i) => i > 0 && sameBytes(key, keys[i - 1] as Uint8Array))
  const relays = twice < 0 ? keys : keys.slice(0, twice - 1)
  const exits = twice < 0 ? [] : keys.slice(twice)
  return { relays: relays.filter(isCircuitKey), exits: exits.filter(isCircuitKey) }
}
