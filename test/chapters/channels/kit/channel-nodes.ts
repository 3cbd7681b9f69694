// Nodes as processes that meet in the overlay of channels over loopback, and what tests ask of their channels.

import assert from 'node:assert/strict'
import { type NodeProcess, type StartNodeOptions, startNode } from '../../../kit/nodes/node-process.ts'

/** Changes of others arrive within so long, ms. */
export const TOLD_LIMIT_MS = 30_000

interface Dispersy {
  readonly dispersy_statistics: { readonly lan_address: string }
}

interface Communities {
  readonly dispersy_community_statistics: readonly { readonly classification: string }[]
}

/** Starts `count` nodes; all but the first get the address of the first one. Channels run in each. */
export async function startChannelNodes(count: number, options: StartNodeOptions = {}): Promise<NodeProcess[]> {
  const nodes: NodeProcess[] = []
  try {
    const first = await startNode(options)
    nodes.push(first)
    await openChannels(first)
    // The port of the overlays, now that one of them runs.
    const { dispersy_statistics: found } = await first.get<Dispersy>('/statistics/dispersy')
    const settings = { ...options.settings, 'ipv8.bootstrap_override': found.lan_address }
    const others = Array.from({ length: count - 1 }, async () => {
      const node = await startNode({ ...options, settings })
      nodes.push(node)
      await openChannels(node)
    })
    await Promise.all(others)
    return nodes
  } catch (error) {
    await Promise.all(nodes.map(node => node.stop()))
    throw error
  }
}

/** The first request for channels starts them, and their overlay a little later. */
async function openChannels(node: NodeProcess): Promise<void> {
  await node.get('/channels/discovered')
  await node.until<Communities>('/statistics/communities', ({ dispersy_community_statistics: rows }) =>
    rows.some(({ classification }) => classification === 'ChannelCommunity'),
  )
}

/** A request that must be answered well. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what it expects
export async function askWell<T>(node: NodeProcess, method: string, path: string, body?: object): Promise<T> {
  const answer = await node.request(method, path, body)
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.body.toString()}`)
  return answer.json<T>()
}

/** The code a request is refused with. */
export async function refusalOf(node: NodeProcess, method: string, path: string, body?: object): Promise<string> {
  const answer = await node.request(method, path, body)
  assert.ok(answer.status >= 400, `${method} ${path} was answered well: ${answer.body.toString()}`)
  return answer.json<{ error: { code: string } }>().error.code
}

/** Makes a channel. Its id. */
export async function createChannel(node: NodeProcess, name: string, mode: string): Promise<string> {
  const body = { name, description: `About ${name}`, mode }
  const { dispersy_cid: cid } = await askWell<{ dispersy_cid: string }>(node, 'PUT', '/channels/discovered', body)
  return cid
}

/** Path of something of a channel. */
export function ofChannel(cid: string, rest = ''): string {
  return `/channels/discovered/${cid}${rest}`
}
