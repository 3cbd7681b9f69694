// What is about to be added: sources in texts and addresses, what is asked of the node, and what a device keeps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  areSources,
  below,
  hashIn,
  keepFolder,
  limitOf,
  linesOf,
  magnetIn,
  nameOf,
  NOTHING_SET,
  optionsOf,
  recentFolders,
} from '../../../src/web/model/adding.ts'

const HASH = '0123456789abcdef0123456789abcdef01234567'
const MAGNET = `magnet:?xt=urn:btih:${HASH}`

test('only what was set is asked for', () => {
  assert.deepEqual(optionsOf(NOTHING_SET), {})
  assert.deepEqual(
    optionsOf({
      ...NOTHING_SET,
      folder: ' /srv/a ',
      labels: 'a, ,b',
      paused: true,
      sequential: true,
      hops: 2,
      down: '1,5',
    }),
    {
      destination: '/srv/a',
      labels: ['a', 'b'],
      paused: true,
      sequential: true,
      anon_hops: 2,
      safe_seeding: true,
      max_download_speed: 1536,
    },
  )
  assert.deepEqual(optionsOf({ ...NOTHING_SET, hops: 0 }), { anon_hops: 0, safe_seeding: false })
})

test('a limit is a number of KiB/s or nothing', () => {
  assert.deepEqual(['', ' 100 ', '0.5', '0'].map(limitOf), [0, 102_400, 512, 0])
  for (const wrong of ['-1', 'x', '1e9', '1e', 'Infinity', '9'.repeat(40), '0x10'])
    assert.equal(limitOf(wrong), null, wrong)
})

test('what was pasted is for the node when each line is a link or an info hash', () => {
  for (const yes of [MAGNET, HASH, ` ${HASH}\n\n${MAGNET}\n`, 'https://a.test/x.torrent'])
    assert.ok(areSources(yes), yes)
  for (const no of ['', 'hello', `see ${MAGNET}`, `${MAGNET}\nand this`, 'https://a.test/ here', 'magnet:?'])
    assert.ok(!areSources(no), no)
  assert.deepEqual(linesOf(`${MAGNET}\r\n ${MAGNET}\n\nx`), [MAGNET, 'x'])
})

test('the info hash of a link, in hex, base32 and with another identity before it', () => {
  assert.equal(hashIn(HASH.toUpperCase()), HASH)
  assert.equal(hashIn(MAGNET.toUpperCase().replace('MAGNET:?XT=URN:BTIH', 'magnet:?xt=urn:btih')), HASH)
  assert.equal(hashIn(`magnet:?dn=x&xt=urn%3Abtih%3A${HASH}&tr=y`), HASH)
  assert.equal(hashIn('magnet:?xt=urn:btih:aerukz4jvpg66ajdivtytk6n54asgrlh'), HASH)
  for (const none of ['', 'https://a.test/', 'magnet:?xt=urn:btmh:1220aa', `magnet:?xt=urn:btih:${HASH}00`])
    assert.equal(hashIn(none), '', none)
})

test('a link has the name that it brings, whatever that is', () => {
  assert.equal(nameOf(`${MAGNET}&dn=%3Cb%3Ex%3C%2Fb%3E+y`), '<b>x</b> y')
  assert.equal(nameOf(`${MAGNET}&dn=%20`), `${MAGNET}&dn=%20`)
  assert.equal(nameOf(`${MAGNET}&dn=%ff%`), '\ufffd%')
  assert.equal(nameOf(`${MAGNET}&dn=${'x'.repeat(4000)}`).length, 4000)
  assert.equal(nameOf('/srv/a.torrent'), '/srv/a.torrent')
})

test('an address brings a magnet link and nothing else', () => {
  assert.equal(magnetIn(`#/add/${encodeURIComponent(MAGNET)}`), MAGNET)
  for (const other of ['#/add/https%3A%2F%2Fa.test%2Fx', '#/add/', '#/add/%', '#/add/%2Fetc%2Fpasswd'])
    assert.equal(magnetIn(other), '', other)
  assert.equal(magnetIn(`#/add/${'magnet:?x'.padEnd(70_000, 'x')}`), '')
  for (const none of ['', '#/downloads', '#/added']) assert.equal(magnetIn(none), null, none)
})

test('a device keeps six folders, the last one first, and reads what others wrote as such', () => {
  const kept = new Map<string, string>()
  const store = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  }
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'c']) keepFolder(store, `/srv/${name}`)
  assert.deepEqual(
    recentFolders(store),
    ['c', 'g', 'f', 'e', 'd', 'b'].map(name => `/srv/${name}`),
  )
  for (const wrong of ['{', '{"length":3}', '[1,null,{"a":1},"relative"]', '"/x"']) {
    kept.set('tributary.folders', wrong)
    assert.deepEqual(recentFolders(store), [], wrong)
  }
})

test('a folder in another', () => {
  assert.deepEqual([below('/', 'a'), below('/a', '<b>')], ['/a', '/a/<b>'])
})
