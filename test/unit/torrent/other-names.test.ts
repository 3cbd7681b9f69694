// Second names of hybrid torrents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, parseInfoHash, parseInfoHashV2 } from '../../../src/base/ids.ts'
import { OtherNames } from '../../../src/torrent/pieces/other-names.ts'
import { decodeInfo, decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'

const made = makeV2Torrent({ hybrid: true })
const meta = decodeMetainfo(made.torrent)
const v1 = meta.infoHash
const v2 = hashOf(made.v2Hash.slice(0, 40))

function hashOf(text: string): InfoHash {
  const hash = parseInfoHash(text)
  assert.ok(hash)
  return hash
}

test('a hybrid is found by both hashes, whichever it is known by, until it goes', () => {
  const names = new OtherNames()
  assert.equal(names.knownAs(v2), v2)
  names.note(v1, meta, null)
  names.note(v1, meta, null)
  assert.deepEqual([names.knownAs(v1), names.knownAs(v2)], [v1, v1])
  names.forget(v1)
  assert.equal(names.knownAs(v2), v2)
  names.note(v2, decodeInfo(made.info, [], { knownAs: v2 }), null)
  assert.deepEqual([names.knownAs(v1), names.knownAs(v2)], [v2, v2])
})

test('a magnet with both hashes has two names, until its metadata says otherwise', () => {
  const names = new OtherNames()
  const named = parseInfoHashV2(made.v2Hash)
  names.note(v1, null, named)
  assert.equal(names.knownAs(v2), v1)
  const other = decodeMetainfo(makeV2Torrent({ hybrid: true, name: 'other' }).torrent)
  names.note(v1, other, named)
  assert.equal(names.knownAs(v2), v2)
  names.note(v2, null, named)
  assert.equal(names.knownAs(v2), v2)
})

test('a name that is taken stays with who has it', () => {
  const names = new OtherNames()
  names.note(v1, meta, null)
  const thief = hashOf('ab'.repeat(20))
  names.note(thief, null, parseInfoHashV2(made.v2Hash))
  assert.equal(names.knownAs(v2), v1)
  names.forget(thief)
  assert.equal(names.knownAs(v2), v1)
})
