// The `nodes` of a torrent file: which are kept, in which form, and how many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BencodeInput, decodeBencode, encodeBencode } from '../../../src/wire/bencode.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { MAX_TORRENT_NODES, torrentNodes } from '../../../src/wire/dht/torrent-nodes.ts'
import type { TorrentDhtNode } from '../../../src/wire/metainfo/torrent-types.ts'

const read = (value: BencodeInput): string[] => texts(torrentNodes(decodeBencode(encodeBencode(value))))
const texts = (contacts: readonly TorrentDhtNode[]): string[] => contacts.map(({ host, port }) => `${host} ${port}`)

test('addresses and names, each once', () => {
  const nodes = [
    ['192.0.2.7', 6881],
    ['2001:DB8:0::1', 1],
    ['Router.Example.org', 65_535],
    ['router.example.org', 65_535],
  ]
  assert.deepEqual(read(nodes), ['192.0.2.7 6881', '2001:db8::1 1', 'router.example.org 65535'])
})

test('what is no host or no port is passed over', () => {
  const strange = [
    ['192.0.2.7', 0],
    ['192.0.2.7', 65_536],
    ['192.0.2.7', -1],
    ['192.0.2.7', '6881'],
    ['192.0.2.7'],
    ['', 6881],
    ['a b', 6881],
    ['-x', 6881],
    ['a\nb', 6881],
    ['http://a/', 6881],
    [Buffer.from([0xff, 0xfe]), 6881],
    ['a'.repeat(256), 6881],
    [['a'], 6881],
    'router.example.org:6881',
    7,
    [],
  ]
  assert.deepEqual(read([...strange, ['good', 2]]), ['good 2'])
  for (const value of ['good', 1, {}, { good: 2 }]) assert.deepEqual(read(value), [])
  assert.deepEqual(torrentNodes(undefined), [])
})

test('no more than there is room for', () => {
  const many = Array.from({ length: 5000 }, (_, at) => ['192.0.2.7', at + 1])
  assert.equal(read(many).length, MAX_TORRENT_NODES)
})

test('a torrent file has them or has no such entry', () => {
  const info = { length: 100, name: 'n', 'piece length': 16_384, pieces: Buffer.alloc(20, 1) }
  const torrent = (rest: { [key: string]: BencodeInput }) => decodeMetainfo(encodeBencode({ info, ...rest }))
  assert.deepEqual(texts(torrent({ nodes: [['192.0.2.7', 6881]] }).dhtNodes ?? []), ['192.0.2.7 6881'])
  for (const nodes of [[], 'no', 3]) assert.equal('dhtNodes' in torrent({ nodes }), false)
})
