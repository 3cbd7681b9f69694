// A heap snapshot is a file without a name that holds the objects of this thread.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { takeHeapSnapshot } from '../../../src/io/process/heap-snapshot.ts'

/** Objects whose class is looked for in the snapshot. */
class Heirloom {
  readonly value = Math.random()
}

test('a snapshot holds the objects of this thread, and its file has no name', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-heap-'))
  try {
    const kept = Array.from({ length: 123 }, () => new Heirloom())
    const snapshot = await takeHeapSnapshot(folder)
    assert.deepEqual(await readdir(folder), [])
    const reader = snapshot.openReader()
    const chunks: Buffer[] = []
    const room = { bytes: new Uint8Array(256 * 1024) }
    for (let at = 0; at < snapshot.size; ) {
      assert.equal(reader.waitFor(at), snapshot.size - at)
      const count = await reader.read(at, room.bytes.length, room)
      chunks.push(Buffer.from(room.bytes.subarray(0, count)))
      at += count
    }
    reader.close()
    // Chrome's own loader reads it in test/e2e/debug.test.ts.
    const heap = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      snapshot: { meta: { node_fields: string[] } }
      nodes: number[]
      strings: string[]
    }
    const fields = heap.snapshot.meta.node_fields
    const name = heap.strings.indexOf('Heirloom')
    const found = heap.nodes.filter((value, at) => at % fields.length === fields.indexOf('name') && value === name)
    assert.ok(found.length >= kept.length, `${found.length} objects`)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a place that cannot be written to is an error of the disk', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-heap-'))
  try {
    await writeFile(path.join(folder, 'file'), '')
    await assert.rejects(takeHeapSnapshot(path.join(folder, 'file')), { name: 'FileMissing' })
  } finally {
    await rm(folder, { recursive: true })
  }
})
