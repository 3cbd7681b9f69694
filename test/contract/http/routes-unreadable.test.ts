// Routes that come later, of a program whose file of them cannot be read: nobody without a key learns of it, and the
// node can be used and stopped as far as the first ones go.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../kit/all-routes.ts'
import { ask, envelope, startServer } from './harness.ts'

test('routes that cannot be loaded: the key is asked for first, the path is not told, it is reported once', async () => {
  const thrown = new Error("Cannot find module '/opt/tributary/later-routes.js'")
  const unreadable = {
    atStart: routes.atStart,
    all: () => routes.all(),
    later: () => {
      throw thrown
    },
  }
  const server = await startServer({}, 8, { routes: unreadable })
  try {
    const without = await ask(server.port, '/statistics/tribler', { key: false })
    assert.equal(without.status, 401)
    for (let i = 0; i < 3; i += 1) {
      const answer = await ask(server.port, '/statistics/tribler')
      assert.equal(answer.status, 503)
      assert.equal(envelope(answer).code, 'NotReady')
      assert.doesNotMatch(answer.body.toString(), /opt|module/)
    }
    assert.deepEqual(server.exceptions, [thrown])
    assert.equal(server.log.lines.filter(line => line.includes('later-routes.js')).length, 1)
    assert.equal((await ask(server.port, '/downloads')).status, 200)
    const wrong = { 'X-Api-Key': 'w'.repeat(64) }
    assert.equal((await ask(server.port, '/nothing', { key: false, headers: wrong })).status, 401)
    assert.equal((await ask(server.port, '/shutdown', { method: 'PUT' })).status, 200)
  } finally {
    await server.stop()
  }
})
