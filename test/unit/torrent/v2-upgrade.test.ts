// Which info hash a connection is made with, for v1, hybrid and v2 torrents, on both sides.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, parseInfoHash, parseInfoHashV2 } from '../../../src/base/ids.ts'
import {
  answeringHash,
  connectionHashes,
  isAnswer,
  offersV2,
  otherHashes,
  speaksV2,
} from '../../../src/torrent/pieces/v2-upgrade.ts'
import { decodeInfo, decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import type { Handshake } from '../../../src/wire/peer/handshake.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'

const made = makeV2Torrent({ hybrid: true })
const v1 = hashOf(made.v1Hash)
const v2 = hashOf(made.v2Hash.slice(0, 40))

function hashOf(text: string): InfoHash {
  const hash = parseInfoHash(text)
  assert.ok(hash)
  return hash
}

function shake(infoHash: InfoHash, bit: boolean): Handshake {
  return {
    infoHash,
    peerId: new Uint8Array(20),
    extensions: { fast: true, extended: true, dht: false, v2: bit },
  }
}

test('a hybrid is asked for by its v1 hash, and answered by its v2 hash when the asker knows v2', () => {
  const hashes = connectionHashes(v1, decodeMetainfo(made.torrent), null)
  assert.deepEqual(hashes, { infoHash: v1, v2 })
  assert.equal(offersV2(hashes), true)
  assert.equal(answeringHash(hashes, shake(v1, true)), v2)
  assert.equal(answeringHash(hashes, shake(v1, false)), v1)
  assert.equal(answeringHash(hashes, shake(v2, false)), v2)
  for (const [answer, good] of [
    [v1, true],
    [v2, true],
    [hashOf('ab'.repeat(20)), false],
  ] as const) {
    assert.equal(isAnswer(hashes, shake(answer, true)), good)
  }
  assert.equal(speaksV2(decodeMetainfo(made.torrent), v2), true)
  assert.equal(speaksV2(decodeMetainfo(made.torrent), v1), false)
  assert.deepEqual(otherHashes(decodeMetainfo(made.torrent)), [v2])
})

test('a hybrid that is known by its v2 hash is asked for by v1 once that is known: peers of v1 have no other', () => {
  const magnet = connectionHashes(v2, null, parseInfoHashV2(made.v2Hash))
  assert.deepEqual([magnet.infoHash, offersV2(magnet)], [v2, false])
  const meta = decodeInfo(made.info, [], { knownAs: v2 })
  const hashes = connectionHashes(v2, meta, null)
  assert.deepEqual(hashes, { infoHash: v1, v2 })
  assert.equal(offersV2(hashes), true)
  assert.equal(answeringHash(hashes, shake(v2, false)), v2)
  assert.ok(speaksV2(meta, v2))
  assert.deepEqual(otherHashes(meta), [v1])
})

test('v2 alone, v1 alone and magnets have one hash', () => {
  const alone = decodeMetainfo(makeV2Torrent().torrent)
  const hashes = connectionHashes(alone.infoHash, alone, null)
  assert.deepEqual([offersV2(hashes), speaksV2(alone, alone.infoHash), otherHashes(alone)], [false, true, []])
  const old = decodeMetainfo(makeTorrent().torrent)
  for (const metainfo of [old, null]) {
    const plain = connectionHashes(old.infoHash, metainfo, null)
    assert.equal(offersV2(plain), false)
    assert.equal(answeringHash(plain, shake(old.infoHash, true)), old.infoHash)
    assert.equal(speaksV2(metainfo, old.infoHash), false)
  }
  assert.deepEqual(otherHashes(old), [])
})

test('a magnet that names both hashes offers v2 before its metadata is here', () => {
  const named = parseInfoHashV2(made.v2Hash)
  assert.deepEqual(connectionHashes(v1, null, named), { infoHash: v1, v2 })
  assert.deepEqual(connectionHashes(v1, decodeMetainfo(makeTorrent().torrent), named), { infoHash: v1, v2: null })
})
