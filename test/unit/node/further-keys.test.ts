// Keys beside the first one: the file, its hashes, changes by several at once, what is broken.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import { FurtherKeys } from '../../../src/node/state/further-keys.ts'

const hasCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-keys-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a key is shown once and stored as its hash, for its owner only; it comes back after a restart', async t => {
  const folder = folderOf(t)
  const made = await new FurtherKeys(folder, () => 1500).add('tv', ['stream', 'read'])
  assert.match(made.key, /^[0-9a-f]{64}$/)
  assert.deepEqual(made.scopes, ['read', 'stream'])
  const path = join(folder, 'keys.json')
  assert.equal(readFileSync(path, 'utf8').includes(made.key), false)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const keys = new FurtherKeys(folder)
  const [stored] = keys.current()
  assert.deepEqual(stored?.hash, createHash('sha256').update(made.key).digest())
  assert.deepEqual(keys.list(), { keys: [{ name: 'tv', scopes: ['read', 'stream'], label: null, created: 1.5 }] })
})

test('what another process changes is seen by the next look', async t => {
  const folder = folderOf(t)
  let nowMs = 0
  const node = new FurtherKeys(folder, () => nowMs)
  const command = new FurtherKeys(folder)
  assert.deepEqual(node.current(), [])
  await command.add('a', ['read'])
  nowMs += 1000
  assert.equal(node.current().length, 1)
  await command.remove('a')
  nowMs += 1000
  assert.deepEqual(node.current(), [])
  await node.add('b', ['add'])
  assert.equal(node.current().length, 1, 'its own changes count at once')
})

test('changes by many at once all count', async t => {
  const folder = folderOf(t)
  const names = Array.from({ length: 20 }, (_, n) => `k${n}`)
  await Promise.all(names.map(name => new FurtherKeys(folder).add(name, ['read'])))
  const there = new FurtherKeys(folder).list().keys.map(({ name }) => name)
  assert.deepEqual(there.sort(), names.sort())
})

test('names, scopes and numbers have limits', async t => {
  const keys = new FurtherKeys(folderOf(t))
  for (const name of ['', ' ', 'a/b', '.a', 'x'.repeat(65), 'ü', '__proto__/'])
    await assert.rejects(keys.add(name, ['read']), hasCode('InvalidParameter'), name)
  for (const scopes of [[], ['all'], ['read', 'open'], ['']])
    await assert.rejects(keys.add('a', scopes), hasCode('InvalidParameter'), scopes.join())
  await keys.add('a', ['read'])
  await assert.rejects(keys.add('a', ['add']), hasCode('StateConflict'))
  await assert.rejects(keys.remove('b'), hasCode('KeyNotFound'))
  for (let n = 1; n < 64; n++) await keys.add(`k${n}`, ['read'])
  await assert.rejects(keys.add('more', ['read']), hasCode('StateConflict'))
})

test('a broken file opens nothing, says so, and is not written over', async t => {
  const folder = folderOf(t)
  const path = join(folder, 'keys.json')
  const good = { name: 'a', hash: 'ab'.repeat(32), scopes: ['read'], created: 1 }
  const broken = [
    '{',
    '[]',
    'null',
    '{"keys":5}',
    JSON.stringify({ keys: [{ ...good, hash: 'x' }] }),
    ' '.repeat(70_000),
  ]
  for (const text of broken) {
    writeFileSync(path, text)
    const keys = new FurtherKeys(folder)
    assert.deepEqual(keys.current(), [], text.slice(0, 20))
    assert.throws(() => keys.list(), hasCode('StateUnreadable'))
    await assert.rejects(keys.add('b', ['read']), hasCode('StateUnreadable'))
    assert.equal(readFileSync(path, 'utf8'), text)
  }
  writeFileSync(path, JSON.stringify({ keys: [{ ...good, scopes: ['read', 'everything'] }] }))
  assert.deepEqual(new FurtherKeys(folder).current()[0]?.scopes, ['read'], 'a scope of a later version opens nothing')
})

test('a key that is bound to a label has no more than read, stream and add, and opens nothing in versions without labels', async t => {
  const folder = folderOf(t)
  const keys = new FurtherKeys(folder)
  for (const scope of ['admin', 'spend', 'owner'])
    await assert.rejects(keys.add('anna', ['read', scope], 'anna'), hasCode('InvalidParameter'), scope)
  for (const label of ['', ' ', 'a,b', 'x\ny', 'x'.repeat(300)])
    await assert.rejects(keys.add('anna', ['read'], label), hasCode('InvalidParameter'), label)
  const made = await keys.add('anna', ['add', 'read'], ' anna ')
  assert.deepEqual([made.label, made.scopes], ['anna', ['read', 'add']])
  const again = new FurtherKeys(folder)
  assert.deepEqual(
    again.current().map(({ label, scopes }) => [label, scopes]),
    [['anna', ['read', 'add']]],
  )
  await again.add('tv', ['read'])
  assert.deepEqual(
    keys.list().keys.map(({ name, label }) => [name, label]),
    [
      ['anna', 'anna'],
      ['tv', null],
    ],
  )
  const path = join(folder, 'keys.json')
  const { keys: entries } = JSON.parse(readFileSync(path, 'utf8')) as { keys: Record<string, unknown>[] }
  assert.deepEqual([entries[0]?.['scopes'], entries[0]?.['bound']], [[], { label: 'anna', scopes: ['read', 'add'] }])
  // Whatever is wrong with the bounds, the key does not become one without.
  for (const bound of [null, {}, { label: '' }, { label: 7, scopes: ['read'] }, 'anna']) {
    writeFileSync(path, JSON.stringify({ keys: [{ ...entries[0], scopes: ['owner'], bound }] }))
    assert.deepEqual(new FurtherKeys(folder).current(), [], JSON.stringify(bound))
  }
  const bound = { label: 'anna', scopes: ['owner', 'admin', 'stream'] }
  writeFileSync(path, JSON.stringify({ keys: [{ ...entries[0], scopes: ['owner'], bound }] }))
  assert.deepEqual(new FurtherKeys(folder).current()[0]?.scopes, ['stream'])
})
