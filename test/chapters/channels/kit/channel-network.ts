// Nodes with the overlay of channels in memory, on virtual time: real overlays and messages, catalogues in memory,
// datagrams that may be lost.

import { ChannelMesh } from '../../../../src/chapters/channels/network/channel-mesh.ts'
import { TARGET_PEERS } from '../../../../src/chapters/channels/wiring/channel-overlay.ts'
import type { Community } from '../../../../src/chapters/overlay/core/index.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../../../src/chapters/overlay/wire/community-ids.ts'
import type { HubLine } from '../../../kit/sim/datagram-hub.ts'
import { MemoryCatalogue } from './memory-catalogue.ts'
import { OverlayNetwork, type OverlayNode } from '../../overlay/kit/overlay-network.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'

/** A node of it. */
export interface ChannelNode {
  readonly node: OverlayNode
  readonly catalogue: MemoryCatalogue
  readonly mesh: ChannelMesh
  readonly community: Community
}

/** A node that spoils what `spoil` says on the way out: packets of its overlay of channels, by their number. */
export function tamper(node: ChannelNode, spoil: (packet: Uint8Array) => Uint8Array): void {
  const { overlay } = node.community
  const send = overlay.sendBytes.bind(overlay)
  overlay.sendBytes = (packet, to) => send(spoil(packet), to)
}

/** Everything. */
export class ChannelNet {
  readonly net: OverlayNetwork
  readonly nodes: ChannelNode[] = []

  constructor(seed: number, line: Partial<HubLine> = {}) {
    this.net = new OverlayNetwork(seed, { minMs: 5, spreadMs: 10, ...line })
  }

  get clock(): OverlayNetwork['clock'] {
    return this.net.clock
  }

  /** A node more. `changed`: its catalogue as its overlay sees it. */
  async add(changed: (catalogue: MemoryCatalogue) => MemoryCatalogue = same => same): Promise<ChannelNode> {
    const node = await this.net.add()
    const catalogue = new MemoryCatalogue(node.name, () => Math.floor(this.clock.wallMs() / 1000))
    const communityId = communityIdBytes(COMMUNITY_IDS.channels) as Uint8Array
    const community = node.overlays.open({ communityId, name: 'ChannelCommunity', targetPeers: TARGET_PEERS })
    const deps = { community, clock: this.clock, random: this.net.random, log: silentLog }
    const made = { node, catalogue, community, mesh: new ChannelMesh({ ...deps, catalogue: changed(catalogue) }) }
    this.nodes.push(made)
    return made
  }

  /** So many more, and time to get to know each other. */
  async grow(count: number, settleMs = 30_000): Promise<readonly ChannelNode[]> {
    const made: ChannelNode[] = []
    for (let at = 0; at < count; at++) made.push(await this.add())
    await this.clock.advance(settleMs)
    return made
  }

  /** Takes a node away without a word. */
  async kill(node: ChannelNode): Promise<void> {
    this.nodes.splice(this.nodes.indexOf(node), 1)
    node.mesh.close()
    await this.net.kill(node.node)
  }

  async close(): Promise<void> {
    for (const { mesh } of this.nodes.splice(0)) mesh.close()
    await this.net.close()
  }
}
