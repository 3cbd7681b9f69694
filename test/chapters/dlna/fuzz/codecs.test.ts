// Whatever players and others in the network send gives a value within its bounds or the error that says so.

import assert from 'node:assert/strict'
import { DecodeError } from '../../../../src/base/errors.ts'
import { readObjectId } from '../../../../src/chapters/dlna/core/object-id.ts'
import { MediaCatalogue } from '../../../../src/chapters/dlna/core/media-catalogue.ts'
import { mediaFiles } from '../../../../src/chapters/dlna/core/media-files.ts'
import { readSortCriteria, SORT_PROPERTIES } from '../../../../src/chapters/dlna/core/sort-order.ts'
import { readLink } from '../../../../src/chapters/dlna/service/media-links.ts'
import { decodeServerState, encodeServerState } from '../../../../src/chapters/dlna/service/server-state.ts'
import { DidlFilter, encodeObject } from '../../../../src/chapters/dlna/wire/didl.ts'
import { decodeCallbacks, decodeTimeout } from '../../../../src/chapters/dlna/wire/gena.ts'
import { ActionError, decodeAction } from '../../../../src/chapters/dlna/wire/soap.ts'
import { decodeSearch } from '../../../../src/chapters/dlna/wire/ssdp.ts'
import { xmlText } from '../../../../src/chapters/dlna/wire/xml-text.ts'
import { parseXml } from '../../../../src/wire/net/small-xml.ts'
import { encodeSsdpSearch } from '../../../../src/wire/net/upnp.ts'
import { type Fuzz, fuzz } from '../../../kit/sim/fuzz.ts'

function onlyKnownErrors<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    assert.ok(error instanceof DecodeError || error instanceof ActionError, String(error))
    return null
  }
}

const textOf = (source: Fuzz, seeds: readonly string[]): string =>
  Buffer.from(source.pick([source.mutate(Buffer.from(source.pick(seeds))), source.bytes(200)])).toString()

fuzz('searches', 0.1, source => {
  const bytes = source.pick([source.mutate(encodeSsdpSearch('ssdp:all', 3)), source.bytes(3000)])
  const search = onlyKnownErrors(() => decodeSearch(bytes))
  if (search !== null) assert.ok(search.maxWaitSec > 0 && search.maxWaitSec < 10_000 && search.target.length <= 256)
})

const TYPE = 'urn:schemas-upnp-org:service:ContentDirectory:1'
const BROWSE = `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:Browse xmlns:u="${TYPE}"><ObjectID>0&amp;&#65;</ObjectID><![CDATA[x]]><BrowseFlag>BrowseMetadata</BrowseFlag></u:Browse></s:Body></s:Envelope>`
const BOMB = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;&b;&b;">]><a>&c;</a>'

fuzz('actions', 0.3, source => {
  const body = source.pick([source.mutate(Buffer.from(source.pick([BROWSE, BOMB]))), source.bytes(20_000)])
  const header = source.pick([`"${TYPE}#Browse"`, textOf(source, [`"${TYPE}#Browse"`])])
  const asked = onlyKnownErrors(() => decodeAction(header, body))
  if (asked === null) return
  let length = 0
  for (const value of asked.parameters.values()) length += value.length
  // Nothing that is said is longer than what was sent.
  assert.ok(length <= body.length && asked.parameters.size <= 16)
})

fuzz('callbacks and times', 0.1, source => {
  for (const { ip, port, path } of onlyKnownErrors(() =>
    decodeCallbacks(textOf(source, ['<http://10.0.0.1:80/a><http://b/>'])),
  ) ?? []) {
    assert.match(ip, /^\d{1,3}(\.\d{1,3}){3}$/)
    assert.ok(port >= 0 && port <= 65_535 && path.startsWith('/') && !/[\r\n ]/.test(path))
  }
  const seconds = decodeTimeout(textOf(source, ['Second-600', 'Second-infinite']), 300, 1800)
  assert.ok(seconds >= 300 && seconds <= 1800)
})

const catalogue = new MediaCatalogue([
  {
    infohash: '0'.repeat(40),
    key: 'abcdefghijklmnop',
    name: 'a',
    labels: ['x'],
    addedSec: 1,
    complete: false,
    files: mediaFiles([0, 1, 2].map(index => ({ index, name: `a/b${index % 2}/c${index}.mkv`, size: 1 }))),
  },
])

fuzz('ids of objects, links and orders', 0.2, source => {
  const id = textOf(source, [
    '0',
    'f',
    'l.eA',
    'f$abcdefghijklmnop',
    'l.eA$abcdefghijklmnop$1.0',
    'n$abcdefghijklmnop$2',
  ])
  const found = catalogue.find(id)
  if (found !== null) assert.ok(readObjectId(found.id) !== null && catalogue.find(found.id) !== null)
  catalogue.children(id)
  const link = readLink(textOf(source, ['/media/0123456789ab/abcdefghijklmnop/0/abcdefghijklmnopqrstuv/a.mkv']))
  if (link !== null) assert.ok(link.index < 10_000_000)
  for (const { by } of readSortCriteria(textOf(source, ['+dc:title,-dc:date'])) ?? [])
    assert.ok(SORT_PROPERTIES.includes(by))
})

fuzz('names of strangers in what players are told', 0.2, source => {
  const title = textOf(source, ['a & b <c> "d"', ']]>', '\u0000\ud800'])
  const container = { kind: 'container', id: title, parentId: '0', title, childCount: 1 } as const
  const read = parseXml(encodeObject(container, new DidlFilter('*')))
  assert.equal(read.children[0]?.text, parseXml(`<a>${xmlText(title)}</a>`).text)
  assert.equal(read.children.length, 2)
})

const STATE = encodeServerState({
  uuid: '5f0a6f2e-6a1b-4a8e-9d5b-0123456789ab',
  port: 7,
  secret: Buffer.alloc(32, 1),
  devices: [
    { id: '0123456789ab', ip: '10.0.0.1', name: 'a', key: Buffer.alloc(32), firstSec: 1, lastSec: 2, allowed: true },
  ],
})

fuzz('the file of the server', 0.1, source => {
  const state = decodeServerState(textOf(source, [STATE]))
  if (state !== null) assert.deepEqual(decodeServerState(encodeServerState(state)), state)
})
