// What a start says: the link that signs in on a terminal alone, the place of the key at the first start.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greeting } from '../../../src/node/greeting.ts'
import { localAddress } from '../../../src/node/state/node-address.ts'

const facts = { version: '1', baseUrls: ['http://127.0.0.1:1'], configPath: '/s/tributary.yaml' }

test('a terminal gets a line with the link, which is one word; everything that is kept has none', () => {
  const shown = greeting({ ...facts, loginUrl: 'http://127.0.0.1:1/#/login/code', showKey: false })
  assert.match(shown, /^Dashboard: http:\/\/127\.0\.0\.1:1\/#\/login\/code$/m)
  const kept = greeting({ ...facts, loginUrl: null, showKey: true })
  assert.match(kept, /^Dashboard: http:\/\/127\.0\.0\.1:1\/ \(tributary open/m)
  assert.match(kept, /\/s\/tributary\.yaml .*tributary key show/)
  assert.doesNotMatch(kept, /#|login|sed|curl/)
})

test('an address to listen at becomes one that a browser of this machine opens', () => {
  for (const [listens, opens] of [
    ['http://0.0.0.0:80', 'http://127.0.0.1:80'],
    ['https://[::]:443', 'https://[::1]:443'],
    ['http://0.0.0.0', 'http://127.0.0.1'],
    ['http://10.0.0.0:80', 'http://10.0.0.0:80'],
    ['http://[::2]:80', 'http://[::2]:80'],
  ] as const)
    assert.equal(localAddress(listens), opens)
})
