// What belongs to actions on many downloads: reasons of failures together, labels added and taken away, and the archive
// in which torrent files are saved.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureGroups } from '../../../../src/web/model/failure-groups.ts'
import { relabelled, typedLabels } from '../../../../src/web/model/label-changes.ts'
import { archiveOf, torrentNames } from '../../../../src/web/model/torrent-archive.ts'

test('failures with the same reason stand together, the commonest first, three of each by name', () => {
  const of = (message: string, ...infohashes: string[]) => infohashes.map(infohash => ({ infohash, message }))
  const failures = [...of('rare', 'a'), ...of('often', 'b', 'c', 'd', 'e', 'f'), ...of('x', 'g', 'h'), ...of('y', 'i')]
  assert.deepEqual(failureGroups(failures), [
    { message: 'often', named: ['b', 'c', 'd'], more: 2 },
    { message: 'x', named: ['g', 'h'], more: 0 },
    { message: 'rare', named: ['a'], more: 0 },
  ])
  assert.deepEqual(failureGroups([]), [])
})

test('labels as they are typed; what adding and taking away makes of those there are', () => {
  assert.deepEqual(typedLabels(' films, , old films ,films,'), ['films', 'old films'])
  assert.deepEqual(relabelled(['a', 'b'], ['c'], ['a']), ['b', 'c'])
  assert.equal(relabelled(['a', 'b'], ['b'], ['c']), null)
  assert.equal(relabelled([], ['a'], ['a']), null)
  assert.deepEqual(relabelled(['a'], ['b'], ['a']), ['b'])
})

/** Names and contents by the directory at the end of an archive, as programs read it. */
function readZip(bytes: Buffer): [name: string, content: string, crc: number][] {
  const end = bytes.length - 22
  assert.equal(bytes.readUInt32LE(end), 0x06054b50)
  let at = bytes.readUInt32LE(end + 16)
  assert.equal(at + bytes.readUInt32LE(end + 12), end)
  return Array.from({ length: bytes.readUInt16LE(end + 10) }, () => {
    assert.equal(bytes.readUInt32LE(at), 0x02014b50)
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.subarray(at + 46, at + 46 + nameLength).toString()
    // ASCII says nothing of its encoding.
    assert.equal(bytes.readUInt16LE(at + 8), /^[ -~]*$/.test(name) ? 0 : 0x800, 'names are UTF-8')
    const local = bytes.readUInt32LE(at + 42)
    assert.equal(bytes.readUInt32LE(local), 0x04034b50)
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const content = bytes.subarray(begin, begin + bytes.readUInt32LE(at + 24)).toString()
    const crc = bytes.readUInt32LE(at + 16)
    at += 46 + nameLength
    return [name, content, crc]
  })
}

test('an archive holds its files byte by byte', () => {
  const file = (name: string, content: string) => ({ name, content: new TextEncoder().encode(content) })
  // The checksum of `123456789` is the test value of the standard.
  const archive = archiveOf([file('ä.torrent', '123456789'), file('b.torrent', '')])
  assert.deepEqual(readZip(Buffer.from(archive)), [
    ['ä.torrent', '123456789', 0xcbf43926],
    ['b.torrent', '', 0],
  ])
  assert.throws(() => archiveOf(Array.from({ length: 65_536 }, () => file('a', ''))), RangeError)
})

test('names of torrent files are of strangers: no folder, no turn of direction, no device, each once', () => {
  const names = torrentNames([
    { infohash: '1'.repeat(40), name: '../../etc/passwd' },
    { infohash: '2'.repeat(40), name: 'Film' },
    { infohash: '3'.repeat(40), name: 'film' },
    { infohash: '4'.repeat(40), name: `film ${'3'.repeat(40)}` },
    { infohash: '5'.repeat(40), name: '' },
    { infohash: '6'.repeat(40), name: 'a\u202Egpj\u200B.exe\n' },
    { infohash: '7'.repeat(40), name: 'con' },
    { infohash: '8'.repeat(40), name: 'ü'.repeat(2000) },
  ])
  assert.deepEqual(names.slice(0, 3), ['.._.._etc_passwd.torrent', 'Film.torrent', `film ${'3'.repeat(40)}.torrent`])
  assert.equal(names[3], `film ${'3'.repeat(40)} ${'4'.repeat(40)}.torrent`)
  assert.equal(names[4], `${'5'.repeat(40)}.torrent`)
  assert.deepEqual(names.slice(5, 7), ['a_gpj_.exe_.torrent', '_con.torrent'])
  assert.ok(Buffer.byteLength(names[7] ?? '') < 255)
  assert.equal(new Set(names.map(name => name.toLowerCase())).size, names.length)
})
