// Filters of the list: what words mean, what is refused, and that what is written is read as the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FilteredRow, matcherOf, searchText } from '../../../../src/wire/list/list-matcher.ts'
import { stateBits } from '../../../../src/wire/list/list-states.ts'
import { bytesOf, MAX_FILTER_CHARS, readWords, writeWords } from '../../../../src/wire/list/list-words.ts'
import { trackerHosts } from '../../../../src/wire/list/tracker-hosts.ts'
import { download } from '../../../contract/http/sample-records.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'

const GIB = 1024 ** 3

function row(fields: Partial<FilteredRow>, name = 'Film 1'): FilteredRow {
  const labels = fields.labels ?? []
  return {
    bits: stateBits({ ...download, status: 'DLSTATUS_SEEDING' }, false),
    text: searchText({ name, labels, infohash: 'ab'.repeat(20) }),
    labels,
    hosts: [],
    folder: '/srv',
    size: 0,
    ...fields,
  }
}

const rows = {
  film: row({
    labels: ['films', 'my own'],
    hosts: ['tracker.example.org', 'b.example'],
    folder: '/srv/my films',
    size: 5 * GIB,
  }),
  iso: row(
    { labels: ['linux'], hosts: ['bttracker.debian.org'], folder: '/srv/iso', size: GIB, bits: 1 },
    'debian.iso',
  ),
  plain: row({ size: 700_000_000 }, 'say "active"'),
  odd: row({ labels: ['a "b"', '\u202Egpj', '<b>'], folder: 'C:\\films' }, 'שלום'),
}

const found = (text: string, bare = false) => {
  const { words, faults } = readWords(text, bare)
  const { matches } = matcherOf(words)
  return [
    Object.entries(rows)
      .flatMap(([name, one]) => (matches(one) ? [name] : []))
      .join(' '),
    ...faults.map(({ code }) => code),
  ]
}

test('what each word means', () => {
  const ALL = 'film iso plain odd'
  const expected: readonly (readonly [string, readonly string[]])[] = [
    ['', [ALL]],
    ['label:films', ['film']],
    ['label:film', ['']],
    ['label:"my own"', ['film']],
    ['label:""', ['plain']],
    ['label:"a ""b"""', ['odd']],
    ['label:films label:linux', ['']],
    ['tracker:example', ['film']],
    ['tracker:"example.org"', ['']],
    ['tracker:"Tracker.Example.ORG"', ['film']],
    ['tracker:""', ['plain odd']],
    ['folder:FILMS', ['film odd']],
    ['folder:"/srv/my films"', ['film']],
    ['folder:"/srv/my film"', ['']],
    ['size>1GiB', ['film']],
    ['size<1GiB', ['plain odd']],
    ['size>600M size<1G', ['plain']],
    ['size>"4.9 GiB"', ['film']],
    ['state:seeding', ['film plain odd']],
    ['status:Seeding debian', ['']],
    ['state:seeding state:all', [ALL]],
    ['active', ['plain']],
    ['LABEL:films DEBIAN', ['']],
    ['שלום', ['odd']],
    // What is still being typed narrows nothing.
    ['label: size> tracker: state:', [ALL]],
    ['label:"', ['plain']],
    ['size>big', [ALL, 'unreadable-size']],
    ['state:sleeping debian', ['iso', 'unknown-state']],
    ['q '.repeat(33), ['', 'too-many-words']],
    ['x'.repeat(MAX_FILTER_CHARS + 1), ['', 'too-long']],
  ]
  for (const [text, result] of expected) assert.deepEqual(found(text), result, text)
  assert.deepEqual(found('seeding', true), ['film plain odd'])
  assert.deepEqual(found('"seeding"', true), [''])
})

test('sizes with units of 1000 and 1024', () => {
  const sizes = { '123': 123, '1k': 1000, '1KiB': 1024, '1.5GiB': 1.5 * GIB, '2mb': 2e6, '0.5TB': 5e11, '7b': 7 }
  for (const [text, bytes] of Object.entries(sizes)) assert.equal(bytesOf(text), bytes, text)
  for (const text of ['', 'GiB', '1x', '-1', '1e9', '1.2.3', '9'.repeat(16)]) assert.equal(bytesOf(text), null, text)
})

test('any words are read as they were written', () => {
  const random = new SeededRandom(23)
  const pieces = [
    'label:',
    'tracker:',
    'folder:',
    'size>',
    'size<',
    'state:',
    '"',
    '""',
    ' ',
    ',',
    'seeding',
    '1GiB',
    'ab',
    '\\',
    'א',
  ]
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: random.below(12) }, () => pieces[random.below(pieces.length)]).join('')
    const { words } = readWords(text, random.below(2) === 0)
    assert.deepEqual(readWords(writeWords(words), true), { words, faults: [] }, text)
  }
})

test('hosts of trackers, without what else their addresses hold', () => {
  const urls = [
    'http://Tracker.example.org:6969/secret/announce',
    'udp://tracker.example.org:1337',
    'https://user:password@b.example/a?passkey=1',
    'udp://[2001:db8::1]:80/announce',
    '[DHT]',
    'no address',
    `http://${'x'.repeat(300)}/a`,
  ]
  assert.deepEqual(trackerHosts(urls), ['tracker.example.org', 'b.example', '[2001:db8::1]'])
  assert.equal(trackerHosts(Array.from({ length: 100 }, (_, at) => `udp://t${at}.example`)).length, 64)
})
