// A channel of a node as requests of the specification's table need it, and what they need in it.

import type { NodeProcess } from '../../../kit/nodes/node-process.ts'
import { FEED_URL, made as madeTorrent } from '../../../contract/spec/rig.ts'
import type { Ask, World } from '../../../contract/spec/routes.ts'
import type { MadeAsk } from '../../../contract/spec/spec-parts.ts'

let names = 0

/** A name that no channel has. */
function freshName(): string {
  names += 1
  return `Channel ${names}`
}

/** Makes a channel at `node`. Its id. */
export async function makeChannel(node: NodeProcess): Promise<string> {
  const { dispersy_cid: cid } = (await change(node, 'PUT', '/channels/discovered', { name: freshName() })).json<{
    dispersy_cid: string
  }>()
  return cid
}

async function change(node: NodeProcess, method: string, path: string, body?: object) {
  const answer = await node.request(method, path, body)
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.body.toString()}`)
  return answer
}

const torrentsOf = (cid: string): string => `/channels/discovered/${cid}/torrents`
const playlistsOf = (cid: string): string => `/channels/discovered/${cid}/playlists`

async function withTorrent(node: NodeProcess, cid: string, upload: string): Promise<void> {
  const { torrents } = await node.get<{ torrents: unknown[] }>(torrentsOf(cid))
  if (torrents.length === 0) await change(node, 'PUT', torrentsOf(cid), { torrent: upload })
}

/** A playlist with the torrent in it. Its id. */
async function withEntry(node: NodeProcess, cid: string, upload: string): Promise<string> {
  await withTorrent(node, cid, upload)
  await change(node, 'PUT', playlistsOf(cid), { name: 'A list', description: 'of torrents' })
  const { playlists } = await node.get<{ playlists: { id: number; torrents: unknown[] }[] }>(playlistsOf(cid))
  const id = String(playlists.find(({ torrents }) => torrents.length === 0)?.id)
  await change(node, 'PUT', `${playlistsOf(cid)}/${id}/${madeTorrent.infoHash}`)
  return id
}

/** A channel that is not the node's own any more, but known to it. Its id. */
async function otherChannel(node: NodeProcess): Promise<string> {
  const cid = await makeChannel(node)
  await change(node, 'DELETE', `/channels/discovered/${cid}`)
  return cid
}

/** Makes what the request needs at `node`; null: nothing of channels. */
export async function prepareChannel(node: NodeProcess, world: World, ask: Ask): Promise<MadeAsk | null> {
  const { channelid: cid, upload } = world
  const plain = { segments: ask.segments ?? {}, parameters: ask.parameters ?? {} }
  const elsewhere = (channelid: string, more: Readonly<Record<string, string>> = {}): MadeAsk => ({
    ...plain,
    segments: { ...plain.segments, channelid, ...more },
  })
  switch (ask.made) {
    case 'name':
      return { ...plain, parameters: { ...plain.parameters, name: freshName() } }
    case 'torrent':
      await withTorrent(node, cid, upload)
      return plain
    case 'no torrent':
      return elsewhere(await makeChannel(node))
    case 'entry':
      return elsewhere(cid, { playlistid: await withEntry(node, cid, upload) })
    case 'other channel':
      return elsewhere(await otherChannel(node))
    case 'feed': {
      const fresh = await makeChannel(node)
      await change(node, 'PUT', `/channels/discovered/${fresh}/rssfeeds/${encodeURIComponent(FEED_URL)}`)
      return elsewhere(fresh)
    }
    case 'subscription': {
      const other = await otherChannel(node)
      await change(node, 'PUT', `/channels/subscribed/${other}`)
      return elsewhere(other)
    }
    default:
      return null
  }
}
