// FilePieceStore against a model in memory: random layouts, random order of operations, the same answers. The seed of a
// failing run is printed by fast-check.

import { mkdirSync } from 'node:fs'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { pieceBytes } from '../../../src/base/lengths.ts'
import { makeRigTorrent, type RigFile, StoreRig } from '../../kit/doubles/store-rig.ts'

const KIB = 1024
const file = fc.record({
  folder: fc.constantFrom('', 'a/', 'a/b/', 'c/'),
  length: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 80 * KIB })),
  padding: fc.boolean(),
})
const step = fc.record({
  kind: fc.constantFrom('commit', 'bad-commit', 'write', 'verify', 'read', 'close', 'sync'),
  at: fc.double({ min: 0, max: 0.999_999, noNaN: true }),
  length: fc.integer({ min: 1, max: 100 * KIB }),
})

test('random layouts and operations behave as the model', async t => {
  const rig = new StoreRig(t, { openFiles: 64 })
  let run = 0
  const property = fc.asyncProperty(
    fc.array(file, { minLength: 1, maxLength: 8 }),
    fc.constantFrom(16 * KIB, 32 * KIB, 50_000),
    fc.array(step, { minLength: 1, maxLength: 25 }),
    async (drawn, pieceLength, steps) => {
      const files: RigFile[] = [
        ...drawn.map(({ folder, length, padding }, i) => ({ path: `T/${folder}f${i}`, length, padding })),
        { path: 'T/last', length: 1 },
      ]
      const destination = join(rig.folder, `run${run++}`)
      mkdirSync(destination)
      const torrent = makeRigTorrent(destination, files, pieceLength, run)
      const { layout, content } = torrent
      const store = rig.stores.open(layout)
      await store.prepare()
      /** Bytes that a read must return as the torrent has them: written ones and padding. */
      const known = new Uint8Array(layout.totalLength)
      for (const { offset, length, padding } of layout.files) if (padding) known.fill(1, offset, offset + length)
      const whole = (from: number, length: number): boolean =>
        known.subarray(from, from + length).every(byte => byte === 1)
      for (const { kind, at, length } of steps) {
        const piece = Math.floor(at * layout.pieceCount)
        const [from, size] = [piece * pieceLength, pieceBytes(layout, piece)]
        if (kind === 'commit') {
          assert.equal(await rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks)), 'ok')
          known.fill(1, from, from + size)
        } else if (kind === 'bad-commit') {
          const verdict = await rig.withBlocks(torrent, piece, blocks => {
            const bytes = blocks[0]?.slot.bytes ?? new Uint8Array(1)
            bytes[0] = (bytes[0] ?? 0) ^ 0x80
            return store.commit(piece, blocks)
          })
          assert.equal(verdict, 'bad-hash')
        } else if (kind === 'write') {
          await rig.withBlocks(torrent, piece, blocks => {
            const some = blocks.filter((_, i) => i % 2 === length % 2)
            for (const { begin, length: bytes } of some) known.fill(1, from + begin, from + begin + bytes)
            return some.length === 0 ? Promise.resolve() : store.writeBlocks(piece, some)
          })
        } else if (kind === 'verify') {
          const verdict = await store.verify(piece)
          if (whole(from, size)) assert.equal(verdict, 'ok')
          else if (verdict === 'ok')
            assert.ok(content.subarray(from, from + size).some((byte, i) => byte === 0 && known[from + i] === 0))
          // Alone or with its neighbours, a piece has one verdict.
          const all = await store.check(0, layout.pieceCount)
          assert.equal(all.length, layout.pieceCount)
          assert.equal(all[piece], verdict)
        } else if (kind === 'read') {
          const start = Math.floor(at * layout.totalLength)
          const slot = rig.rangeArena.lease()
          assert.ok(slot)
          const want = Math.min(length, layout.totalLength - start)
          if (whole(start, want)) {
            assert.equal(await store.read(start, length, rig.rangeArena, slot), want)
            assert.ok(Buffer.from(slot.bytes.subarray(0, want)).equals(content.subarray(start, start + want)))
            // At once it may be less, in parts as in one, but never anything else.
            const cut = Math.floor(want / 3)
            const parts = [slot.bytes.fill(0).subarray(7, 7 + cut), slot.bytes.subarray(100_000, 100_000 + want - cut)]
            const count = store.readPartsNow?.(start, parts) ?? 0
            assert.ok(count <= want)
            assert.ok(
              Buffer.concat(parts)
                .subarray(0, count)
                .equals(content.subarray(start, start + count)),
            )
          }
          rig.rangeArena.release(slot)
        } else if (kind === 'close') await store.close()
        else await store.sync()
      }
      await store.remove()
    },
  )
  await fc.assert(property, { numRuns: 60 })
})
