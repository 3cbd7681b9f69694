// A network of py-ipv8 nodes and nodes of ours on loopback that all know each other, for the live tests.

import type { PeerAddress } from '../../../../src/base/ids.ts'
import { CircuitNode, type CircuitNodeParams } from '../kit/circuit-node.ts'
import { type PyNode, PyNodes } from '../../../kit/peers/ipv8-nodes.ts'
import { startUdpEcho, type UdpEcho } from '../../../kit/peers/udp-echo.ts'
import { waitFor } from '../../../kit/wait-for.ts'

/** Overlay of plain py-ipv8: nothing of the public network. */
export const COMMUNITY = '81ded07332bdc775aa5a46f96de9f8f390bbc9f3'

/** Whether live tests can run here. */
export const canRunLive = (process.env['IPV8_DIR'] ?? '') !== ''

/** Everything that runs. */
export interface LiveNetwork {
  readonly py: PyNodes
  readonly theirs: readonly PyNode[]
  readonly ours: readonly CircuitNode[]
  readonly echo: UdpEcho
  stop(): Promise<void>
}

/** What is started. */
export interface LiveParams {
  readonly seed: string
  /** Flags of each of their nodes. */
  readonly theirs: readonly (readonly number[])[]
  /** Each of ours. */
  readonly ours: readonly Omit<CircuitNodeParams, 'communityId'>[]
}

/** Starts all, and waits until everybody knows everybody's flags. */
export async function startLive({ seed, theirs: flags, ours: wanted }: LiveParams): Promise<LiveNetwork> {
  const py = new PyNodes({ seed, community: COMMUNITY })
  const theirs = await py.start(flags)
  const ports = theirs.map(({ port }) => port)
  const communityId = Buffer.from(COMMUNITY, 'hex')
  const ours: CircuitNode[] = []
  for (const params of wanted) {
    const greet = [...ports, ...ours.map(({ address }) => address.port)]
    ours.push(await CircuitNode.start({ ...params, communityId, greet }))
  }
  await py.greet(ours.map(({ address }) => address.port))
  const echo = await startUdpEcho()
  const all = theirs.length + ours.length
  const network: LiveNetwork = {
    py,
    theirs,
    ours,
    echo,
    async stop() {
      for (const node of ours) await node.stop()
      await py.stop()
      await echo.stop()
    },
  }
  await waitFor('everybody to know everybody', () => isMeshed(network, all), 30_000)
  return network
}

async function isMeshed({ py, theirs, ours }: LiveNetwork, all: number): Promise<boolean> {
  for (const node of ours) if (node.tunnels.candidates.counts.all < all - 1) return false
  for (const { number } of theirs) if ((await py.candidates(number)).size < all - 1) return false
  return true
}

/** Datagrams of a lane to the echo: true when all came back. Waits until a circuit is there. */
export async function echoThrough(node: CircuitNode, hops: 1 | 2 | 3, to: PeerAddress): Promise<boolean> {
  const lane = node.lanes.lane(hops)
  lane.setDemand(1)
  await waitFor(
    `a circuit of ${hops} hops`,
    () => lane.facts().ready > 0,
    20_000,
    () => lane.facts(),
  )
  return exchangeAll(lane, to)
}

/** Datagrams of a lane to an address that sends them back: true when all came. */
export async function exchangeAll(
  lane: Pick<ReturnType<CircuitNode['lanes']['lane']>, 'udp'>,
  to: PeerAddress,
): Promise<boolean> {
  const got = new Set<string>()
  const socket = await lane.udp.bind({ family: 4, ip: null, port: 0 }, bytes =>
    got.add(Buffer.from(bytes).toString('hex')),
  )
  try {
    const sent = Array.from({ length: 8 }, (_, at) => Buffer.from(`d${String(at).repeat(90)}e`))
    for (const bytes of sent) socket.send(bytes, to)
    await waitFor(
      'the echo',
      () => sent.every(bytes => got.has(bytes.toString('hex'))),
      10_000,
      () => got.size,
    )
    return true
  } finally {
    await socket.close()
  }
}
