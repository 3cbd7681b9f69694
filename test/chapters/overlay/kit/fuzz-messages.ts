// Random bytes and recorded packets with faults for the codecs of overlays: read or refused with a DecodeError, and
// what was read is written again and read to the same.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DecodeError } from '../../../../src/base/errors.ts'
import type { Shape } from '../../../../src/chapters/overlay/wire/fields.ts'
import {
  type CellMessage,
  decodeCellMessage,
  decodePayload,
  encodeCellMessage,
  encodePayload,
} from '../../../../src/chapters/overlay/wire/message.ts'
import { decodeUnwrapped } from '../../../../src/chapters/overlay/wire/packet.ts'
import { type Fuzz, fuzz } from '../../../kit/sim/fuzz.ts'
import { projectRoot } from '../../../kit/project-root.ts'

/** Something with a table of fields. */
interface Tabled {
  readonly fields: Shape
}

const isTabled = (one: unknown): one is Tabled => typeof one === 'object' && one !== null && 'fields' in one
const recorded = everyHexOf('test/vectors/ipv8')

/** All byte strings of the recorded vectors. */
function everyHexOf(folder: string): readonly Uint8Array[] {
  const files = readdirSync(join(projectRoot, folder)).filter(name => name.endsWith('.json'))
  const texts = files.map(name => readFileSync(join(projectRoot, folder, name), 'utf8'))
  const found = texts.flatMap(text => [...text.matchAll(/"((?:[0-9a-f]{2})+)"/g)].map(match => match[1] as string))
  return [...new Set(found)].map(hex => Uint8Array.from(Buffer.from(hex, 'hex')))
}

/** What `read` gives, or null for a DecodeError; anything else thrown fails the test. */
export function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/** Checks every table of messages that `modules` export against the same bytes. */
function tablesCheck(modules: readonly object[]): (bytes: Uint8Array) => void {
  const tables = modules.flatMap(module => Object.values(module)).filter(isTabled)
  assert.ok(tables.length > 0, 'no table of messages')
  const cells = tables.filter((one): one is Tabled & CellMessage => 'plain' in one)
  return bytes => {
    for (const table of tables) {
      const values = attempt(() => decodePayload(table, bytes))
      if (values !== null) assert.deepEqual(decodePayload(table, encodePayload(table, values)), values)
    }
    for (const message of cells) {
      // As long as a cell is, its header comes first.
      const at = bytes.length > 40 ? 29 : 0
      const values = attempt(() => decodeCellMessage(message, bytes, at))
      if (values !== null) assert.deepEqual(decodeCellMessage(message, encodeCellMessage(message, values)), values)
      attempt(() => decodeUnwrapped(message, bytes))
    }
  }
}

/**
 * Random bytes and recorded packets with faults for all tables of messages in `modules`, and for `more`, which checks
 * what else reads such bytes. Declares two tests.
 */
export function fuzzMessages(
  modules: readonly object[],
  more: (bytes: Uint8Array, source: Fuzz) => void = () => {},
): void {
  const check = tablesCheck(modules)
  const checkAll = (bytes: Uint8Array, source: Fuzz): void => {
    check(bytes)
    more(bytes, source)
  }
  fuzz('any bytes', 0.2, source => checkAll(source.bytes(300), source))
  fuzz('recorded bytes with faults', 0.4, source => {
    const cut = source.pick(recorded).subarray(source.pick([0, 0, 4, 23, 27, 29, 99]))
    checkAll(source.mutate(cut), source)
  })
}
