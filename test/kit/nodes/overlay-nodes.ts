// Built nodes with a network of circuits of their own on loopback: relays and exits that run at once, found by the
// first of them.

import { type NodeProcess, startNode } from './node-process.ts'
import { waitFor } from '../wait-for.ts'

/** No node of another network, and of another test beside it, is met by chance. */
export interface OverlayNodesOptions {
  /** 40 hexadecimal digits: the network. */
  readonly community: string
  readonly relays: number
  /** Beside the relays. */
  readonly exits: number
}

/** A network that runs. */
export interface OverlayNodes {
  /** `127.0.0.1:port` of the first one: who starts with it as bootstrap finds the others. */
  readonly bootstrap: string
  readonly nodes: readonly NodeProcess[]
  /** Settings of a node that takes part. */
  settings(more?: Readonly<Record<string, string | number | boolean>>): Record<string, string | number | boolean>
  stop(): Promise<void>
}

interface NetworkAnswer {
  readonly network: { readonly running: boolean; readonly lan_address: string; readonly relays: number }
}

/** Starts them, one after the other; settles when each runs. */
export async function startOverlayNodes({ community, relays, exits }: OverlayNodesOptions): Promise<OverlayNodes> {
  const nodes: NodeProcess[] = []
  let bootstrap = ':'
  const settings: OverlayNodes['settings'] = (more = {}) => ({
    'ipv8.address': '127.0.0.1',
    'ipv8.port': 0,
    'ipv8.bootstrap_override': bootstrap,
    'libtorrent.interface': '127.0.0.1',
    'libtorrent.port': 0,
    'tunnel_community.community_id': community,
    ...more,
  })
  const stop = async (): Promise<void> => void (await Promise.all(nodes.map(node => node.stop())))
  try {
    for (let at = 0; at < relays + exits; at += 1) {
      // Relays let packets of hidden swarms out, and here everything is on loopback.
      const always = { 'ipv8.start': 'always', 'tunnel_community.exit_allow_private': true }
      const exit = { 'tunnel_community.exitnode_enabled': true }
      const node = await startNode({ settings: settings({ ...always, ...(at < exits ? exit : {}) }) })
      nodes.push(node)
      const address = await runningAt(node)
      if (at === 0) bootstrap = address
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { bootstrap, nodes, settings, stop }
}

async function runningAt(node: NodeProcess): Promise<string> {
  let address = ''
  await waitFor('the overlay runs', async () => {
    const { network } = await node.get<NetworkAnswer>('/debug/circuits/network')
    address = network.lan_address
    return network.running
  })
  return address
}
