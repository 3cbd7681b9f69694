// Whatever a gateway sends gives a value within its bounds or a DecodeError; what is encoded decodes to the same.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { readRoutes4, readRoutes6 } from '../../src/io/net/route-tables.ts'
import { canonicalIp } from '../../src/wire/net/compact-address.ts'
import { decodeNatPmpAnswer, encodeNatPmpMapRequest, type NatPmpAnswer } from '../../src/wire/net/nat-pmp.ts'
import { decodePcpAnswer, encodePcpMapRequest } from '../../src/wire/net/pcp.ts'
import { escapeXml, parseXml, type XmlElement } from '../../src/wire/net/small-xml.ts'
import { decodeDeviceDescription, decodeSoapAnswer, decodeSsdpAnswer } from '../../src/wire/net/upnp.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'
import { ROOT } from '../kit/peers/gateways.ts'

function onlyDecodeErrors<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error))
    return null
  }
}

/** An answer as a gateway writes it, from its parts. */
function writeNatPmp(answer: NatPmpAnswer): Buffer {
  const bytes = Buffer.alloc(answer.op === 'address' ? 12 : 16)
  bytes[1] = answer.op === 'address' ? 128 : answer.protocol === 'udp' ? 129 : 130
  bytes.writeUInt16BE(answer.result, 2)
  bytes.writeUInt32BE(answer.epochSec, 4)
  if (answer.op === 'address') {
    bytes.set((answer.ip ?? '0.0.0.0').split('.').map(Number), 8)
    return bytes
  }
  bytes.writeUInt16BE(answer.internalPort, 8)
  bytes.writeUInt16BE(answer.externalPort, 10)
  bytes.writeUInt32BE(answer.lifetimeSec, 12)
  return bytes
}

fuzz('NAT-PMP answers', 0.15, source => {
  const seed = Buffer.from(source.pick(['00800000000003e8c6336407', '00820000000000011ae11ae200000e10']), 'hex')
  const answer = onlyDecodeErrors(() => decodeNatPmpAnswer(source.pick([source.mutate(seed), source.bytes(40)])))
  if (answer !== null) assert.deepEqual(decodeNatPmpAnswer(writeNatPmp(answer)), answer)
})

fuzz('NAT-PMP and PCP requests are read back by their fields', 0.1, source => {
  const map = {
    protocol: source.pick(['tcp', 'udp'] as const),
    internalPort: source.below(65_536),
    externalPort: source.below(65_536),
    lifetimeSec: source.below(0xffff_ffff),
  }
  const request = Buffer.from(encodeNatPmpMapRequest(map))
  const echoed = Buffer.concat([request.subarray(0, 4), Buffer.alloc(4), request.subarray(4)])
  echoed[1] = (echoed[1] ?? 0) + 128
  assert.deepEqual(decodeNatPmpAnswer(echoed), { op: 'map', result: 0, epochSec: 0, ...map })
  const nonce = Uint8Array.from({ length: 12 }, () => source.below(256))
  const clientIp = source.pick(['10.0.0.2', '2001:db8::2'])
  const externalIp = source.pick(['198.51.100.7', '2001:db8::9'])
  const answer = Buffer.from(encodePcpMapRequest({ ...map, nonce, clientIp, externalIp }))
  answer[1] = 0x81
  const read = decodePcpAnswer(answer)
  assert.ok(read.op === 'map')
  const { protocol, internalPort, externalPort, lifetimeSec } = read
  assert.deepEqual({ protocol, internalPort, externalPort, lifetimeSec }, map)
  assert.deepEqual([Buffer.from(read.nonce), read.externalIp], [Buffer.from(nonce), externalIp])
})

fuzz('PCP answers', 0.15, source => {
  const seed = Buffer.alloc(60)
  seed.set([2, 0x81])
  seed[36] = 6
  const answer = onlyDecodeErrors(() => decodePcpAnswer(source.pick([source.mutate(seed), source.bytes(80)])))
  if (answer?.op !== 'map') return
  assert.equal(answer.nonce.length, 12)
  assert.equal(canonicalIp(answer.externalIp), answer.externalIp)
})

function write(element: XmlElement): string {
  return `<${element.name}>${escapeXml(element.text)}${element.children.map(write).join('')}</${element.name}>`
}

function textOf(source: Fuzz, seed: string): string {
  return Buffer.from(source.mutate(Buffer.from(seed))).toString(source.pick(['utf8', 'latin1'] as const))
}

fuzz('XML', 0.25, source => {
  const seed = source.pick([ROOT, '<a b="1"><!-- x --><c>&#x41;&amp;<![CDATA[<]]></c></a>', '<?xml?><x:a><x:b/></x:a>'])
  const root = onlyDecodeErrors(() => parseXml(textOf(source, seed)))
  if (root !== null) assert.deepEqual(parseXml(write(root)), root)
})

fuzz('descriptions, SOAP and SSDP answers', 0.25, source => {
  const connections = onlyDecodeErrors(() =>
    decodeDeviceDescription(textOf(source, ROOT), 'http://10.0.0.1:5000/r.xml'),
  )
  for (const { controlUrl } of connections ?? []) assert.equal(new URL(controlUrl).protocol, 'http:')
  const soap = '<s:Envelope><s:Body><u:DoResponse><NewX>5</NewX></u:DoResponse></s:Body></s:Envelope>'
  const fault =
    '<s:Envelope><s:Body><s:Fault><detail><UPnPError><errorCode>718</errorCode></UPnPError></detail></s:Fault></s:Body></s:Envelope>'
  const answer = onlyDecodeErrors(() => decodeSoapAnswer(textOf(source, source.pick([soap, fault])), 'Do'))
  if (answer?.kind === 'fault') assert.ok(Number.isSafeInteger(answer.code) && answer.text.length <= 256)
  const ssdp = Buffer.from('HTTP/1.1 200 OK\r\nST: x\r\nLOCATION: http://10.0.0.1:5000/r.xml\r\n\r\n')
  const found = onlyDecodeErrors(() => decodeSsdpAnswer(source.mutate(ssdp)))
  if (found !== null) assert.equal(new URL(found.location).protocol, 'http:')
})

fuzz('routing tables', 0.1, source => {
  const line = 'eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n'
  const line6 = `${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00 fe800000000000000000000000000001 00000400 00000002 00000000 00450003 eth0\n`
  for (const route of [...readRoutes4(textOf(source, line)), ...readRoutes6(textOf(source, line6))])
    assert.equal(canonicalIp(route.ip), route.ip)
})
