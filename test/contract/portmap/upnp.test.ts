// UPnP over real sockets against a small gateway on loopback: found, described, mapped, taken away; the habits of
// gateways; and devices that want to lead us elsewhere, or never end.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, beforeEach, test } from 'node:test'
import { SystemClock } from '../../../src/io/clock.ts'
import { GatewayHttpClient } from '../../../src/io/net/gateway-http-client.ts'
import { SystemRandom } from '../../../src/io/random.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import type { GatewayRoute } from '../../../src/ports/gateway.ts'
import { MapError, type MapOrder } from '../../../src/portmap/mapping-client.ts'
import { UpnpClient } from '../../../src/portmap/upnp-client.ts'
import { OUTSIDE, ROOT, UpnpGateway } from '../../kit/peers/gateways.ts'
import { endless, serve } from '../../fault/hostile-http.ts'

const ROUTE: GatewayRoute = { family: 4, ip: '127.0.0.1', localIp: '127.0.0.1', prefixBits: 0 }
const ORDER: MapOrder = { protocol: 'tcp', internalPort: 6881, externalPort: 6881, lifetimeSec: 3600 }
const never = new AbortController().signal
const deps = {
  clock: new SystemClock(),
  udp: new DgramNetwork(),
  random: new SystemRandom(),
  http: new GatewayHttpClient(),
}
let gateway: UpnpGateway
let client: UpnpClient

beforeEach(async () => {
  gateway = await UpnpGateway.start()
  client = new UpnpClient(ROUTE, deps, {
    description: 'Tributary <test>',
    searchAt: [{ ip: '127.0.0.1', port: gateway.ssdpPort }],
  })
})

afterEach(async () => {
  await client.close()
  await gateway.stop()
})

const failure = (name: string) => (error: unknown) => {
  assert.ok(error instanceof MapError, String(error))
  assert.equal(error.failure, name, error.message)
  return true
}

test('found, mapped, renewed without another search, taken away', async () => {
  const expected = { externalPort: 6881, externalIp: OUTSIDE, lifetimeSec: 3600, restarted: false }
  assert.deepEqual(await client.map(ORDER, never), expected)
  const { searches } = gateway
  assert.ok(searches > 0)
  assert.deepEqual(await client.map({ ...ORDER, protocol: 'udp' }, never), expected)
  assert.deepEqual(await client.map(ORDER, never), expected)
  assert.equal(gateway.searches, searches)
  assert.deepEqual(
    [...gateway.mappings],
    [
      ['tcp 6881', { internalPort: 6881, lifetimeSec: 3600 }],
      ['udp 6881', { internalPort: 6881, lifetimeSec: 3600 }],
    ],
  )
  await client.unmap(ORDER, never)
  await client.unmap({ ...ORDER, protocol: 'udp' }, never)
  assert.equal(gateway.mappings.size, 0)
  await assert.rejects(client.unmap(ORDER, never), failure('temporary'))
})

test('gateways without leases, with taken ports, or with the same port only', async () => {
  const act = gateway.act
  const faults: number[] = [725, 718, 718]
  const ports: string[] = []
  gateway.act = (action, parameters) => {
    if (action !== 'AddPortMapping') return act(action, parameters)
    ports.push(`${parameters.get('NewExternalPort')} ${parameters.get('NewLeaseDuration')}`)
    return faults.shift() ?? act(action, parameters)
  }
  const mapped = await client.map(ORDER, never)
  assert.deepEqual(ports.slice(0, 2), ['6881 3600', '6881 0'])
  assert.equal(ports.length, 4)
  assert.equal(mapped.lifetimeSec, 3600, 'looked after although it never ends')
  assert.ok(mapped.externalPort >= 1024 && `${mapped.externalPort} 0` === ports[3])
  faults.push(724)
  const same = await client.map({ ...ORDER, externalPort: 7000 }, never)
  assert.equal(same.externalPort, 6881)
})

test('a gateway that always says taken, or no', async () => {
  gateway.act = () => 718
  await assert.rejects(client.map(ORDER, never), failure('temporary'))
  assert.equal(gateway.actions.length, 6, 'it is not asked for ever')
  gateway.act = () => 606
  await assert.rejects(client.map(ORDER, never), failure('refused'))
})

test('a gateway that lost its connection is searched for again', async () => {
  await client.map(ORDER, never)
  gateway.act = () => 501
  await assert.rejects(client.map(ORDER, never), failure('temporary'))
  const { searches } = gateway
  gateway.act = () => ({ NewExternalIPAddress: '0.0.0.0' })
  assert.equal((await client.map(ORDER, never)).externalIp, null, 'an address that is none')
  assert.ok(gateway.searches > searches)
})

test('a device never leads to another host: neither its description nor its control url', async () => {
  const other = await serve((_, reply) => void reply.end(ROOT), '127.0.0.2')
  gateway.location = other.url('/root.xml')
  const abort = new AbortController()
  const refused = assert.rejects(client.map(ORDER, abort.signal), failure('temporary'))
  // No device that counts answers: the search would take its whole time.
  while (gateway.searches < 4) await new Promise(resolve => setImmediate(resolve))
  abort.abort()
  await refused
  gateway.location = null
  gateway.description = () => ROOT.replace('<controlURL>/ctl/wan', `<controlURL>${other.url('/ctl/wan')}`)
  await assert.rejects(client.map(ORDER, never), failure('unsupported'))
  gateway.description = () => ROOT.replace('<specVersion>', `<URLBase>${other.url('/')}</URLBase><specVersion>`)
  await assert.rejects(client.map(ORDER, never), failure('unsupported'))
  gateway.description = null
  gateway.answerHttp = (_, reply) => {
    reply.writeHead(302, { location: other.url('/root.xml') }).end()
    return true
  }
  await assert.rejects(client.map(ORDER, never), failure('unsupported'))
  assert.equal(other.requests.length, 0)
  await other.stop()
})

test('a device of another network is not believed', async () => {
  const stranger = await serve((_, reply) => void reply.end(ROOT), '127.0.0.2')
  const ssdp = createSocket('udp4')
  ssdp.bind(0, '127.0.0.2')
  await once(ssdp, 'listening')
  const answer = `HTTP/1.1 200 OK\r\nST: x\r\nLOCATION: ${stranger.url('/root.xml')}\r\n\r\n`
  const abort = new AbortController()
  ssdp.on('message', (_, from) => ssdp.send(answer, from.port, from.address, () => setImmediate(() => abort.abort())))
  const searchAt = [{ ip: '127.0.0.2', port: ssdp.address().port }]
  const strange = new UpnpClient(ROUTE, deps, { description: 'x', searchAt })
  await assert.rejects(strange.map(ORDER, abort.signal), failure('temporary'))
  assert.equal(stranger.requests.length, 0)
  ssdp.close()
  await once(ssdp, 'close')
  await stranger.stop()
})

test('descriptions and answers that never end, are huge, deep or nonsense', async () => {
  const bodies = [
    '',
    '<html><body>login</body></html>',
    '<a>'.repeat(100_000),
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><root>&b;</root>',
    `<root>${'<x/>'.repeat(60_000)}</root>`,
  ]
  for (const body of bodies) {
    gateway.description = () => body
    await assert.rejects(client.map(ORDER, never), failure('unsupported'))
  }
  gateway.answerHttp = (_, reply) => {
    endless(reply)
    return true
  }
  await assert.rejects(client.map(ORDER, never), failure('unsupported'))
  gateway.answerHttp = (request, reply) => {
    if (request.method !== 'POST') return false
    endless(reply)
    return true
  }
  gateway.description = null
  await assert.rejects(client.map(ORDER, never), failure('temporary'))
  gateway.answerHttp = (request, reply) => {
    if (request.method === 'POST') reply.end('<s:Envelope><s:Body/></s:Envelope>')
    return request.method === 'POST'
  }
  await assert.rejects(client.map(ORDER, never), failure('unsupported'))
})

test('what was mapped while it was given up can still be taken away, also when it was a renewal', async () => {
  const { act } = gateway
  for (const _ of ['the first', 'a renewal']) {
    const abort = new AbortController()
    gateway.act = (action, parameters) => {
      const answer = act(action, parameters)
      if (action === 'AddPortMapping') abort.abort()
      return answer
    }
    await assert.rejects(client.map(ORDER, abort.signal), failure('temporary'))
    assert.equal(gateway.mappings.size, 1)
    gateway.act = act
    await client.unmap(ORDER, never)
    assert.equal(gateway.mappings.size, 0)
    await client.map(ORDER, never)
  }
})
