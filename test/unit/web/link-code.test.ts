// Links as QR codes: read back by zbar, and only of links that another device can open.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type LinkCode, linkCode } from '../../../src/web/model/link-code.ts'
import { type NodeReach, phoneLink, reachIn } from '../../../src/web/model/phone-link.ts'
import { needs } from '../../kit/requirements.ts'

const PATH = `/downloads/${'0123456789'.repeat(4)}/stream/3`
const TOKEN = 'token=1795800000.AbCdEfGhIjKlMnOp.0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'
const link = (host: string, name = '/film.mkv') => `http://${host}${PATH}${name}?${TOKEN}`

const reach = (listensOn: string, names: string[] = [], ports = { 'http:': 52194 }): NodeReach => ({
  listensOn,
  names,
  ports,
})

test('a link that names the node as others do is taken; of its name the extension is kept', () => {
  for (const host of ['192.168.1.20:52194', 'tv.example', '[fd00::7]:8085'])
    assert.deepEqual(phoneLink(link(host), null), { url: link(host) })
  const long = `/${encodeURIComponent('Страна глухих '.repeat(20))}.MKV`
  assert.deepEqual(phoneLink(link('10.0.0.2', long), null), { url: link('10.0.0.2', '/film.MKV') })
  assert.deepEqual(phoneLink(link('10.0.0.2', '/no extension'), null), { url: link('10.0.0.2', '/film') })
  assert.deepEqual(phoneLink(link('10.0.0.2', ''), null), { url: link('10.0.0.2', '') })
  const list = `http://10.0.0.2/downloads/${'a'.repeat(40)}/playlist.m3u?${TOKEN}`
  assert.deepEqual(phoneLink(list, null), { url: list })
})

test('what names this machine as only itself does is no link for others', () => {
  for (const host of [
    '127.0.0.1:52194',
    '127.8.9.1',
    'localhost:1',
    'a.localhost',
    '[::1]:5',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ])
    assert.deepEqual(phoneLink(link(host), null), { url: null, why: 'unnamed' }, host)
})

test('where the page was opened at this machine the settings may name another way', () => {
  const own = link('127.0.0.1:9999')
  for (const alone of ['127.0.0.1', '::1', '127.3.3.3', 'localhost'])
    assert.deepEqual(phoneLink(own, reach(alone, ['tv.example'])), { url: null, why: 'alone' }, alone)
  assert.deepEqual(phoneLink(own, reach('0.0.0.0')), { url: null, why: 'unnamed' })
  assert.deepEqual(phoneLink(own, reach('::', ['localhost'])), { url: null, why: 'unnamed' })
  assert.deepEqual(phoneLink(own, reach('0.0.0.0', ['localhost', 'tv.example'])), { url: link('tv.example:52194') })
  assert.deepEqual(phoneLink(own, reach('192.168.1.20', ['tv.example'])), { url: link('192.168.1.20:52194') })
  assert.deepEqual(phoneLink(own, reach('fd00::7')), { url: link('[fd00::7]:52194') })
  assert.deepEqual(phoneLink(own, reach('fe80::1%eth0')), { url: null, why: 'unnamed' }, 'no address of a link')
  assert.deepEqual(phoneLink(own, reach('10.1.1.1', [], {} as never)), { url: link('10.1.1.1:9999') })
})

test('how the node is reached, as its settings tell it', () => {
  const settings = { api: { http_host: '0.0.0.0', host_names: ['tv.example', 7] } }
  const known = reachIn(settings, { 'http_api~port': 52194, 'https_api~port': 52195, 'libtorrent~port': 1 })
  assert.deepEqual(known, {
    listensOn: '0.0.0.0',
    names: ['tv.example'],
    ports: { 'http:': 52194, 'https:': 52195 },
  })
  assert.deepEqual(reachIn({}, {}), { listensOn: '127.0.0.1', names: [], ports: {} })
})

/** A picture (portable graymap) of what the path of a code draws, four points a square. */
function drawn({ size, path }: LinkCode): Buffer {
  const side = size * 4
  const points = Buffer.alloc(side * side, 255)
  const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1H(\d+)z/g)]
  assert.equal(runs.map(([text]) => text).join(''), path)
  for (const [, x, y, width, back] of runs.map(run => run.map(Number))) {
    assert.equal(back, x)
    for (let row = (y ?? 0) * 4; row < (y ?? 0) * 4 + 4; row += 1)
      points.fill(0, row * side + (x ?? 0) * 4, row * side + ((x ?? 0) + (width ?? 0)) * 4)
  }
  return Buffer.concat([Buffer.from(`P5 ${side} ${side} 255\n`), points])
}

describe('codes as zbar reads them', { skip: needs('zbarimg') }, () => {
  test('each is its link', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-code-'))
    try {
      for (const each of [
        link('192.168.1.20:52194'),
        link('[fd00:1:2:3:4:5:6:7]:52194'),
        `http://a/${'x'.repeat(591)}`,
      ]) {
        const code = linkCode(each)
        assert.ok(code !== null)
        writeFileSync(join(folder, 'code.pgm'), drawn(code))
        const read = spawnSync('zbarimg', ['-q', '--raw', join(folder, 'code.pgm')], { encoding: 'utf8' })
        assert.equal(read.stdout, `${each}\n`, read.stderr)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('a link that is too long for a camera has none', () =>
    assert.equal(linkCode(`http://a/${'x'.repeat(592)}`), null))
})
