// The recorded vectors of the overlay protocol (test/vectors/ipv8): reading them, and comparing fields by their layout.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project-root.ts'

/** One field of a recorded packet. */
export interface LayoutField {
  readonly name: string
  readonly format?: string
  readonly value?: unknown
  readonly hex: string
}

/** A recorded packet. */
export interface RecordedPacket {
  readonly name: string
  readonly message_id: number
  readonly signed: boolean
  readonly signer: string | null
  readonly packet: string
  readonly layout: readonly LayoutField[]
}

/** Reads a file of vectors; the caller says what it is. */
export function overlayVectors(name: string): unknown {
  return JSON.parse(readFileSync(join(projectRoot, 'test/vectors/ipv8', `${name}.json`), 'utf8')) as unknown
}

/** Bytes of hexadecimal digits. */
export function unhex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'))
}

/** Hexadecimal digits of bytes. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** What a field of ours is in the notation of the vectors; null: not comparable, its bytes have to do. */
export function recordedForm(value: unknown): unknown {
  if (value instanceof Uint8Array) return hex(value)
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if ('ip' in value && 'port' in value) return [value.ip, value.port]
  if ('host' in value && 'port' in value) return [value.host, value.port]
  if (Array.isArray(value) && value.every(each => each instanceof Uint8Array)) return value.map(hex)
  return null
}

/** Compares decoded values, in their order, with the fields of a recorded layout. */
export function assertLayout(values: object, fields: readonly LayoutField[], name: string): void {
  const entries = Object.entries(values)
  assert.equal(entries.length, fields.length, name)
  for (const [i, field] of fields.entries()) {
    const ours = recordedForm(entries[i]?.[1])
    const where = `${name}: ${field.name}`
    if (field.format === 'bits') assert.equal(ours, Number.parseInt(field.hex, 16), where)
    else if (field.format === 'varlenHx20') assert.equal((ours as string[]).join(''), field.hex.slice(4), where)
    else if (field.format === 'c20s') assert.equal(ours, field.hex, where)
    else if (ours !== null && field.format !== 'node-list' && field.format !== 'payload-list')
      assert.deepEqual(ours, field.value, where)
  }
}
