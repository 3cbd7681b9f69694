// A file that was replaced by one of the same length and time, while it waits to be hashed: what peers and readers get
// meanwhile, what readers get that were at work already, and what is left of the doubt when the process is killed then.
// The hashing is held up here for as long as it takes.

import assert from 'node:assert/strict'
import { renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { makeDeferred } from '../../../src/base/deferred.ts'
import { unfitFacts } from '../../../src/ports/piece-store.ts'
import { countBits } from '../../../src/base/piece-set.ts'
import { BlockLeech } from '../../kit/peers/block-leech.ts'
import { LoopbackNode } from '../../kit/nodes/loopback-node.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { awake } from '../../kit/sim/awake.ts'

const PIECE = 32 * 1024
const BLOCK = 16 * 1024
const FILES = [
  { path: 'a.bin', length: 8 * PIECE },
  { path: 'b.bin', length: 8 * PIECE },
]

/** A seeding node whose next checks wait, and a reader of the first file. */
async function scene(t: TestContext) {
  const node = await new LoopbackNode().start()
  const gate = makeDeferred<void>()
  let held = false
  const open = node.stores.open.bind(node.stores)
  node.stores.open = layout => {
    const store = open(layout)
    const check = store.check.bind(store)
    store.check = async (first, count) => {
      if (held) await gate.promise
      return check(first, count)
    }
    return store
  }
  const made = makeTorrent({ files: FILES, pieceLength: PIECE, seed: 503 })
  await node.put(made)
  const torrent = node.add(made)
  await waitFor('it seeds', () => torrent.snapshot().status === 'seeding')
  t.after(async () => {
    gate.resolve()
    await node.close(true)
  })
  const read = async (position: number, limitMs = 200): Promise<'wrong' | 'right' | 'nothing'> => {
    const reader = awake(torrent).openReader(0)
    const slot = node.rangeArena.lease()
    assert.ok(slot)
    try {
      // Who waits in vain is closed.
      const late = setTimeout(() => reader.close(), limitMs)
      await Promise.resolve(reader.waitFor(position)).finally(() => clearTimeout(late))
      const count = await reader.read(position, BLOCK, slot)
      return Buffer.from(made.content.subarray(position, position + count)).equals(slot.bytes.subarray(0, count))
        ? 'right'
        : 'wrong'
    } catch {
      return 'nothing'
    } finally {
      reader.close()
      node.rangeArena.release(slot)
    }
  }
  const replace = (): void => {
    const path = join(node.folder, 'folder/a.bin')
    const { atime, mtime } = statSync(path)
    writeFileSync(`${path}.new`, Buffer.alloc(8 * PIECE, 'x'))
    utimesSync(`${path}.new`, atime, mtime)
    renameSync(`${path}.new`, path)
    held = true
  }
  return { node, made, torrent, gate, read, replace }
}

test('while a file is in doubt nobody gets a byte of it; the doubt is durable at once, and outlives a kill', async t => {
  const { node, made, torrent, gate, read, replace } = await scene(t)
  const leech = await BlockLeech.join(node.address.port, made.infoHash)
  t.after(() => leech.close())
  assert.equal(await read(0), 'right')
  assert.ok((await leech.ask(0, 0, BLOCK))?.equals(made.content.subarray(0, BLOCK)))
  replace()
  // Within a second after the last look nobody can tell.
  await waitFor('the change is seen', async () => {
    await read(0)
    return torrent.obstacles().changedFiles.length > 0
  })
  for (const position of [0, 3 * PIECE]) assert.equal(await read(position), 'nothing')
  assert.equal(await leech.ask(5, 0, BLOCK, 300), null)
  assert.ok(
    (await leech.ask(12, 0, BLOCK))?.equals(made.content.subarray(12 * PIECE, 12 * PIECE + BLOCK)),
    'the other file',
  )

  const resume = () => node.journal.resume(made.infoHash, 16)
  // At once: the next checkpoint would come within half a minute.
  await waitFor('the doubt is durable', () => resume().files[0]?.sizeBytes === unfitFacts(0).sizeBytes, 5000)
  assert.equal(countBits(torrent.haveBits()), 16, 'nothing is hashed yet')
  // What a kill leaves, taken up by another process.
  const next = await new LoopbackNode({ folder: node.folder, journal: node.journal }).start()
  t.after(() => next.close(true))
  const again = next.add(made, { resume: resume() })
  const knows = (): boolean => /seeding|downloading/.test(again.snapshot().status)
  await waitFor('it knows what it has', knows, 10_000, () => again.snapshot())
  assert.equal(countBits(again.haveBits()), 8)

  gate.resolve()
  await waitFor('it is hashed', () => countBits(torrent.haveBits()) === 8)
  assert.equal(await leech.ask(5, 0, BLOCK, 300), null)
})

test('who reads a file when it is found changed is cut, for all time; who reads another is not, nor who comes later', async t => {
  const { node, made, torrent, gate, read, replace } = await scene(t)
  const running = awake(torrent).openReader(0)
  const beside = awake(torrent).openReader(1)
  t.after(() => [running, beside].forEach(reader => reader.close()))
  assert.equal(await running.waitFor(0), 8 * PIECE)
  replace()
  await waitFor('the change is seen', async () => {
    await read(0)
    return torrent.obstacles().changedFiles.length > 0
  })
  // Nobody hashes yet: who is not cut would wait for that.
  const late = setTimeout(() => running.close(), 2000)
  await assert.rejects(Promise.resolve(running.waitFor(0)), { code: 'FileChanged' })
  clearTimeout(late)
  assert.equal(await beside.waitFor(0), 8 * PIECE)
  // The right bytes come back: what a player has of the file may be of both, so its answer stays over.
  writeFileSync(join(node.folder, 'folder/a.bin'), made.content.subarray(0, 8 * PIECE))
  gate.resolve()
  await waitFor('a new reader gets them', async () => (await read(0)) === 'right')
  await assert.rejects(Promise.resolve(running.waitFor(0)), { code: 'FileChanged' })
})
