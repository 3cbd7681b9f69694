// Web seeds of torrents and magnets, names of files in urls, header fields of ranges: any input gives a value within
// its bounds or a DecodeError; what was written is read again.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { encodeBencode } from '../../src/wire/bencode.ts'
import { formatContentRange, parseContentRange, parseRetryAfter } from '../../src/wire/net/http-range.ts'
import { formatMagnet, parseMagnet } from '../../src/wire/metainfo/magnet.ts'
import { decodeMetainfo, encodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { runSteps } from '../../src/wire/steps.ts'
import { cleanWebSeed, MAX_WEB_SEEDS, oddUrlPaths, webSeedFileUrl } from '../../src/wire/metainfo/web-seed-urls.ts'
import { fuzz } from '../kit/sim/fuzz.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'

const made = makeTorrent({
  name: 's',
  files: [
    { path: ['a', 'b?'], length: 3 },
    { path: 'con', length: 2 },
  ],
  pieceLength: 16_384,
})
const withSeeds = encodeMetainfo({
  infoBytes: made.info,
  announceTiers: [],
  webSeeds: ['http://a.test/x y', 'https://[::1]:8/?q=%zz'],
})

fuzz('torrents with web seeds', 0.4, source => {
  try {
    const metainfo = decodeMetainfo(source.mutate(withSeeds))
    const seeds = metainfo.webSeeds ?? []
    assert.ok(seeds.length <= MAX_WEB_SEEDS)
    for (const seed of seeds) assert.equal(cleanWebSeed(seed), seed)
    const again = decodeMetainfo(encodeMetainfo({ infoBytes: metainfo.infoBytes, announceTiers: [], webSeeds: seeds }))
    assert.deepEqual(again.webSeeds ?? [], seeds)
    const odd = runSteps(oddUrlPaths(metainfo.infoBytes, metainfo.files))
    for (const path of odd.values()) {
      const url = new URL(webSeedFileUrl('http://a.test/dir/', true, path))
      assert.ok(url.pathname.startsWith('/dir/'), url.href)
      assert.equal(url.hostname, 'a.test')
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
})

fuzz('names of files never lead out of the folder', 0.3, source => {
  const pick = (): Uint8Array =>
    source.pick([Buffer.from('..'), Buffer.from('.'), Buffer.from('/'), Buffer.from('%2e%2e'), source.bytes(6)])
  const info = encodeBencode({
    files: [{ length: 1, path: [pick(), pick(), pick()] }],
    name: pick(),
    'piece length': 16_384,
    pieces: Buffer.alloc(20),
  })
  try {
    const metainfo = decodeMetainfo(encodeMetainfo({ infoBytes: info, announceTiers: [] }))
    for (const path of runSteps(oddUrlPaths(info, metainfo.files)).values()) {
      const url = new URL(webSeedFileUrl('http://a.test/dir/', true, path))
      assert.ok(url.pathname.startsWith('/dir/') && url.search === '' && url.hash === '', url.href)
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
})

fuzz('magnets with web seeds', 0.2, source => {
  const uri = `magnet:?xt=urn:btih:${'a'.repeat(40)}&ws=${Buffer.from(source.mutate(Buffer.from('http://a.test/x%20y'))).toString('latin1')}`
  const magnet = parseMagnet(uri)
  assert.deepEqual(parseMagnet(formatMagnet(magnet)), magnet)
})

fuzz('header fields', 0.1, source => {
  const text = Buffer.from(source.mutate(Buffer.from(source.pick(['bytes 0-99/1000', 'bytes 5-7/*', '120'])))).toString(
    'latin1',
  )
  const range = parseContentRange(text)
  if (range !== null) assert.deepEqual(parseContentRange(formatContentRange(range)), range)
  const waitMs = parseRetryAfter(text, 1_000)
  if (waitMs !== null) assert.ok(waitMs >= 0 && waitMs <= 24 * 60 * 60_000)
})
