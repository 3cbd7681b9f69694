// Links that were given away: the file, what is broken, what has ended, bounds.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { GivenLinkFile } from '../../../src/node/state/given-links.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'

const wanted = { name: 'tv', infohash: 'ab'.repeat(20), fileIndex: 1, of: 'a/b.mkv', days: 1, oneDevice: false }

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-links-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('they come back after a restart, for their owner only; no token is stored', async t => {
  const folder = folderOf(t)
  const links = new GivenLinkFile(folder, silentLog, () => 1000)
  const made = await links.add(wanted)
  assert.match(made.id, /^[A-Za-z0-9_-]{16}$/)
  assert.equal(made.endsMs, 1000 + 24 * 3600 * 1000)
  assert.equal(statSync(join(folder, 'links.json')).mode & 0o777, 0o600)
  const again = new GivenLinkFile(folder, silentLog, () => 2000)
  assert.deepEqual(again.find(made.id), made)
  assert.deepEqual(again.list(), [made])
  assert.equal(again.find('x'.repeat(16)), null)
  await again.remove(made.id)
  assert.equal(again.find(made.id), null)
  assert.equal(new GivenLinkFile(folder, silentLog).find(made.id), null)
  await assert.rejects(again.remove(made.id), { code: 'LinkNotFound' })
})

test('what has ended is no longer there, and goes when its place is needed: a clock may be wrong for a while', async t => {
  const folder = folderOf(t)
  let nowMs = 0
  const links = new GivenLinkFile(folder, silentLog, () => nowMs)
  const [brief, lasting] = [await links.add(wanted), await links.add({ ...wanted, days: 0 })]
  nowMs = 24 * 3600 * 1000
  assert.equal(links.find(brief.id), null)
  assert.deepEqual(links.list(), [lasting])
  await links.add(wanted)
  nowMs = 0
  assert.equal(new GivenLinkFile(folder, silentLog, () => nowMs).find(brief.id)?.id, brief.id)
  nowMs = 24 * 3600 * 1000
  await Promise.all(Array.from({ length: 254 }, () => links.add(wanted)))
  assert.equal(readFileSync(join(folder, 'links.json'), 'utf8').includes(brief.id), false)
  assert.equal(links.list().length, 256)
})

test('a link for one device is of the first that uses it, over changes of the list and a restart', async t => {
  const folder = folderOf(t)
  const links = new GivenLinkFile(folder, silentLog)
  const { id } = await links.add({ ...wanted, oneDevice: true })
  assert.equal(links.admits(id, ''), false, 'from nowhere')
  const adding = links.add(wanted)
  assert.ok(links.admits(id, '192.0.2.1'))
  assert.equal(links.admits(id, '192.0.2.2'), false)
  const other = await adding
  assert.equal(links.admits(id, '192.0.2.2'), false, 'while the list is written')
  assert.ok(links.admits(other.id, '192.0.2.1') && links.admits(other.id, '192.0.2.2'))
  assert.equal(links.list().find(link => link.id === id)?.device, '192.0.2.1')
  // The next change comes after it.
  await links.remove(other.id)
  const again = new GivenLinkFile(folder, silentLog)
  assert.ok(again.admits(id, '192.0.2.1'))
  assert.equal(again.admits(id, '192.0.2.2'), false)
  assert.equal(again.admits('x'.repeat(16), '192.0.2.1'), false)
})

test('additions at once all count; names and numbers have limits', async t => {
  const links = new GivenLinkFile(folderOf(t), silentLog)
  for (const name of ['', '  ', 'x'.repeat(65), 'a\u0000b', 'a\nb'])
    await assert.rejects(links.add({ ...wanted, name }), { code: 'InvalidParameter' }, JSON.stringify(name))
  const long = await links.add({ ...wanted, of: '\u{1F600}'.repeat(4000) })
  assert.equal([...long.of].length, 300)
  await Promise.all(Array.from({ length: 255 }, () => links.add(wanted)))
  assert.equal(links.list().length, 256)
  await assert.rejects(links.add(wanted), { code: 'StateConflict' })
})

test('a file that cannot be read opens nothing, and is not written over', async t => {
  const folder = folderOf(t)
  const { id } = await new GivenLinkFile(folder, silentLog).add({ ...wanted, days: 0 })
  const path = join(folder, 'links.json')
  const good = readFileSync(path, 'utf8')
  const broken = ['', '{', '[]', '{"links":1}', '{"links":[{}]}', good.replace(id, 'short'), 'x'.repeat(2_000_000)]
  for (const text of broken) {
    writeFileSync(path, text)
    const links = new GivenLinkFile(folder, silentLog)
    assert.equal(links.find(id), null, text.slice(0, 40))
    await assert.rejects(links.add(wanted), { code: 'StateUnreadable' })
    assert.equal(readFileSync(path, 'utf8'), text)
  }
})
