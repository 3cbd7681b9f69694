// A torrent that leaves the engine (it goes to circuits, or is removed), over real sockets: by TCP and uTP, with and
// without encryption, who knew it sees what who names an unknown torrent sees, and who was connected is cut off before
// the engine says that it has let go.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SystemClock } from '../../src/io/clock.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { NetTcpNetwork } from '../../src/io/net/tcp-net.ts'
import { DgramNetwork } from '../../src/io/net/udp-dgram.ts'
import type { TcpNetwork } from '../../src/ports/tcp.ts'
import { DualNetwork } from '../../src/torrent/peers/dual-network.ts'
import { UtpNetwork } from '../../src/utp/mux.ts'
import { LoopbackNode } from '../kit/nodes/loopback-node.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { callSwarm, shownTo, type SwarmCall, unknownInfoHash } from '../kit/peers/swarm-caller.ts'
import { startUtpNode } from '../kit/sim/utp-node.ts'
import { waitFor } from '../kit/wait-for.ts'

const torrent = makeTorrent({ length: 2 * 1024 * 1024, pieceLength: 64 * 1024 })

/** A node that listens at one port by TCP and uTP. */
async function dualNode(t: TestContext): Promise<LoopbackNode> {
  const clock = new SystemClock()
  const sockets: { 4: Awaited<ReturnType<DgramNetwork['bind']>> | null; 6: null } = { 4: null, 6: null }
  const utp = new UtpNetwork({}, { clock, random: new SystemRandom(), sockets })
  const node = await new LoopbackNode({
    tcp: new DualNetwork({ tcp: new NetTcpNetwork(), utp, clock }),
    session: { encryption: { mode: 'allow', methods: 'both' } },
  }).start()
  const { port } = node.address
  const socket = await new DgramNetwork().bind({ family: 4, ip: '127.0.0.1', port }, (bytes, from) => {
    utp.receive(bytes, from)
  })
  sockets[4] = socket
  t.after(async () => {
    await node.close()
    utp.close()
    await socket.close()
  })
  return node
}

interface Ways {
  readonly node: LoopbackNode
  readonly ways: readonly { readonly network: TcpNetwork; readonly kind: 'plain' | 'encrypted' }[]
}

async function seeding(t: TestContext): Promise<Ways> {
  const node = await dualNode(t)
  await node.put(torrent)
  const handle = node.add(torrent)
  await waitFor('seeding', () => handle.snapshot().status === 'seeding')
  const kinds = ['plain', 'encrypted'] as const
  const tcp = new NetTcpNetwork()
  const utp = await Promise.all(kinds.map(() => startUtpNode(4, '127.0.0.1')))
  t.after(() => Promise.all(utp.map(caller => caller.close())))
  const ways = kinds.flatMap((kind, at) => [tcp, utp[at]?.utp ?? tcp].map(network => ({ network, kind })))
  return { node, ways }
}

const all = ({ node, ways }: Ways, infoHash: string): Promise<string[]> =>
  Promise.all(ways.map(way => shownTo(infoHash, node.address, way)))

test('who calls with the info hash of a torrent that has left is a stranger, by every way', async t => {
  const rig = await seeding(t)
  const has = Array.from(rig.ways, () => 'has it')
  const strangers = Array.from(rig.ways, () => 'a stranger')
  assert.deepEqual(await all(rig, torrent.infoHash), has)
  assert.deepEqual(await all(rig, unknownInfoHash()), strangers)
  await rig.node.session.remove(torrent.infoHash, { deleteData: false })
  assert.deepEqual(await all(rig, torrent.infoHash), strangers)
  const again = rig.node.add(torrent)
  await waitFor('seeding again', () => again.snapshot().status === 'seeding')
  assert.deepEqual(await all(rig, torrent.infoHash), has, 'it may come back')
})

test('trackers may take their time: it is unknown from the first moment', async t => {
  const rig = await seeding(t)
  const announcer = rig.node.announcers.made.get(torrent.infoHash)
  assert.ok(announcer)
  let letGo = (): void => undefined
  announcer.stop = () => new Promise(resolve => (letGo = resolve))
  const connected = await connect(rig)
  const removed = rig.node.session.remove(torrent.infoHash, { deleteData: false })
  assert.ok((await all(rig, torrent.infoHash)).every(shown => shown === 'a stranger'))
  await allClosed(connected)
  letGo()
  await removed
})

test('connections end with it, also one that has only named it within its encrypted handshake', async t => {
  const rig = await seeding(t)
  const connected = await connect(rig)
  const waiting = rig.ways
    .filter(({ kind }) => kind === 'encrypted')
    .map(way => callSwarm(torrent.infoHash, rig.node.address, { ...way, silent: true }))
  await waitFor('agreed', () => waiting.every(call => call.agreed))
  await rig.node.session.remove(torrent.infoHash, { deleteData: false })
  assert.equal(rig.node.session.connections, 0)
  // Sooner than the 10 s that a handshake may take.
  await allClosed([...connected, ...waiting], 3000)
})

test('a port that says to be another peer by each new connection has one', async t => {
  const { node, ways } = await seeding(t)
  const [, utp] = ways
  assert.ok(utp)
  const calls: SwarmCall[] = []
  for (let count = 1; count <= 3; count++) {
    const call = callSwarm(torrent.infoHash, node.address, utp)
    calls.push(call)
    await waitFor('greeted', () => call.greeted)
    await waitFor('those before are gone', () => calls.every(one => one === call || one.closed))
    assert.equal(node.session.connections, 1)
  }
})

async function connect({ node, ways }: Ways): Promise<SwarmCall[]> {
  const calls = ways.map(way => callSwarm(torrent.infoHash, node.address, way))
  await waitFor('greeted', () => calls.every(call => call.greeted))
  return calls
}

function allClosed(calls: readonly SwarmCall[], limitMs = 5000): Promise<unknown> {
  return waitFor(
    'closed',
    () => calls.every(call => call.closed),
    limitMs,
    () => calls.map(({ closed }) => closed),
  )
}
