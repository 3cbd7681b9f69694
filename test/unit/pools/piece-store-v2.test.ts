// FilePieceStore with v2 and hybrid torrents (BEP 52): what vouches for a piece, here and in worker threads.

import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { PieceStore, StoreLayout } from '../../../src/ports/piece-store.ts'
import { layoutOf } from '../../../src/torrent/session/torrent-core.ts'
import { leavesOf } from '../../../src/wire/metainfo/merkle.ts'
import { decodeInfo, decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { type MakeV2Options, makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'
import { type RigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

const KIB = 1024
const FILES = [
  { path: 'a/long', length: 100_000 },
  { path: 'b-empty', length: 0 },
  { path: 'c-short', length: 20 * KIB + 1 },
  { path: 'd-exact', length: 64 * KIB },
  { path: 'e-last', length: 3 },
]

interface Opened extends RigTorrent {
  readonly rig: StoreRig
  readonly store: PieceStore
}

/** A torrent of FILES in an open store; `change` alters the store's options. */
async function open(
  t: TestContext,
  options: MakeV2Options & { threadsOnly?: boolean } = {},
  change: (layout: StoreLayout) => StoreLayout = layout => layout,
): Promise<Opened> {
  const { threadsOnly, ...rest } = options
  const rig = new StoreRig(t, { threadsOnly: threadsOnly === true })
  const made = makeV2Torrent({ files: FILES, name: 'T', ...rest })
  const meta = decodeMetainfo(made.torrent)
  const layout = change(layoutOf(rig.folder, meta))
  const store = rig.stores.open(layout)
  await store.prepare()
  return { rig, store, layout, content: made.content.subarray(0, meta.totalLength) }
}

function commit({ rig, store, ...torrent }: Opened, piece: number, spoil: number | null = null): Promise<string> {
  return rig.withBlocks(torrent, piece, blocks => {
    if (spoil !== null) {
      const block = blocks.find(({ begin, length }) => spoil >= begin && spoil < begin + length)
      assert.ok(block)
      const at = spoil - block.begin
      block.slot.bytes[at] = (block.slot.bytes[at] ?? 0) ^ 1
    }
    return store.commit(piece, blocks)
  })
}

for (const hybrid of [false, true]) {
  for (const threadsOnly of [false, true]) {
    const kind = `${hybrid ? 'hybrid' : 'v2'}, ${threadsOnly ? 'in threads' : 'here'}`

    test(`every piece is committed, verified and checked (${kind})`, async t => {
      const opened = await open(t, { hybrid, threadsOnly })
      const { store, layout, rig } = opened
      assert.equal(layout.pieceHashes.length, hybrid ? layout.pieceCount * 20 : 0)
      for (let piece = 0; piece < layout.pieceCount; piece++) {
        assert.equal(await commit(opened, piece, 1), 'bad-hash')
        assert.equal(await commit(opened, piece), 'ok', `piece ${piece}`)
        assert.equal(await store.verify(piece), 'ok')
      }
      assert.deepEqual(
        await store.check(0, layout.pieceCount),
        Array.from({ length: layout.pieceCount }, () => 'ok'),
      )
      for (const file of layout.files) {
        const path = join(rig.folder, ...file.path)
        const bytes = opened.content.subarray(file.offset, file.offset + file.length)
        if (file.padding) assert.ok(!existsSync(path), 'padding was written')
        else assert.deepEqual(readFileSync(path), Buffer.from(bytes))
      }
      // The last byte of c-short, in piece 4.
      const path = join(rig.folder, 'T/c-short')
      const bytes = readFileSync(path)
      bytes[20 * KIB] = (bytes[20 * KIB] ?? 0) ^ 1
      writeFileSync(path, bytes)
      const expected = Array.from({ length: layout.pieceCount }, (_, piece) => (piece === 4 ? 'bad-hash' : 'ok'))
      assert.deepEqual(await store.check(0, layout.pieceCount), expected)
    })
  }
}

test('bytes behind the end of a file: v2 does not know them, v1 of a hybrid does', async t => {
  // Piece 3 holds the last 1,696 bytes of a/long.
  const v2 = await open(t)
  assert.equal(await commit(v2, 3, 30_000), 'ok')
  assert.equal(readFileSync(join(v2.rig.folder, 'T/a/long')).length, 100_000)
  const hybrid = await open(t, { hybrid: true })
  assert.equal(await commit(hybrid, 3, 30_000), 'bad-hash')
})

test('a piece of a hybrid must be right by v1 and by v2', async t => {
  const v1Wrong = await open(t, { hybrid: true }, layout => ({
    ...layout,
    pieceHashes: new Uint8Array(layout.pieceHashes.length).fill(1),
  }))
  assert.equal(await commit(v1Wrong, 0), 'bad-hash')
  const v2Wrong = await open(t, { hybrid: true }, layout => {
    assert.ok(layout.v2)
    return { ...layout, v2: { ...layout.v2, pieceRoots: new Uint8Array(layout.pieceCount * 32).fill(1) } }
  })
  assert.equal(await commit(v2Wrong, 0), 'bad-hash')
})

test('without its hash a piece is right by v1 alone, and without v1 not at all', async t => {
  for (const hybrid of [true, false]) {
    const opened = await open(t, { hybrid }, layout => {
      const { v2 } = decodeInfo(makeV2Torrent({ files: FILES, name: 'T', hybrid }).info, [])
      return { ...layout, v2 }
    })
    assert.equal(await commit(opened, 0), hybrid ? 'ok' : 'bad-hash')
    // The root of a file of one piece is in the info dictionary.
    assert.equal(await commit(opened, 4), 'ok')
    assert.deepEqual(await opened.store.check(4, 1), ['ok'])
    assert.deepEqual(await opened.store.check(0, 1), hybrid ? ['ok'] : ['missing'])
    if (hybrid) continue
    writeFileSync(join(opened.rig.folder, 'T/a/long'), opened.content.subarray(0, 100_000))
    assert.deepEqual(await opened.store.check(0, 5), ['bad-hash', 'bad-hash', 'bad-hash', 'bad-hash', 'ok'])
  }
})

test('blocks over padding alone need not come', async t => {
  const opened = await open(t)
  const { rig, store, layout } = opened
  // Piece 7 holds three bytes.
  const blocks = rig.lease(opened, layout.pieceCount - 1, begin => begin === 0)
  assert.equal(await store.commit(layout.pieceCount - 1, blocks), 'ok')
  rig.release(blocks)
})

test('leaf hashes of what is on disk', async t => {
  const opened = await open(t)
  const { store, content } = opened
  assert.equal(await store.leaves(3), null)
  assert.equal(await commit(opened, 3), 'ok')
  const last = Buffer.from(leavesOf(content.subarray(96 * KIB, 100_000)))
  assert.deepEqual(Buffer.from((await store.leaves(3)) ?? []), last)
  assert.equal(await commit(opened, 0), 'ok')
  const first = Buffer.from(leavesOf(content.subarray(0, 32 * KIB)))
  assert.deepEqual(Buffer.from((await store.leaves(0)) ?? []), first)
  await assert.rejects(store.leaves(99), RangeError)
})
