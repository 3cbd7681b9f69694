// What the dashboard makes of numbers, addresses, lines, settings and pieces.

import { settingsTable } from '../../kit/all-settings.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typedLimit } from '../../../src/web/model/format.ts'
import { MEDIA, NO_MEDIA } from '../../../src/web/model/media-names.ts'
import { canResume, isIn, stateText, toneOf } from '../../../src/web/model/download-groups.ts'
import { isListPart, LineSplitter, readLine, textIn } from '../../../src/web/model/event-lines.ts'
import * as format from '../../../src/web/model/format.ts'
import { bitsOf, shares } from '../../../src/web/model/piece-runs.ts'
import { addressOf, home, type Place, placeOf } from '../../../src/web/model/place.ts'
import { RateHistory } from '../../../src/web/model/rate-history.ts'
import {
  entered,
  fieldsOf,
  headingOf,
  refusedOption,
  sectionHeading,
  valueOf,
} from '../../../src/web/model/settings/settings-form.ts'
import { settingsJsonSchema } from '../../../src/node/settings/settings-docs.ts'
import { download } from '../../contract/http/sample-records.ts'

test('numbers as people read them', () => {
  assert.deepEqual([0, 1, 1023, 1024, 15_000, 1.5 * 2 ** 20, 3 * 2 ** 40, Number.NaN, -5].map(format.bytes), [
    '0 B',
    '1 B',
    '1023 B',
    '1.00 KiB',
    '14.6 KiB',
    '1.50 MiB',
    '3.00 TiB',
    '0 B',
    '0 B',
  ])
  assert.deepEqual([0, 0.4, 2048].map(format.rate), ['', '', '2.00 KiB/s'])
  assert.deepEqual([0, 59, 61, 3600, 90_061].map(format.duration), ['0 s', '59 s', '1 min 1 s', '1 h', '1 d 1 h'])
  assert.deepEqual([0, 61, 8_640_000].map(format.eta), ['', '1 min 1 s', '∞'])
  assert.deepEqual([0, 0.9999, 1].map(format.percent), ['0.0 %', '99.9 %', '100 %'])
  assert.deepEqual([0, 0.014, 1.5, 250].map(format.ratio), ['–', '0.01', '1.50', '250'])
  assert.equal(format.dateTime(0), '–')
  assert.match(format.dateTime(1_700_000_000), /^2023-11-1[45] \d\d:\d\d$/)
  assert.equal(format.counted(1, 'file'), '1 file')
  assert.equal(format.counted(1200, 'file'), '1,200 files')
})

test('addresses name places, and what is none is home', () => {
  const infohash = 'ab'.repeat(20)
  const places: Place[] = [
    home,
    { page: 'downloads', infohash, tab: 'overview' },
    { page: 'downloads', infohash, tab: 'files' },
    { page: 'play', infohash, file: 12 },
    { page: 'settings' },
    { page: 'chapter', chapter: 'notes', parts: [] },
    { page: 'chapter', chapter: 'notes', parts: ['of', 'a/b #c? ü%20', ''] },
  ]
  for (const place of places) assert.deepEqual(placeOf(addressOf(place), ['notes']), place)
  for (const address of ['', '#', '#/nowhere', '#/play/xx/1', `#/play/${infohash}/x`, `#/downloads/<b>/files`])
    assert.equal(placeOf(address, ['notes']).page, 'downloads', address)
  assert.deepEqual(placeOf('#/notes', []), home, 'a chapter that is not there')
  assert.deepEqual(placeOf('#/notes/%E0%A4%A/x', ['notes']), { page: 'chapter', chapter: 'notes', parts: ['', 'x'] })
})

test('a stream is cut into lines wherever its chunks end', () => {
  const text = `{"id":1,"type":"a","event":{"name":"äöü"}}\n\n{"type":"downloads_changed","event":{"downloads":[],"removed":["x"],"complete":true}}\n{"id":2`
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 2, 3, 7, 1000]) {
    const splitter = new LineSplitter()
    const lines: string[] = []
    for (let at = 0; at < bytes.length; at += size) lines.push(...splitter.push(bytes.subarray(at, at + size)))
    assert.equal(lines.length, 2)
    const [event, part] = lines.map(readLine)
    assert.ok(event && !isListPart(event))
    assert.equal(textIn(event, 'name'), 'äöü')
    assert.equal(textIn(event, 'other'), '')
    assert.ok(part && isListPart(part))
    assert.deepEqual(part.removed, ['x'])
  }
  assert.equal(readLine('{"hello":1}'), null)
  const endless = new LineSplitter()
  const chunk = new Uint8Array(1024 * 1024).fill(0x20)
  assert.throws(() => {
    for (let i = 0; i < 64; i++) endless.push(chunk)
  }, /no end/)
})

test('a limit of its own is shown as it is, and none as nothing', () => {
  assert.deepEqual([undefined, 0, 29 * 1024, 1000, 1].map(typedLimit), ['', '', '29', '0.9766', '0.001'])
  for (const rate of [1, 999, 29_696, 123_456_789]) assert.equal(Math.round(Number(typedLimit(rate)) * 1024), rate)
})

test('a torrent of one file that no player plays is known by its name', () => {
  for (const name of ['ubuntu-24.04.iso', 'planet.osm.PBF', 'book.epub'])
    assert.ok(NO_MEDIA.test(name) && !MEDIA.test(name))
  for (const name of ['Film.2024.x264', 'film.mkv', 'Season 1']) assert.ok(!NO_MEDIA.test(name), name)
})

test('every state has words and a tone', () => {
  assert.equal(stateText({ ...download, status: 'DLSTATUS_STOPPED', queued: true }), 'Queued')
  assert.equal(stateText({ ...download, status: 'DLSTATUS_STOPPED', progress: 1 }), 'Complete')
  assert.equal(stateText({ ...download, moving_to: '/x' }), 'Moving files')
  assert.equal(toneOf({ ...download, status: 'DLSTATUS_STOPPED_ON_ERROR' }), 'trouble')
  const refused = { ...download, condition: { code: 'tracker_refused', trouble: true } }
  assert.equal(stateText(refused), 'Refused by tracker')
  assert.equal(toneOf(refused), 'trouble')
  assert.ok(isIn('trouble', refused))
  const queued = { ...download, status: 'DLSTATUS_STOPPED', queued: true } as const
  const at = (place: number) =>
    stateText({ ...queued, condition: { code: 'queued', trouble: false, parameters: { place } } })
  assert.deepEqual(
    [1, 2, 3, 4, 11, 12, 13, 20].map(at).join(' ').replaceAll('Queued ', ''),
    '1st 2nd 3rd 4th 11th 12th 13th 20th',
  )
  assert.equal(
    toneOf({ ...download, status: 'DLSTATUS_DOWNLOADING', condition: { code: 'connecting', trouble: false } }),
    'waiting',
  )
  const newer = { ...download, status: 'DLSTATUS_SEEDING', condition: { code: 'constructor', trouble: false } } as const
  assert.equal(stateText(newer), 'Seeding', 'a code that this page does not know')
  assert.equal(canResume({ status: 'DLSTATUS_STOPPED', queued: true }), false)
  assert.equal(canResume({ status: 'DLSTATUS_STOPPED_ON_ERROR', queued: false }), true)
})

test('pieces as columns: many to one, one to many, none', () => {
  const bits = bitsOf(Buffer.from([0b1111_0000, 0b1000_0000]).toString('base64'))
  assert.deepEqual([...shares(bits, 9, 3)], [1, Math.fround(1 / 3), Math.fround(1 / 3)])
  assert.deepEqual([...shares(bits, 2, 4)], [1, 1, 1, 1])
  assert.deepEqual([...shares(new Uint8Array(0), 0, 2)], [0, 0])
})

test('rates: one sample a second, the oldest dropped', () => {
  const history = new RateHistory()
  for (let second = 0; second < 700; second++) history.note(second * 1000, second, 0)
  history.note(699_400, 5, -3)
  const [times, down, up] = history.columns()
  assert.equal(times.length, 600)
  assert.equal(times[0], 100)
  assert.deepEqual([times.at(-1), down.at(-1), up.at(-1)], [699, 5, 0])
})

test('every setting of the node has a field, and what is entered becomes the value it was', () => {
  const { properties } = settingsJsonSchema(settingsTable) as unknown as { properties: Parameters<typeof fieldsOf>[0] }
  const effective = (value: never) => ({
    value,
    source: 'default' as const,
    stored: null,
    default: value,
    needs_restart: false,
    restart_pending: false,
  })
  const settings = Object.fromEntries(
    Object.entries(properties).map(([section, { properties: options = {} }]) => [
      section,
      Object.fromEntries(
        Object.entries(options).map(([name, option]) => [name, effective((option as { default: never }).default)]),
      ),
    ]),
  )
  const fields = [...fieldsOf(properties, settings).values()].flat()
  assert.ok(fields.length > 60, `${fields.length} fields`)
  const kinds = new Set(fields.map(field => field.kind))
  assert.deepEqual([...kinds].sort(), ['choice', 'lines', 'number', 'secret', 'switch', 'text'])
  for (const { kind, name, effective: now } of fields) {
    if (kind !== 'secret') assert.deepEqual(valueOf(kind, entered(kind, now.value)), now.value, name)
  }
  assert.equal(valueOf('number', 'many'), 'many', 'for the node to refuse')
  assert.deepEqual(valueOf('lines', ' a \n\n b'), ['a', 'b'])
  assert.equal(refusedOption('The setting libtorrent.port must be from -1 to 65535.'), 'libtorrent.port')
  assert.equal(refusedOption('No.'), null)
  assert.equal(headingOf('max_download_rate'), 'Max download rate')
  assert.equal(headingOf('http_port'), 'HTTP port')
  assert.equal(headingOf('utp'), 'uTP')
  assert.equal(sectionHeading('libtorrent'), 'BitTorrent')
  for (const section of Object.keys(settingsTable))
    assert.doesNotMatch(sectionHeading(section), /dispersy|tribler|ipv8|community|allchannel/i)
})

test('names of strangers do not turn their direction round', () => {
  assert.equal(format.readable('\u202egpj.exe \u2066x\u2069 שלום'), '\ufffdgpj.exe \ufffdx\ufffd שלום')
  const line = { id: 1, type: 'downloads_changed', event: { downloads: [{ name: '\u202egpj.exe' }], removed: [] } }
  assert.ok(JSON.stringify(readLine(JSON.stringify(line))).includes('"\ufffdgpj.exe"'))
})
