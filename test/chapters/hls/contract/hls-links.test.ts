// HLS over a real socket: a link of the file opens it, playlists carry the link on, pages of every origin may read what
// a link gives and nothing else, and a request that ends ends its work.

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import { hlsRoutes } from '../../../../src/chapters/hls/http/hls.ts'
import type { HlsService, HlsTexts } from '../../../../src/chapters/hls/service/hls-api.ts'
import { planOf } from '../../../../src/chapters/hls/core/segment-plan.ts'
import { type Answer, ask, type Running, startServer, until } from '../../../contract/http/harness.ts'
import { HASH } from '../../../contract/http/service-double.ts'
import { madeFacts, madeTexts } from '../kit/made-facts.ts'

const BASE = `/downloads/${HASH}/hls/0`
const FOREIGN = { Origin: 'https://cast.example', 'Sec-Fetch-Site': 'cross-site' }
const CONFIGURED = { Origin: 'http://app.example:8080' }

describe('HLS and its links', () => {
  let server: Running
  let hls: HlsService & HlsTexts
  let token = ''

  before(async () => {
    const held: HlsService & HlsTexts = {
      plan: (...asked) => hls.plan(...asked),
      segment: (...asked) => hls.segment(...asked),
      texts: (...asked) => hls.texts(...asked),
    }
    server = await startServer({}, 8, { services: { hls: held } as object })
    const listed = (await ask(server.port, `/downloads/${HASH}/files`)).json() as { files: { stream_url: string }[] }
    token = new URL(listed.files[0]?.stream_url ?? '', 'http://x').searchParams.get('token') ?? ''
  })
  after(() => server.stop())
  beforeEach(() => {
    hls = {
      plan: async ({ sound }) => planOf(madeFacts({ tracks: [...madeFacts().tracks, madeTexts] }), 1_000_000, sound),
      segment: async () => Buffer.from('a segment'),
      texts: async (_film, track, segment) => Buffer.from(`texts ${track} ${segment}`),
    }
  })

  const open = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    ask(server.port, path, { key: false, headers })
  const originOf = ({ headers }: Answer): unknown => headers['access-control-allow-origin']

  test('segments alone may be read slowly: playlists are short', () => {
    assert.deepEqual(
      hlsRoutes.filter(({ slowReaders }) => slowReaders).map(({ id }) => id),
      ['downloads.hlsSegment'],
    )
  })

  test('segments that one given link opens share one room, whatever film they are of; else those of a film do', async () => {
    const segment = hlsRoutes.find(({ id }) => id === 'downloads.hlsSegment')
    const heldBy = async (fileindex: string, id: string | null): Promise<unknown> => {
      const path = { infohash: HASH, fileindex, segment: '0.ts' }
      const input = { path, parameters: {}, link: id === null ? null : { id } }
      const reply = (await segment?.run({ services: { hls } } as never, input as never)) as { heldBy?: string }
      return reply.heldBy
    }
    assert.equal(await heldBy('0', 'given'), await heldBy('1', 'given'))
    const all = [
      await heldBy('0', 'given'),
      await heldBy('0', 'other'),
      await heldBy('0', null),
      await heldBy('1', null),
    ]
    assert.equal(new Set(all).size, 4, JSON.stringify(all))
  })

  test('a link of the file leads from the playlist to its segments, without a key', async () => {
    const master = await open(`${BASE}/master.m3u8?token=${token}&sound=2`)
    assert.equal(master.status, 200, master.body.toString())
    assert.equal(master.headers['content-type'], 'application/vnd.apple.mpegurl')
    const [index = ''] = master.body
      .toString()
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
    assert.equal(index, `index.m3u8?token=${token}&sound=2`)
    const list = await open(`${BASE}/${index}`)
    const segments = list.body
      .toString()
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
    assert.equal(segments.length, 3)
    const segment = await open(`${BASE}/${segments[2]}`)
    assert.deepEqual(
      [segment.status, segment.headers['content-type'], segment.body.toString()],
      [200, 'video/mp2t', 'a segment'],
    )
  })

  test('and to its texts', async () => {
    const master = await open(`${BASE}/master.m3u8?token=${token}`)
    const [, address = ''] = /URI="([^"]+)"/.exec(master.body.toString()) ?? []
    assert.equal(address, `subtitles/4/index.m3u8?token=${token}`)
    const list = await open(`${BASE}/${address}`, FOREIGN)
    assert.deepEqual([list.status, originOf(list)], [200, '*'])
    const [, second = ''] = list.body
      .toString()
      .split('\n')
      .filter(line => line.startsWith('segments/'))
    const texts = await open(`${BASE}/subtitles/4/${second}`, FOREIGN)
    assert.deepEqual(
      [texts.status, texts.headers['content-type'], texts.body.toString(), originOf(texts)],
      [200, 'text/vtt; charset=utf-8', 'texts 4 1', '*'],
    )
    for (const path of [
      'subtitles/2/index.m3u8',
      'subtitles/x/index.m3u8',
      'subtitles/4/segments/0.ts',
      'subtitles/4/segments/-1.vtt',
    ])
      assert.equal((await open(`${BASE}/${path}?token=${token}`)).status, 404, path)
    assert.equal((await open(`${BASE}/subtitles/4/segments/0.vtt`)).status, 401)
  })

  test('asked for with a key, playlists carry a link that opens without one', async () => {
    const list = await ask(server.port, `${BASE}/index.m3u8`)
    const [first = ''] = list.body
      .toString()
      .split('\n')
      .filter(line => line.startsWith('segments/'))
    assert.equal((await open(`${BASE}/${first}`)).status, 200)
  })

  test('pages of every origin may read what a link gives, refusals too, and nothing else', async () => {
    for (const path of ['master.m3u8', 'index.m3u8', 'segments/0.ts']) {
      const signed = await open(`${BASE}/${path}?token=${token}`, FOREIGN)
      assert.deepEqual([signed.status, originOf(signed)], [200, '*'], path)
      assert.equal(originOf(await ask(server.port, `${BASE}/${path}`, { headers: FOREIGN })), undefined, 'with a key')
      const configured = await open(`${BASE}/${path}?token=${token}`, CONFIGURED)
      assert.equal(originOf(configured), '*', 'once')
      assert.equal(originOf(await ask(server.port, `${BASE}/${path}`, { headers: CONFIGURED })), CONFIGURED.Origin)
    }
    const wrong = await open(`${BASE}/master.m3u8?token=${token}x`, FOREIGN)
    assert.deepEqual([wrong.status, originOf(wrong)], [403, undefined])
    const withKey = await ask(server.port, `${BASE}/master.m3u8?token=${token}x`, { headers: FOREIGN })
    assert.deepEqual([withKey.status, originOf(withKey)], [200, undefined], 'a wrong link beside a key')
    const stream = await open(`/downloads/${HASH}/stream/0?token=${token}`, FOREIGN)
    assert.equal(originOf(stream), undefined, 'the file itself')
    hls = { ...hls, segment: async () => Promise.reject(new AppError('TooManyRequests')) }
    const full = await open(`${BASE}/segments/0.ts?token=${token}`, FOREIGN)
    assert.deepEqual([full.status, full.headers['retry-after'], originOf(full)], [503, '2', '*'])
  })

  test('a link of another file, or none, opens nothing', async () => {
    for (const path of ['hls/1/master.m3u8', 'hls/1/segments/0.ts'])
      assert.equal((await open(`/downloads/${HASH}/${path}?token=${token}`)).status, 403, path)
    assert.equal((await open(`${BASE}/master.m3u8`)).status, 401)
  })

  test('what is asked for is named as it is in the playlist', async () => {
    const names: string[] = []
    hls = {
      ...hls,
      segment: async (_film, name) => {
        names.push(name)
        return Buffer.from('a segment')
      },
    }
    for (const [name, type] of [
      ['7.ts', 'video/mp2t'],
      ['7.m4s', 'video/mp4'],
      ['init.mp4', 'video/mp4'],
    ] as const)
      assert.equal((await open(`${BASE}/segments/${name}?token=${token}`)).headers['content-type'], type)
    assert.deepEqual(names, ['7.ts', '7.m4s', 'init.mp4'])
    assert.equal((await open(`${BASE}/master.m3u8?token=${token}&sound=x`)).status, 400)
  })

  test('a client that goes ends the work for it', async () => {
    let gone = 0
    let begun = 0
    hls = {
      ...hls,
      segment: (_film, _name, { signal }) => {
        begun += 1
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            gone += 1
            reject(new AppError('Aborted'))
          }),
        )
      },
    }
    const asked = httpRequest({ port: server.port, path: `${BASE}/segments/0.ts?token=${token}` })
    asked.on('error', () => undefined)
    asked.end()
    await until(() => begun === 1)
    asked.destroy()
    await until(() => gone === 1)
    assert.deepEqual(server.exceptions, [])
  })
})
