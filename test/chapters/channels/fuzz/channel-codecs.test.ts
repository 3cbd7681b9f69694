// Records, heads, votes, tree nodes and pack files of channels: any bytes are read or refused with a DecodeError, and
// what was read is written to the same bytes again: a second encoding of a record would be a second id of it.

import assert from 'node:assert/strict'

import { DecodeError } from '../../../../src/base/errors.ts'
import { type InfoHash, parseInfoHash } from '../../../../src/base/ids.ts'
import { encodeHead, headFromBytes, headToBytes } from '../../../../src/chapters/channels/wire/head-codec.ts'
import { channelIdOf } from '../../../../src/chapters/channels/wire/ids.ts'
import { PackFrames, packFrame } from '../../../../src/chapters/channels/wire/pack-files.ts'
import { decodeRecord, encodeRecord } from '../../../../src/chapters/channels/wire/record-codec.ts'
import { asProse, asTitle, isFilePath, isProse, isTitle } from '../../../../src/chapters/channels/wire/texts.ts'
import { countOf, decodeTreeNode, encodeTreeNode, treeNode } from '../../../../src/chapters/channels/wire/tree.ts'
import {
  MAX_CHANNEL_RECORDS,
  MAX_RECORD_BYTES,
  type RecordContent,
  type RecordId,
  type TreeNode,
} from '../../../../src/chapters/channels/wire/types.ts'
import { decodeVote, encodeVote } from '../../../../src/chapters/channels/wire/vote-codec.ts'
import { fuzz } from '../../../kit/sim/fuzz.ts'
import { signingKey } from '../../../kit/doubles/signing-key.ts'

const owner = signingKey(1)
const channel = channelIdOf(owner.publicKey)
const infoHash = parseInfoHash('ab'.repeat(20)) as InfoHash
const id = 'cd'.repeat(32) as RecordId
const contents: readonly RecordContent[] = [
  { kind: 'channel', name: 'Música', description: 'one\ntwo', mode: 'open' },
  {
    kind: 'torrent',
    infoHash,
    name: 'a name',
    description: '',
    size: 5,
    category: 'audio',
    files: [
      { path: 'folder/one.flac', size: 1 },
      { path: 'two', size: 4 },
    ],
    fileCount: 2,
    trackers: ['udp://tracker.example:1/announce', 'https://other.example/announce'],
  },
  { kind: 'playlist', name: 'list', description: '' },
  { kind: 'entry', playlist: id, infoHash },
  { kind: 'edit', target: id, name: 'new', description: 'other' },
  { kind: 'deletion', targets: [id, 'ef'.repeat(32) as RecordId] },
  { kind: 'grant', contributor: owner.publicKey, add: true, moderate: true },
  { kind: 'comment', target: id, text: 'said' },
]
const records = contents.map(content =>
  encodeRecord({ channel, author: owner.publicKey, clock: 3, timeS: 1_800_000_000, content }, owner.sign),
)
const encodings = records.map(record => record.bytes)
const set = { records: 9, root: new Uint8Array(32), timeS: 1_800_000_000 }
const heads = [null, infoHash].map(pack =>
  headToBytes(encodeHead({ publicKey: owner.publicKey, sequence: 2, ...set, pack }, owner.sign)),
)
const vote = encodeVote({ channel, voter: owner.publicKey, value: 1, timeS: 9 }, owner.sign)
const ids = Array.from({ length: 100 }, (_, at) => (at * 2_654_435_761).toString(16).padStart(64, '0') as RecordId)
const nodes = [treeNode(ids, ''), treeNode(ids.slice(0, 9), '')].map(node => encodeTreeNode(node as TreeNode))
const texts = [
  '../',
  '/',
  '\\',
  '..',
  'c:\\',
  '~/',
  '\u202e',
  '\u0000',
  '\n',
  '\ud800',
  '\u{1f600}',
  'a',
  '.',
  ' ',
  '\r\n',
]

/** What `read` gives, or null for a DecodeError; anything else thrown fails the test. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

fuzz('records are read to the bytes they were written as, or refused', 0.4, source => {
  const bytes = source.below(8) === 0 ? source.bytes(9000) : source.mutate(source.pick(encodings))
  const record = attempt(() => decodeRecord(bytes))
  if (record === null) return
  assert.ok(bytes.length <= MAX_RECORD_BYTES)
  assert.deepEqual(Buffer.from(encodeRecord(record, () => bytes.subarray(-64)).bytes), Buffer.from(bytes))
})

fuzz('heads and votes are read to the bytes they were written as, or refused', 0.2, source => {
  const bytes = source.mutate(source.pick(heads))
  const head = attempt(() => headFromBytes(bytes))
  if (head !== null) {
    assert.deepEqual(Buffer.from(headToBytes(head)), Buffer.from(bytes))
    assert.ok(head.records <= MAX_CHANNEL_RECORDS && head.root.length === 32 && head.sequence >= 1)
  }
  const changed = source.mutate(vote.bytes)
  const read = attempt(() => decodeVote(changed))
  if (read !== null) assert.deepEqual(encodeVote(read, () => changed.subarray(-64)).bytes, Uint8Array.from(changed))
})

fuzz('nodes of trees are read to the bytes they were written as, or refused', 0.15, source => {
  const bytes = source.mutate(source.pick(nodes))
  const node = attempt(() => decodeTreeNode(bytes, ''))
  if (node === null) return
  assert.deepEqual(Buffer.from(encodeTreeNode(node)), Buffer.from(bytes))
  assert.ok(countOf(node) <= MAX_CHANNEL_RECORDS)
})

fuzz('files of packs give the same records however they are cut, or are refused', 0.15, source => {
  const file = Buffer.concat([0, 1, 2].map(() => packFrame(source.pick(encodings))))
  const bytes = source.below(2) === 0 ? file : source.mutate(file)
  const whole = attempt(() => new PackFrames().push(bytes))
  const frames = new PackFrames()
  const cut = attempt(() => {
    const read: Uint8Array[] = []
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + source.below(300)
      read.push(...frames.push(bytes.subarray(at, end)))
      at = end
    }
    return read
  })
  assert.deepEqual(cut, whole)
  for (const record of whole ?? []) assert.ok(record.length <= MAX_RECORD_BYTES)
})

fuzz('any text becomes a title and prose that are taken', 0.1, source => {
  const text = Array.from({ length: source.below(400) }, () => source.pick(texts)).join('')
  const title = asTitle(text, 'nothing')
  assert.ok(isTitle(title), JSON.stringify(title))
  assert.ok(isProse(asProse(text)), JSON.stringify(text))
  if (isFilePath(text)) assert.ok(text.split('/').every(part => part !== '..' && part !== '.' && part !== ''))
})
