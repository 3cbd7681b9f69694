// kill -9 of a process that writes to the database: whatever it was promised is there afterwards.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { RecordsStore } from '../../src/records/records-store.ts'
import { migrations } from '../../src/records/schema.ts'
import { hashOf, temporaryFolder } from '../unit/records/records-kit.ts'
import { killAfter } from './killed-child.ts'

const WRITER = new URL('./records-writer.js', import.meta.url)

function numbers(lines: readonly string[], word: string): number[] {
  return lines.filter(line => line.startsWith(`${word} `)).map(line => Number(line.slice(word.length + 1)))
}

function hasPiece(have: Uint8Array, piece: number): boolean {
  return ((have[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) !== 0
}

test('kill -9 loses nothing that was answered, five times in a row', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const said: string[] = []
  for (let round = 0; round < 5; round++) {
    const lines = await killAfter(WRITER, [path, String(round)], 100 + round * 133)
    said.push(...lines)
    const records = await RecordsStore.open({ path })
    try {
      assert.deepEqual(records.facts, {
        created: false,
        cleanStop: false,
        otherBoot: false,
        schemaBefore: migrations.length,
      })
      const listed = new Set<string>()
      for await (const { rows } of records.downloads.list()) for (const row of rows) listed.add(row.infoHash)
      const deleted = new Set(numbers(said, 'deleted'))
      // The last one of a round may have been deleted without time to say so.
      const ids = numbers(said, 'download').filter(id => !deleted.has(id))
      const missing = ids.filter(id => !listed.has(hashOf(id)))
      assert.ok(missing.length <= round + 1, `missing: ${missing.join()}`)
      for (const id of missing) assert.ok(ids.includes(id + 1), `download ${id} was lost`)
      const last = ids.findLast(id => listed.has(hashOf(id)))
      const { pieceLayers } = (last && (await records.downloads.metainfo(hashOf(last)))) || {}
      if (last !== undefined) assert.deepEqual(pieceLayers, Uint8Array.of(last & 0xff))
      for (const id of deleted) assert.equal(listed.has(hashOf(id)), false, `download ${id} came back`)

      const resume = await records.progress.loadResume(hashOf(0))
      assert.deepEqual(resume?.suspect, [])
      const pieces = numbers(said, 'piece')
      assert.ok(pieces.length > 0)
      for (const piece of pieces) assert.ok(resume !== null && hasPiece(resume.have, piece), `piece ${piece} was lost`)

      const { newest } = await records.events.bounds()
      assert.ok(newest >= Math.max(...numbers(said, 'event')), 'an event was lost')
    } finally {
      await records.close(5000)
    }
  }
})
