// NAT-PMP, PCP and UPnP as bytes and text: examples laid out by hand from the RFCs, and what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { sameNetwork } from '../../../src/wire/net/ip-network.ts'
import {
  decodeNatPmpAnswer,
  encodeNatPmpAddressRequest,
  encodeNatPmpMapRequest,
} from '../../../src/wire/net/nat-pmp.ts'
import { decodePcpAnswer, encodePcpMapRequest } from '../../../src/wire/net/pcp.ts'
import { childText, elementsNamed, escapeXml, MAX_XML_CHARS, parseXml } from '../../../src/wire/net/small-xml.ts'
import {
  decodeDeviceDescription,
  decodeSoapAnswer,
  decodeSsdpAnswer,
  encodeSoapAction,
  encodeSsdpSearch,
} from '../../../src/wire/net/upnp.ts'
import { ROOT } from '../../kit/peers/gateways.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const NONCE = hex('000102030405060708090a0b')

test('NAT-PMP: requests', () => {
  assert.deepEqual(Buffer.from(encodeNatPmpAddressRequest()), hex('00 00'))
  const map = { protocol: 'tcp', internalPort: 6881, externalPort: 6882, lifetimeSec: 3600 } as const
  assert.deepEqual(Buffer.from(encodeNatPmpMapRequest(map)), hex('00 02 0000 1ae1 1ae2 00000e10'))
  assert.deepEqual(
    Buffer.from(encodeNatPmpMapRequest({ ...map, protocol: 'udp', externalPort: 0, lifetimeSec: 0 })),
    hex('00 01 0000 1ae1 0000 00000000'),
  )
})

test('NAT-PMP: answers, also those that tell of a failure in few bytes', () => {
  assert.deepEqual(decodeNatPmpAnswer(hex('00 80 0000 000003e8 c6336407')), {
    op: 'address',
    result: 0,
    epochSec: 1000,
    ip: '198.51.100.7',
  })
  assert.deepEqual(decodeNatPmpAnswer(hex('00 82 0000 00000001 1ae1 1ae2 00000e10')), {
    op: 'map',
    result: 0,
    epochSec: 1,
    protocol: 'tcp',
    internalPort: 6881,
    externalPort: 6882,
    lifetimeSec: 3600,
  })
  assert.equal(decodeNatPmpAnswer(hex('00 81 0002 00000001')).result, 2)
  for (const bad of [
    '',
    '00 80 0000 000003',
    '00 80 0000 000003e8',
    '00 81 0000 00000001 1ae1',
    '02 81 0000 00000001 1ae1 1ae2 00000e10',
    '00 01 0000 00000001 1ae1 1ae2 00000e10',
    '00 83 0000 00000001 1ae1 1ae2 00000e10',
  ])
    assert.throws(() => decodeNatPmpAnswer(hex(bad)), DecodeError, bad)
})

test('PCP: MAP of an IPv4 and of an IPv6 host', () => {
  const map = { nonce: NONCE, protocol: 'udp', internalPort: 6881, externalPort: 0, lifetimeSec: 7200 } as const
  assert.deepEqual(
    Buffer.from(encodePcpMapRequest({ ...map, clientIp: '192.168.1.2', externalIp: null })),
    hex(
      `02 01 0000 00001c20 00000000000000000000ffffc0a80102
         000102030405060708090a0b 11 000000 1ae1 0000 00000000000000000000ffff00000000`.replace(/\s+/g, ' '),
    ),
  )
  const six = Buffer.from(encodePcpMapRequest({ ...map, protocol: 'tcp', clientIp: '2001:db8::2', externalIp: null }))
  assert.equal(six.length, 60)
  assert.equal(six[36], 6)
  assert.deepEqual(six.subarray(8, 24), hex('20010db8000000000000000000000002'))
  assert.deepEqual(six.subarray(44), Buffer.alloc(16))
})

test('PCP: answers', () => {
  const good = hex(
    `02 81 00 00 00000e10 000003e8 000000000000000000000000
    000102030405060708090a0b 06 000000 1ae1 1ae2 00000000000000000000ffffc6336407`.replace(/\s+/g, ' '),
  )
  assert.deepEqual(decodePcpAnswer(good), {
    op: 'map',
    result: 0,
    lifetimeSec: 3600,
    epochSec: 1000,
    nonce: Uint8Array.from(NONCE),
    protocol: 'tcp',
    internalPort: 6881,
    externalPort: 6882,
    externalIp: '198.51.100.7',
  })
  assert.deepEqual(decodePcpAnswer(hex('00 81 0001 00000001')), { op: 'version', version: 0 })
  const request = Buffer.from(good)
  request[1] = 1
  const announce = Buffer.from(good)
  announce[1] = 0x80
  const icmp = Buffer.from(good)
  icmp[36] = 1
  for (const bad of [Buffer.alloc(0), good.subarray(0, 59), request, announce, icmp, Buffer.alloc(1101, good)])
    assert.throws(() => decodePcpAnswer(bad), DecodeError)
})

test('XML: elements, text, comments, CDATA, attributes, prefixes, entities', () => {
  const root = parseXml(
    '\ufeff<?xml version="1.0"?><!-- <x> --><a:root a:x="1>2" y = \'&lt;\'>one <b/>two&#65;&#x42;&amp;lt; & &unknown;<![CDATA[<c>&amp;]]><b> x </b></a:root>\n',
  )
  assert.equal(root.name, 'root')
  assert.equal(root.text, 'one twoAB&lt; & &unknown;<c>&amp;')
  assert.deepEqual(
    root.children.map(child => [child.name, child.text]),
    [
      ['b', ''],
      ['b', 'x'],
    ],
  )
  assert.equal(childText(root, 'b'), '')
  assert.equal(childText(root, 'c'), null)
  assert.equal(elementsNamed(root, 'b').length, 2)
  const wild = `<&>"'\u0000\ud800ä😀`
  assert.equal(parseXml(`<a>${escapeXml(wild)}</a>`).text, `<&>"'  ä😀`)
})

test('XML: what is no small document is refused', () => {
  for (const bad of [
    '',
    'x',
    '<a>',
    '</a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>x',
    '<a b></a>',
    '<a b="<"/>',
    '<a',
    '< a/>',
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    '<a>\u0000</a>',
    '<a><!-- </a>',
    '<a><![CDATA[</a>',
    '<![CDATA[x]]>',
    '<a>'.repeat(33) + '</a>'.repeat(33),
    `<a>${'<b/>'.repeat(4000)}</a>`,
    `<a>${' '.repeat(MAX_XML_CHARS)}</a>`,
    `<${'a'.repeat(300)}/>`,
  ])
    assert.throws(() => parseXml(bad), DecodeError, bad.slice(0, 40))
})

test('UPnP: a search and its answers', () => {
  const text = Buffer.from(encodeSsdpSearch('urn:x', 2)).toString()
  assert.equal(
    text,
    'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 2\r\nST: urn:x\r\n\r\n',
  )
  const answer = (lines: string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  assert.deepEqual(decodeSsdpAnswer(answer(['HTTP/1.1 200 OK', 'ST:urn:x', 'LOCATION: http://10.0.0.1:5000/r.xml'])), {
    location: 'http://10.0.0.1:5000/r.xml',
    target: 'urn:x',
  })
  for (const bad of [
    answer(['NOTIFY * HTTP/1.1', 'LOCATION: http://10.0.0.1/']),
    answer(['HTTP/1.1 404 No', 'LOCATION: http://10.0.0.1/']),
    answer(['HTTP/1.1 200 OK', 'ST: x']),
    answer(['HTTP/1.1 200 OK', 'LOCATION: https://10.0.0.1/']),
    answer(['HTTP/1.1 200 OK', 'LOCATION: file:///etc/passwd']),
    answer(['HTTP/1.1 200 OK', `LOCATION: http://10.0.0.1/${'x'.repeat(2000)}`]),
    Buffer.alloc(5000, 'HTTP/1.1 200 OK\r\n'),
    Buffer.alloc(0),
  ])
    assert.throws(() => decodeSsdpAnswer(bad), DecodeError)
})

test('UPnP: the connections of a description, IP before PPP, relative to its base', () => {
  assert.deepEqual(decodeDeviceDescription(ROOT, 'http://10.0.0.1:5000/root.xml'), [
    {
      serviceType: 'urn:schemas-upnp-org:service:WANIPConnection:1',
      controlUrl: 'http://10.0.0.1:5000/ctl/wan',
    },
  ])
  const service = (type: string, url: string): string =>
    `<service><serviceType>urn:schemas-upnp-org:service:${type}</serviceType><controlURL>${url}</controlURL></service>`
  const both = `<root><URLBase>http://10.0.0.1:80/x/</URLBase>${service('WANPPPConnection:1', 'ppp')}${service('WANIPConnection:2', '/ip')}${service('WANIPConnection:1', 'ftp://10.0.0.1/')}</root>`
  assert.deepEqual(
    decodeDeviceDescription(both, 'http://10.0.0.1/').map(connection => connection.controlUrl),
    ['http://10.0.0.1/ip', 'http://10.0.0.1/x/ppp'],
  )
  const many = `<root>${service('WANIPConnection:1', '/x').repeat(100)}</root>`
  assert.equal(decodeDeviceDescription(many, 'http://10.0.0.1/').length, 8)
  for (const bad of ['<root/>', 'no xml', `<root>${service('WANIPConnection:1', '')}</root>`])
    assert.throws(() => decodeDeviceDescription(bad, 'http://10.0.0.1/'), DecodeError)
})

test('UPnP: actions, results and faults', () => {
  const body = encodeSoapAction('urn:s:1', 'Do', [
    ['NewA', '1'],
    ['NewB', '<&>'],
  ])
  const inner = elementsNamed(parseXml(body), 'Do')[0]
  assert.deepEqual(
    inner?.children.map(child => [child.name, child.text]),
    [
      ['NewA', '1'],
      ['NewB', '<&>'],
    ],
  )
  const envelope = (content: string): string => `<s:Envelope><s:Body>${content}</s:Body></s:Envelope>`
  assert.deepEqual(decodeSoapAnswer(envelope('<u:DoResponse><NewX>5</NewX></u:DoResponse>'), 'Do'), {
    kind: 'done',
    results: new Map([['NewX', '5']]),
  })
  const fault = (code: string): string =>
    envelope(
      `<s:Fault><detail><UPnPError><errorCode>${code}</errorCode><errorDescription>a\nb</errorDescription></UPnPError></detail></s:Fault>`,
    )
  assert.deepEqual(decodeSoapAnswer(fault('718'), 'Do'), { kind: 'fault', code: 718, text: 'a b' })
  assert.deepEqual(decodeSoapAnswer(fault('x'), 'Do'), { kind: 'fault', code: 0, text: 'a b' })
  assert.deepEqual(decodeSoapAnswer(envelope('<s:Fault/>'), 'Do'), { kind: 'fault', code: 0, text: '' })
  for (const bad of [envelope(''), '<a/>', envelope('<u:OtherResponse/>'), '<html><body>Login</body></html>'])
    assert.throws(() => decodeSoapAnswer(bad, 'Do'), DecodeError)
})

test('addresses of one network', () => {
  assert.equal(sameNetwork('192.168.1.1', '192.168.1.77', 24), true)
  assert.equal(sameNetwork('192.168.1.1', '192.168.2.1', 24), false)
  assert.equal(sameNetwork('192.168.1.1', '192.168.2.1', 22), true)
  assert.equal(sameNetwork('10.0.0.1', '11.0.0.1', 0), true)
  assert.equal(sameNetwork('10.0.0.1', '10.0.0.1', 32), true)
  assert.equal(sameNetwork('10.0.0.1', '10.0.0.2', 32), false)
  assert.equal(sameNetwork('10.0.0.1', '2001:db8::1', 0), false)
  assert.equal(sameNetwork('2001:db8::1', '2001:db8::2', 64), true)
  assert.equal(sameNetwork('router', '10.0.0.1', 8), false)
  assert.equal(sameNetwork('10.0.0.1', '10.0.0.1', 64), false)
})
