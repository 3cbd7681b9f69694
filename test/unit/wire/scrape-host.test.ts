// Which trackers can be scraped, and that one tracker has one name however it is written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scrapeHost } from '../../../src/wire/tracker/scrape-host.ts'

test('trackers that have a scrape', () => {
  for (const [url, host] of [
    ['http://T.example/announce', 't.example:80'],
    ['http://t.example:80/announce', 't.example:80'],
    ['https://t.example/key/announce.php?x=1', 't.example:443'],
    ['http://[::1]:7000/announce', '[::1]:7000'],
    ['udp://T.example:6969', 't.example:6969'],
    ['udp://t.example:6969/anything', 't.example:6969'],
  ] as const) {
    assert.equal(scrapeHost(url), host, url)
  }
})

test('trackers that have none', () => {
  for (const url of [
    'http://t.example/a',
    'http://t.example/announce/x',
    'http://t.example/?/announce',
    'udp://t.example/announce',
    'wss://t.example/announce',
    'file:///announce',
    'announce',
    '',
    `http://t.example/${'a'.repeat(2000)}/announce`,
  ]) {
    assert.equal(scrapeHost(url), null, url)
  }
})
