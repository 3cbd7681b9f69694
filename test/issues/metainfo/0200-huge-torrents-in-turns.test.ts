// Reading a torrent of very many files held up the main loop: 4 us a file in one go, 0.8 s for the most that are
// allowed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { readSource } from '../../../src/services/downloads/torrent-source.ts'
import { encodeBencode } from '../../../src/wire/bencode.ts'
import { decodeInfoInTurns, decodeMetainfo, decodeMetainfoInTurns } from '../../../src/wire/metainfo/metainfo.ts'

const FILES = 30_000
const files = Array.from({ length: FILES }, (_, i) => ({ length: 1, path: [`dir ${i % 50}`, `name ${i}.bin`] }))
const info = encodeBencode({
  files,
  name: 'huge',
  'piece length': 1024,
  pieces: new Uint8Array(Math.ceil(FILES / 1024) * 20),
})
const torrent = Buffer.concat([Buffer.from('d4:info'), info, Buffer.from('e')])

test('a huge torrent is read in turns, and comes out as when read at once', async () => {
  let turns = 0
  const turn = async () => {
    turns += 1
  }
  assert.deepEqual(await decodeMetainfoInTurns(torrent, turn), decodeMetainfo(torrent))
  // Reading names real files on the way: 256 a turn.
  assert.ok(turns >= FILES / 256 - 1, `${turns} turns`)
  turns = 0
  await assert.rejects(decodeInfoInTurns(Buffer.concat([info, Buffer.from('x')]), [], turn), DecodeError)
})

test('other work goes on while a request brings a huge torrent', async () => {
  const http = { fetch: () => Promise.reject(new Error('not asked')), close: () => Promise.resolve() }
  let ticks = 0
  const ticking = setInterval(() => {
    ticks += 1
  }, 1)
  const source = await readSource('/huge.torrent', { http, readFile: async () => torrent })
  clearInterval(ticking)
  assert.equal(source.kind, 'file')
  assert.ok(ticks > 5, `${ticks} timers ran meanwhile`)
})

test('hostile fillings are refused after few values', () => {
  const filling = Buffer.from(`d4:infod4:namel${'le'.repeat(8_000_000)}eee`)
  const begin = process.cpuUsage().user
  assert.throws(() => decodeMetainfo(filling), DecodeError)
  assert.ok(process.cpuUsage().user - begin < 2_000_000)
})
