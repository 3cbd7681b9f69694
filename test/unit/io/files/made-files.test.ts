// Which files count as a torrent's making: those of a mark with a time, until another program writes into them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markOf } from '../../../../src/io/files/safe-files.ts'
import { parseInfoHash } from '../../../../src/base/ids.ts'
import { emptyPieceSet } from '../../../../src/base/piece-set.ts'
import { OwnFiles } from '../../../../src/torrent/pieces/own-files.ts'
import { MemoryJournal } from '../../../kit/doubles/memory-journal.ts'

const infoHash = parseInfoHash('5'.repeat(40)) ?? assert.fail()

function ownOf(journal: MemoryJournal): OwnFiles {
  const lengths = { pieceLength: 16_384, pieceCount: 1, totalLength: 64 }
  const have = () => emptyPieceSet(1)
  return new OwnFiles({
    infoHash,
    lengths,
    files: [],
    journal,
    have,
    overwrites: () => false,
    setAside: () => undefined,
  })
}

test('a file system that does not tell when a file was made gives no mark: its numbers are given out again', () => {
  assert.equal(markOf({ ino: 7n, birthtimeNs: 0n }), '')
  assert.equal(markOf({ ino: 7n, birthtimeNs: 12n }), '7-12')
})

test('marks without a time say nothing, whoever noted them', async () => {
  const journal = new MemoryJournal()
  for (const [file, mark] of ['7-12', '8-0', ''].entries()) await journal.noteMadeFile(infoHash, file, mark)
  const own = ownOf(journal)
  await own.known()
  assert.deepEqual([own.madeMark(0), own.madeMark(1), own.madeMark(2)], ['7-12', null, null])
})

test('what another program wrote into, and what the user keeps, is not its making, whatever the journal still says', async () => {
  const journal = new MemoryJournal()
  const own = ownOf(journal)
  for (const file of [0, 1]) await own.note([file], `${file}-5`)
  own.changed(0)
  await own.load()
  assert.equal(own.madeMark(0), null)
  assert.equal(own.madeMark(1), '1-5')
  await own.note([0], '9-9')
  assert.equal(own.madeMark(0), '9-9', 'made again')
  await own.keepMade()
  assert.ok(!own.hasMade)
  assert.deepEqual(await journal.madeFiles(infoHash), [])
})
