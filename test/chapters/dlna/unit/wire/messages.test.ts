// Messages of a media server: searches, descriptions, actions, subscriptions, objects.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import { deviceDescription, pathOf, serviceDescription } from '../../../../../src/chapters/dlna/wire/description.ts'
import { DidlFilter, type DidlItem, durationText, encodeObject } from '../../../../../src/chapters/dlna/wire/didl.ts'
import { decodeCallbacks, decodeTimeout, encodeEvent } from '../../../../../src/chapters/dlna/wire/gena.ts'
import { SERVICES } from '../../../../../src/chapters/dlna/wire/services.ts'
import {
  ActionError,
  decodeAction,
  encodeFault,
  encodeResult,
  MAX_ACTION_BYTES,
} from '../../../../../src/chapters/dlna/wire/soap.ts'
import {
  decodeSearch,
  encodeAlive,
  encodeAnswer,
  encodeByebye,
  meantBy,
  targetsOf,
} from '../../../../../src/chapters/dlna/wire/ssdp.ts'
import { xmlText } from '../../../../../src/chapters/dlna/wire/xml-text.ts'
import { childText, elementsNamed, parseXml } from '../../../../../src/wire/net/small-xml.ts'
import { decodeSsdpAnswer, encodeSsdpSearch } from '../../../../../src/wire/net/upnp.ts'

const UDN = 'uuid:5f0a6f2e-6a1b-4a8e-9d5b-0123456789ab'
const identity = { udn: UDN, location: 'http://192.168.1.2:4000/description.xml', server: 'Linux UPnP/1.0 T/1' }
const CONTENT = 'urn:schemas-upnp-org:service:ContentDirectory:1'

test('searches are read: what for, and how long answers may take', () => {
  assert.deepEqual(decodeSearch(encodeSsdpSearch('ssdp:all', 3)), { target: 'ssdp:all', maxWaitSec: 3 })
  const plain = 'M-SEARCH * HTTP/1.1\r\nhost: a\r\nman: "ssdp:discover"\r\nst: upnp:rootdevice\r\n\r\n'
  assert.deepEqual(decodeSearch(Buffer.from(plain)), { target: 'upnp:rootdevice', maxWaitSec: 1 })
  for (const wrong of [
    plain.replace('M-SEARCH', 'NOTIFY'),
    plain.replace('"ssdp:discover"', 'ssdp:discover'),
    plain.replace('upnp:rootdevice', ''),
    plain.replace('\r\n\r\n', '\r\nMX: 0\r\n\r\n'),
    plain.replace('\r\n\r\n', '\r\nMX: soon\r\n\r\n'),
    plain + 'x'.repeat(3000),
  ])
    assert.throws(() => decodeSearch(Buffer.from(wrong)), DecodeError, wrong.slice(0, 80))
})

test('a search means the device, its kind and its services; others mean others', () => {
  assert.equal(meantBy('ssdp:all', UDN).length, 6)
  assert.deepEqual(meantBy(CONTENT, UDN), [CONTENT])
  assert.deepEqual(meantBy('urn:schemas-upnp-org:device:InternetGatewayDevice:1', UDN), [])
  assert.deepEqual(meantBy(`${UDN}0`, UDN), [])
})

test('answers and announcements say where the description is; goodbye names what goes', () => {
  for (const target of targetsOf(UDN)) {
    const answer = encodeAnswer(target, identity, 'Fri, 27 Nov 2026 18:55:44 GMT')
    assert.deepEqual(decodeSsdpAnswer(answer), { location: identity.location, target })
    const usn = target === UDN ? UDN : `${UDN}::${target}`
    for (const bytes of [answer, encodeAlive(target, identity), encodeByebye(target, UDN)])
      assert.ok(Buffer.from(bytes).toString().includes(`\r\nUSN: ${usn}\r\n`), usn)
    assert.match(Buffer.from(encodeAlive(target, identity)).toString(), /\r\nNTS: ssdp:alive\r\n/)
    assert.match(Buffer.from(encodeByebye(target, UDN)).toString(), /\r\nNTS: ssdp:byebye\r\n/)
  }
})

test('the description names all services, with names of strangers escaped', () => {
  const root = parseXml(deviceDescription({ udn: UDN, name: 'Tom & "Eva" <3', version: '1' }))
  const [device] = elementsNamed(root, 'device')
  assert.ok(device !== undefined)
  assert.equal(childText(device, 'friendlyName'), 'Tom & "Eva" <3')
  assert.equal(childText(device, 'UDN'), UDN)
  const listed = elementsNamed(device, 'service').map(service => [
    childText(service, 'serviceType'),
    childText(service, 'controlURL'),
  ])
  assert.deepEqual(
    listed,
    SERVICES.map(service => [service.type, pathOf(service, 'control')]),
  )
})

test('each argument of a service has its variable, and evented ones are marked', () => {
  for (const service of SERVICES) {
    const root = parseXml(serviceDescription(service))
    const variables = elementsNamed(root, 'stateVariable').map(one => childText(one, 'name'))
    const related = elementsNamed(root, 'relatedStateVariable').map(({ text }) => text)
    assert.ok(related.length > 0)
    for (const name of related) assert.ok(variables.includes(name), `${service.id} ${name}`)
    assert.deepEqual(
      elementsNamed(root, 'action').map(one => childText(one, 'name')),
      Object.keys(service.actions),
    )
  }
  assert.match(serviceDescription(SERVICES[0] as (typeof SERVICES)[0]), /sendEvents="yes"><name>SystemUpdateID/)
})

function actionOf(inner: string): Buffer {
  return Buffer.from(`<?xml version="1.0"?><s:Envelope xmlns:s="x"><s:Body>${inner}</s:Body></s:Envelope>`)
}

test('an action is read with its arguments', () => {
  const body = actionOf(
    '<u:Browse xmlns:u="y"><ObjectID>a&amp;b</ObjectID><BrowseFlag>BrowseMetadata</BrowseFlag></u:Browse>',
  )
  const { service, action, parameters } = decodeAction(`"${CONTENT}#Browse"`, body)
  assert.equal(service.key, 'content')
  assert.equal(action, 'Browse')
  assert.deepEqual(
    [...parameters],
    [
      ['ObjectID', 'a&b'],
      ['BrowseFlag', 'BrowseMetadata'],
    ],
  )
})

test('what is no action, or none that there is, is refused', () => {
  const browse = actionOf('<u:Browse/>')
  const refused = (header: string, body: Buffer): number => {
    try {
      decodeAction(header, body)
      return 0
    } catch (error) {
      if (error instanceof ActionError) return error.code
      assert.ok(error instanceof DecodeError, String(error))
      return -1
    }
  }
  assert.equal(refused(`"${CONTENT}#DestroyObject"`, actionOf('<u:DestroyObject/>')), 401)
  assert.equal(refused(`"${CONTENT}#constructor"`, actionOf('<u:constructor/>')), 401)
  assert.equal(refused('"urn:other#Browse"', browse), 401)
  assert.equal(refused('', browse), 401)
  assert.equal(refused(`"${CONTENT}#GetSystemUpdateID"`, browse), -1)
  assert.equal(refused(`"${CONTENT}#Browse"`, Buffer.alloc(MAX_ACTION_BYTES + 1, 0x20)), -1)
  assert.equal(
    refused(`"${CONTENT}#Browse"`, actionOf(`<u:Browse><ObjectID>${'0'.repeat(3000)}</ObjectID></u:Browse>`)),
    402,
  )
  const bomb = '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]>'
  assert.equal(refused(`"${CONTENT}#Browse"`, Buffer.concat([Buffer.from(bomb), browse])), -1)
})

test('results stand in their order; what is escaped already is not escaped again', () => {
  const asked = { service: SERVICES[0] as (typeof SERVICES)[0], action: 'Browse' }
  const parts = encodeResult(asked, { Result: [xmlText('<a>&</a>'), xmlText('"')], NumberReturned: 1 })
  const [response] = elementsNamed(parseXml(parts.join('')), 'BrowseResponse')
  assert.ok(response !== undefined)
  assert.equal(childText(response, 'Result'), '<a>&</a>"')
  assert.deepEqual(
    response.children.map(({ name }) => name),
    ['Result', 'NumberReturned'],
  )
  assert.ok(!parts.join('').includes('CDATA'))
})

test('a fault says its number', () => {
  const root = parseXml(encodeFault(new ActionError(701, 'No <such> object')))
  const [error] = elementsNamed(root, 'UPnPError')
  assert.ok(error !== undefined)
  assert.deepEqual([childText(error, 'errorCode'), childText(error, 'errorDescription')], ['701', 'No <such> object'])
})

test('only plain literal addresses are callbacks', () => {
  const one = { ip: '192.168.1.9', port: 49152, path: '/evt?x=1' }
  assert.deepEqual(decodeCallbacks('<http://192.168.1.9:49152/evt?x=1>'), [one])
  assert.deepEqual(decodeCallbacks('<http://192.168.1.9/>'), [{ ip: '192.168.1.9', port: 80, path: '/' }])
  for (const wrong of [
    'http://192.168.1.9/',
    '<https://192.168.1.9/>',
    '<http://player.lan/>',
    '<http://192.168.1.9@198.51.100.1/>',
    '<http://0xc0a80109/>',
    '<http://[fe80::1]/>',
    '<ftp://192.168.1.9/>',
    '<>',
  ])
    assert.deepEqual(decodeCallbacks(wrong), [], wrong)
  assert.equal(decodeCallbacks('<http://10.0.0.1/>'.repeat(9)).length, 4)
  assert.throws(() => decodeCallbacks('<http://10.0.0.1/>'.repeat(99)), DecodeError)
})

test('the time of a subscription keeps to its bounds', () => {
  assert.equal(decodeTimeout('Second-600', 300, 1800), 600)
  assert.equal(decodeTimeout('Second-1', 300, 1800), 300)
  assert.equal(decodeTimeout('Second-999999', 300, 1800), 1800)
  assert.equal(decodeTimeout('Second-infinite', 300, 1800), 1800)
  assert.equal(decodeTimeout('', 300, 1800), 1800)
})

test('an event has its variables', () => {
  const [property] = elementsNamed(parseXml(encodeEvent({ SystemUpdateID: 7 })), 'property')
  assert.equal(property?.children[0]?.text, '7')
})

const film: DidlItem = {
  kind: 'item',
  id: 'f$key$0',
  parentId: 'f',
  title: 'Tom & Jerry <1>',
  media: 'video',
  mime: 'video/x-matroska',
  size: 123,
  durationMs: 5_025_500,
  dateSec: 1_700_000_000,
  url: 'http://192.168.1.2:4000/media/a/film.mkv',
  subtitles: [{ type: 'srt', url: 'http://192.168.1.2:4000/media/b/film.srt' }],
}

test('a film has its type, size, length and subtitles, as televisions read them', () => {
  const text = encodeObject(film, new DidlFilter('*'))
  assert.equal(childText(parseXml(text), 'title'), film.title)
  assert.match(text, /<upnp:class>object\.item\.videoItem<\/upnp:class><dc:date>2023-11-14T22:13:20<\/dc:date>/)
  const info =
    'http-get:\\*:video/x-matroska:DLNA\\.ORG_OP=01;DLNA\\.ORG_CI=0;DLNA\\.ORG_FLAGS=01700000000000000000000000000000'
  assert.match(text, new RegExp(`<res protocolInfo="${info}" size="123" duration="1:23:45\\.500">http://192`))
  assert.match(
    text,
    /<res protocolInfo="http-get:\*:text\/srt:\*">http:\/\/192\.168\.1\.2:4000\/media\/b\/film\.srt<\/res>/,
  )
  assert.match(
    text,
    /<sec:CaptionInfoEx sec:type="srt">http:\/\/192\.168\.1\.2:4000\/media\/b\/film\.srt<\/sec:CaptionInfoEx>/,
  )
})

test('only what is asked for is told beyond what must be', () => {
  const bare = encodeObject(film, new DidlFilter('dc:title'))
  for (const absent of ['<res', 'dc:date', 'sec:']) assert.ok(!bare.includes(absent), absent)
  const sized = encodeObject(film, new DidlFilter('res@size'))
  assert.ok(sized.includes('size="123"') && !sized.includes('duration='))
  const folder = { kind: 'container', id: 'f', parentId: '0', title: 'All', childCount: 3 } as const
  assert.ok(encodeObject(folder, new DidlFilter('*')).includes('childCount="3"'))
  assert.ok(!encodeObject(folder, new DidlFilter('')).includes('childCount'))
})

test('a length that is not known is not told', () => {
  assert.ok(!encodeObject({ ...film, durationMs: null }, new DidlFilter('*')).includes('duration='))
  assert.equal(durationText(0), '0:00:00.000')
  assert.equal(durationText(59_999.6), '0:01:00.000')
  assert.equal(durationText(36_000_000), '10:00:00.000')
})
