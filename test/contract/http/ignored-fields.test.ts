// Fields of a body that a route does not know: named in the answer, so that a misspelt one is seen, and refused where
// that is asked for.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SAMPLE_INFOHASH } from '../../../src/http/routes/infohash.ts'
import { type Answer, type Running, ask, startServer } from './harness.ts'

let server: Running
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const patch = (body: object, query = ''): Promise<Answer> =>
  ask(server.port, `/downloads/${SAMPLE_INFOHASH}${query}`, { method: 'PATCH', body: JSON.stringify(body) })
const read = ({ body }: Answer) => JSON.parse(body.toString()) as Record<string, unknown>

test('a misspelt field is named, and nothing else of the answer changes', async () => {
  const answer = await patch({ max_downlod_speed: 1, labels: ['a'] })
  assert.equal(answer.status, 200)
  const { ignored, ...rest } = read(answer)
  assert.deepEqual(ignored, ['max_downlod_speed'])
  assert.deepEqual(rest, read(await patch({ labels: ['a'] })))
})

test('with strict=1 it is refused, and one that is known is not', async () => {
  const refused = await patch({ max_downlod_speed: 1 }, '?strict=1')
  assert.equal(refused.status, 400)
  assert.match(refused.body.toString(), /InvalidParameter.*max_downlod_speed/)
  assert.equal((await patch({ labels: ['a'] }, '?strict=1')).status, 200)
})

test('a few names of a hostile body are told, cut', async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `${'x'.repeat(300)}${at}`)
  const { ignored } = read(await patch(Object.fromEntries([...names, 'constructor'].map(name => [name, 1]))))
  assert.deepEqual(
    ignored,
    Array.from({ length: 20 }, () => 'x'.repeat(100)),
  )
})
