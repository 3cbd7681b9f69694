// The route of texts inside of films over a real socket: WebVTT with its note, its links, and what it refuses.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import type { SubtitleOrder } from '../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import type { MediaTexts } from '../../../../src/chapters/media/service/media-api.ts'
import { type Answer, ask, type Running, startServer } from '../../../contract/http/harness.ts'
import { HASH } from '../../../contract/http/service-double.ts'

const BASE = `/downloads/${HASH}/media/0/subtitles`
const FOREIGN = { Origin: 'https://cast.example', 'Sec-Fetch-Site': 'cross-site' }

describe('texts inside of films', () => {
  let server: Running
  let token = ''
  let texts: MediaTexts['texts']
  const orders: SubtitleOrder[] = []

  before(async () => {
    texts = async (_infohash, _file, order) => {
      orders.push(order)
      const cues = [{ startMs: 1000, endMs: 2500, text: 'Hello\n<script>&amp;\n00:01 --> 00:02' }]
      return { cues, covered: [{ fromSec: 0, toSec: 12.5 }], missing: null, fetched: 4096 }
    }
    server = await startServer({}, 8, {
      services: { media: { texts: (...asked: Parameters<typeof texts>) => texts(...asked) } } as object,
    })
    const listed = (await ask(server.port, `/downloads/${HASH}/files`)).json() as { files: { stream_url: string }[] }
    token = new URL(listed.files[0]?.stream_url ?? '', 'http://x').searchParams.get('token') ?? ''
  })
  after(() => server.stop())

  const originOf = ({ headers }: Answer): unknown => headers['access-control-allow-origin']

  test('WebVTT that says what it covers, and in which nothing is markup', async () => {
    const answer = await ask(server.port, `${BASE}/3?from=2&to=60.5`)
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/vtt; charset=utf-8'])
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(
      answer.body.toString(),
      'WEBVTT\n\nNOTE covered 0.000-12.500\n\n00:00:01.000 --> 00:00:02.500\nHello\n&lt;script&gt;&amp;amp;\n00:01 --&gt; 00:02\n',
    )
    assert.deepEqual(orders.at(-1), { track: 3, fromSec: 2, toSec: 60.5 })
  })

  test('a part has a usual length, and a longest', async () => {
    await ask(server.port, `${BASE}/3`)
    assert.deepEqual(orders.at(-1), { track: 3, fromSec: 0, toSec: 240 })
    await ask(server.port, `${BASE}/3?from=100&to=9999999`)
    assert.deepEqual(orders.at(-1), { track: 3, fromSec: 100, toSec: 3700 })
    await ask(server.port, `${BASE}/3?from=100&to=50`)
    assert.deepEqual(orders.at(-1), { track: 3, fromSec: 100, toSec: 100 })
  })

  test('a link of the file opens it, for no page of another origin, and a wrong one opens nothing', async () => {
    const signed = await ask(server.port, `${BASE}/3?token=${token}`, { key: false, headers: FOREIGN })
    assert.deepEqual([signed.status, originOf(signed)], [200, undefined])
    const wrong = await ask(server.port, `${BASE}/3?token=x${token}`, { key: false, headers: FOREIGN })
    assert.deepEqual([wrong.status, originOf(wrong)], [403, undefined])
    const none = await ask(server.port, `${BASE}/3`, { key: false })
    assert.equal(none.status, 401)
    const other = await ask(server.port, `${BASE.replace('/0/', '/1/')}/3?token=${token}`, { key: false })
    assert.equal(other.status, 403)
  })

  test('what is no number is refused, and failures have their codes', async () => {
    const codeOf = async (path: string): Promise<unknown> => {
      const answer = await ask(server.port, path)
      return [answer.status, (answer.json() as { error?: { code: string } }).error?.code]
    }
    assert.deepEqual(await codeOf(`${BASE}/x`), [404, 'NotFound'])
    assert.deepEqual(await codeOf(`${BASE}/-1`), [404, 'NotFound'])
    assert.deepEqual(await codeOf(`${BASE}/3?from=-1`), [400, 'InvalidParameter'])
    assert.deepEqual(await codeOf(`${BASE}/3?from=1e99`), [400, 'InvalidParameter'])
    texts = () => Promise.reject(new AppError('MediaUnreadable'))
    assert.deepEqual(await codeOf(`${BASE}/3`), [422, 'MediaUnreadable'])
  })
})
