// Searches for secrets in what a node shows, writes and holds in memory, in every form of bytes as text.

import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { NodeProcess } from './node-process.ts'

/** What must not be found: its name, for the test, and its text or bytes. */
export type Secrets = ReadonlyMap<string, string | Uint8Array>

/** Stands in the snapshot of every node: the name of a class. */
const PRESENT = 'TributaryNode'

/**
 * Whatever would tell the bytes: hexadecimal, a decimal number, base64 at each of its three alignments, and themselves.
 */
export function formsOf(secret: string | Uint8Array): (string | Buffer)[] {
  if (typeof secret === 'string') return [secret]
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].map(shift => {
    // Characters that hold bits of neighbours are left out.
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    return text.slice(shift === 0 ? 0 : 4, text.length - 4)
  })
  return [bytes, hex, BigInt(`0x${hex}`).toString(), ...base64]
}

/** A snapshot of all that lives in the heap of a node now, by its interface. */
export async function heapOf(node: NodeProcess): Promise<Buffer> {
  const { status, body } = await node.request('GET', '/debug/memory/dump')
  assert.equal(status, 200)
  assert.ok(body.includes(PRESENT), 'the snapshot shows what is there')
  return body
}

/** Everything on the disk of a node, and what it printed. */
export async function writtenBy(node: NodeProcess): Promise<Map<string, Buffer>> {
  const places = new Map<string, Buffer>()
  for (const name of await readdir(node.stateDir, { recursive: true })) {
    const at = path.join(node.stateDir, name)
    if ((await stat(at)).isFile()) places.set(name, await readFile(at))
  }
  const { stdout, stderr } = node.logs()
  return places.set('output', Buffer.from(stdout + stderr))
}

/** Fails when one of the secrets stands in one of the places. */
export function assertNowhere(secrets: Secrets, places: ReadonlyMap<string, Buffer>): void {
  for (const [name, secret] of secrets) {
    for (const form of formsOf(secret)) {
      for (const [place, bytes] of places) assert.ok(!bytes.includes(form), `${name} stands in ${place}`)
    }
  }
}
