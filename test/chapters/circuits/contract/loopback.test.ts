// Circuits over real sockets on loopback: built, used both ways, destroyed; names and HTTP by the exit; the address
// filter.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { SystemClock } from '../../../../src/io/clock.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { NetTcpNetwork } from '../../../../src/io/net/tcp-net.ts'
import type { NameResolver } from '../../../../src/ports/name-resolver.ts'
import type { UdpNetwork } from '../../../../src/ports/udp.ts'
import { EXIT, makeCircuitNode, type MadeCircuitNode, RELAY } from '../kit/made-circuit-node.ts'
import { datagramNetworks } from '../../../kit/datagram-networks.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const ip = '127.0.0.1'
const resolver: NameResolver = { resolve: () => Promise.resolve([{ ip, family: 4, class: 'private' }]) }
const deps = {
  tcp: new NetTcpNetwork(null),
  clock: new SystemClock(),
  random: new SystemRandom(),
  resolver,
}

async function networkOf(
  udp: UdpNetwork,
  flags: readonly number[],
  refused: (ip: string) => boolean = () => false,
): Promise<MadeCircuitNode[]> {
  const nodes: MadeCircuitNode[] = []
  for (const each of flags) {
    const first = nodes[0]?.overlays.lanAddress
    const bootstrap = first === undefined || first === null ? [] : [{ host: ip, port: first.port }]
    nodes.push(await makeCircuitNode({ ip, port: 0, bootstrap, flags: each, refused }, { ...deps, udp, exitUdp: udp }))
  }
  after(async () => {
    for (const node of nodes) await node.stop()
  })
  return nodes
}

/** A host beyond the exits that answers each datagram with the same. */
async function echoHost(): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (bytes, from) => socket.send(bytes, from.port, from.address))
  socket.bind(0, ip)
  await once(socket, 'listening')
  after(() => socket.close())
  return socket.address().port
}

const me = (nodes: readonly MadeCircuitNode[]): MadeCircuitNode => nodes.at(-1) as MadeCircuitNode

for (const [name, make] of Object.entries(datagramNetworks)) {
  // They mostly wait, each for nodes of its own.
  describe(`circuits on loopback by ${name}`, { concurrency: 5 }, () => {
    const network = (flags: readonly number[], refused?: (ip: string) => boolean) => networkOf(make(), flags, refused)
    for (const hops of [1, 2, 3] as const) {
      test(`datagrams and names over ${hops} hops`, async () => {
        const port = await echoHost()
        const nodes = await network([RELAY, RELAY, EXIT, RELAY])
        const lane = me(nodes).circuits.lane(hops)
        const heard: string[] = []
        const socket = await lane.udp.bind({ family: 4, ip: null, port: 0 }, bytes =>
          heard.push(Buffer.from(bytes).toString()),
        )
        lane.setDemand(1)
        await waitFor('a circuit', () => lane.facts().ready > 0, 30_000)
        socket.send(Buffer.from('d1:a1:be'), { ip, port })
        await waitFor('an answer', () => heard.includes('d1:a1:be'))
        socket.sendToName?.(Buffer.from('d1:c1:de'), { host: 'tracker.example', port })
        await waitFor('an answer of a name', () => heard.includes('d1:c1:de'))
        // What is no BitTorrent does not leave.
        socket.send(Buffer.from('GET / HTTP/1.1'), { ip, port })
        const exit = nodes[2] as MadeCircuitNode
        await waitFor('a refusal', () => exit.tunnels.drops.policy > 0)
        await me(nodes).stop()
        await waitFor(
          'the circuits to be gone at the hops',
          () => nodes.every(({ tunnels }) => tunnels.joined.places.taken === 0),
          10_000,
        )
      })
    }

    test('a request for a range, and for what is bencoded, comes back through an exit; a page does not', async () => {
      const file = Buffer.alloc(100_000, 7)
      const server = createServer((request, response) => {
        const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '')
        if (request.url === '/announce') response.end('d8:intervali900ee')
        else if (range === null) response.end('<html>')
        else {
          const body = file.subarray(Number(range[1]), Number(range[2]) + 1)
          response.writeHead(206, { 'content-length': body.length }).end(body)
        }
      })
      server.listen(0, ip)
      await once(server, 'listening')
      after(() => server.close())
      const { port } = server.address() as AddressInfo
      const nodes = await network([RELAY, RELAY, EXIT, RELAY])
      const lane = me(nodes).circuits.lane(2)
      lane.setDemand(1)
      await waitFor('a circuit', () => lane.facts().ready > 0, 30_000)
      const ask = async (path: string, more = '', timeoutMs = 5_000): Promise<string> => {
        const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n${more}Connection: close\r\n\r\n`)
        const answer = await lane.exchange({ host: 'web.example', port, request, maxBytes: 200_000, timeoutMs })
        return Buffer.from(answer).toString('latin1')
      }
      assert.match(await ask('/announce'), /d8:intervali900ee/)
      const range = await ask('/file', 'Range: bytes=0-65535\r\n')
      assert.match(range, /^HTTP\/1.1 206/)
      assert.equal(range.length - range.indexOf('\r\n\r\n') - 4, 65_536)
      await assert.rejects(ask('/page', '', 300), { code: 'SourceFailed' })
    })

    test('an exit refuses addresses that strangers may not reach', async () => {
      const port = await echoHost()
      const nodes = await network([RELAY, EXIT, RELAY], to => to === ip)
      const lane = me(nodes).circuits.lane(1)
      const heard: number[] = []
      const socket = await lane.udp.bind({ family: 4, ip: null, port: 0 }, bytes => heard.push(bytes.length))
      lane.setDemand(1)
      await waitFor('a circuit', () => lane.facts().ready > 0, 30_000)
      socket.send(Buffer.from('d1:a1:be'), { ip, port })
      socket.sendToName?.(Buffer.from('d1:a1:be'), { host: 'localhost', port })
      const exit = nodes[1] as MadeCircuitNode
      await waitFor('two refusals', () => exit.tunnels.drops.policy === 2)
      assert.equal(exit.tunnels.traffic.exitedUp, 0)
      assert.deepEqual(heard, [])
    })
  })
}
