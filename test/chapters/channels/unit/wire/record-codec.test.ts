// Records of channels: both ways, signatures, limits, names and paths that are refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DecodeError } from '../../../../../src/base/errors.ts'
import { parseInfoHash, type InfoHash } from '../../../../../src/base/ids.ts'
import { channelIdOf } from '../../../../../src/chapters/channels/wire/ids.ts'
import { decodeRecord, encodeRecord } from '../../../../../src/chapters/channels/wire/record-codec.ts'
import { verifyRecord } from '../../../../../src/chapters/channels/wire/record-signature.ts'
import type { RecordContent, RecordId, TorrentContent } from '../../../../../src/chapters/channels/wire/types.ts'
import { MAX_RECORD_BYTES } from '../../../../../src/chapters/channels/wire/types.ts'
import { signingKey, verifySignature } from '../../../../kit/doubles/signing-key.ts'

const owner = signingKey(1)
const channel = channelIdOf(owner.publicKey)
const id = (digit: string): RecordId => digit.repeat(64) as RecordId
const infoHash = parseInfoHash('ab'.repeat(20)) as InfoHash

const torrent: TorrentContent = {
  kind: 'torrent',
  infoHash,
  name: 'AC/DC: live',
  description: 'two\nlines',
  size: 2 ** 40 + 1,
  files: [{ path: 'disc 1/01.flac', size: 12 }],
  fileCount: 3,
  trackers: ['udp://tracker.example:6969/announce'],
  category: 'audio',
}

const contents: readonly RecordContent[] = [
  { kind: 'channel', name: 'Música', description: '', mode: 'semi-open' },
  torrent,
  { kind: 'playlist', name: 'P', description: 'd' },
  { kind: 'entry', playlist: id('a'), infoHash },
  { kind: 'edit', target: id('b'), name: 'new', description: null },
  { kind: 'edit', target: id('b'), name: null, description: '' },
  { kind: 'deletion', targets: [id('1'), id('2')] },
  { kind: 'grant', contributor: new Uint8Array(32).fill(7), add: true, moderate: false },
  { kind: 'comment', target: null, text: 'good' },
  { kind: 'comment', target: id('c'), text: 'better' },
]

function encode(content: RecordContent, clock = 1) {
  return encodeRecord({ channel, author: owner.publicKey, clock, timeS: 1_800_000_000, content }, owner.sign)
}

/** The bytes of a torrent record with other texts than a writer would take. */
function patched(content: RecordContent, from: string, to: string): Uint8Array {
  const bytes = Buffer.from(encode(content).bytes)
  const at = bytes.indexOf(from)
  assert.equal(Buffer.byteLength(from), Buffer.byteLength(to))
  bytes.write(to, at)
  return bytes
}

test('each kind is read as it was written, and is signed by its author', () => {
  for (const content of contents) {
    const record = encode(content)
    const read = decodeRecord(record.bytes)
    assert.deepEqual(read.content, content)
    assert.equal(read.id, record.id)
    assert.deepEqual([read.channel, read.clock, read.timeS], [channel, 1, 1_800_000_000])
    assert.ok(verifyRecord(read, verifySignature))
    assert.deepEqual(encodeRecord(read, owner.sign).bytes, record.bytes)
  }
})

test('a changed byte gives another id and no valid signature, or no record', () => {
  const { bytes, id: before } = encode(torrent)
  for (let at = 0; at < bytes.length; at++) {
    const changed = Uint8Array.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    try {
      const record = decodeRecord(changed)
      assert.notEqual(record.id, before)
      assert.equal(verifyRecord(record, verifySignature), false, `byte ${at}`)
    } catch (error) {
      assert.ok(error instanceof DecodeError)
    }
  }
})

test('the signature is of a record and of nothing else', () => {
  const record = encode(torrent)
  const unsigned = record.bytes.subarray(0, -64)
  assert.equal(verifySignature(owner.publicKey, unsigned, record.bytes.subarray(-64)), false)
})

test('names with control characters or marks that turn text, and path names, are refused', () => {
  const named: RecordContent = { kind: 'playlist', name: 'abcdefgh', description: '' }
  for (const name of [
    'abc\u0000efgh',
    'abc\nefgh',
    'a\u202ebcde',
    '/bcdefgh',
    '~/cdefgh',
    'c:\\defgh',
    'a/../fgh',
    '../defgh',
    'ab\\..\\gh',
    '        ',
  ]) {
    const room = name.padEnd(8 - (Buffer.byteLength(name) - name.length), 'x')
    assert.throws(() => decodeRecord(patched(named, 'abcdefgh', room)), DecodeError, JSON.stringify(name))
  }
  assert.equal(decodeRecord(patched(named, 'abcdefgh', 'a..b/c.d')).content.kind, 'playlist')
})

test('paths of files that leave their folder are refused, and left out when written', () => {
  for (const path of ['../abc/01.flac', '/isc 1/01.flac', 'disc 1//1.flac', 'disc 1/..flac.', 'disc 1\\01.flac']) {
    const room = path.padEnd('disc 1/01.flac'.length, 'x').slice(0, 14)
    assert.throws(() => decodeRecord(patched(torrent, 'disc 1/01.flac', room)), DecodeError, path)
  }
  const written = encode({ ...torrent, files: [{ path: '../x', size: 1 }, ...torrent.files] })
  assert.deepEqual(written.content, torrent)
})

test('of many files and trackers as many are written as fit', () => {
  const files = Array.from({ length: 5000 }, (_, at) => ({ path: `folder/${at}.bin`, size: at }))
  const trackers = Array.from({ length: 40 }, (_, at) => `http://tracker${at}.example/${'x'.repeat(90)}`)
  const long = '\u{1f600}'.repeat(255)
  const record = encode({ ...torrent, name: long, files, fileCount: 5000, trackers, description: 'd'.repeat(1023) })
  assert.ok(record.bytes.length < MAX_RECORD_BYTES / 2)
  const { content } = record
  assert.ok(content.kind === 'torrent')
  assert.equal(content.fileCount, 5000)
  assert.deepEqual(content.files, [])
  assert.equal(content.trackers.length, 8)
  const short = encode({ ...torrent, files, fileCount: 5000 }).content
  assert.ok(short.kind === 'torrent' && short.files.length > 50)
})

test('more files or trackers than a writer would tell are refused', () => {
  const files = Array.from({ length: 5000 }, (_, at) => ({ path: `folder/${at}.bin`, size: at }))
  const { bytes } = encode({ ...torrent, description: '', files, fileCount: 5000 })
  const at = bytes.indexOf(0x41, 66) + torrent.name.length
  assert.deepEqual([...bytes.subarray(at, at + 2)], [0, 0], 'the length of the description')
  const longer = Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from([3, 232]),
    Buffer.alloc(1000, 'd'),
    bytes.subarray(at + 2),
  ])
  assert.throws(() => decodeRecord(longer), /more files/)
})

test('texts at their limits are taken, longer ones are not', () => {
  const name = '\u{1f600}'.repeat(255)
  const description = '\u{1f600}'.repeat(1023)
  assert.equal(encode({ kind: 'channel', name, description, mode: 'open' }).content.kind, 'channel')
  assert.throws(() => encode({ kind: 'channel', name: `${name}x`, description, mode: 'open' }), DecodeError)
  assert.throws(() => encode({ kind: 'channel', name, description: `${description}x`, mode: 'open' }), DecodeError)
  assert.throws(() => encode({ kind: 'comment', target: null, text: '' }), DecodeError)
})

test('what is too long, cut off, or followed by something is refused', () => {
  const { bytes } = encode(torrent)
  for (let length = 0; length < bytes.length; length++)
    assert.throws(() => decodeRecord(bytes.subarray(0, length)), DecodeError)
  assert.throws(() => decodeRecord(Buffer.concat([bytes, new Uint8Array(1)])), DecodeError)
  assert.throws(() => decodeRecord(new Uint8Array(MAX_RECORD_BYTES + 1)), DecodeError)
})

test('targets are written in order and each once, and read no other way', () => {
  const record = encode({ kind: 'deletion', targets: [id('2'), id('1'), id('2')] })
  assert.deepEqual(record.content, { kind: 'deletion', targets: [id('1'), id('2')] })
  const swapped = Buffer.from(record.bytes)
  const at = swapped.indexOf(Buffer.from(id('1'), 'hex'))
  swapped.write(id('2') + id('1'), at, 'hex')
  assert.throws(() => decodeRecord(swapped), DecodeError)
})

test('clock 0, versions and kinds that are not known are refused', () => {
  assert.throws(() => encode(torrent, 0), DecodeError)
  const { bytes } = encode(torrent)
  for (const [at, value] of [
    [0, 2],
    [1, 0],
    [1, 9],
  ] as const) {
    const changed = Uint8Array.from(bytes)
    changed[at] = value
    assert.throws(() => decodeRecord(changed), DecodeError)
  }
})
