// The seeder of small torrents for nodes that are killed. It stays alive itself.

import { type TestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { SEEDED_PIECE_BYTES, type SeededTorrent } from './kill-load.ts'

const TORRENTS = 8

/** A node at `ip` that seeds some small torrents. */
export async function startSeeder(
  folder: TestFolder,
  ip: string,
): Promise<{ node: NodeProcess; torrents: SeededTorrent[] }> {
  const home = await folder.sub('seeded')
  const node = await startNode({ settings: { 'libtorrent.interface': ip } })
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const torrents: SeededTorrent[] = []
  for (let n = 0; n < TORRENTS; n++) {
    const name = `${n}.bin`
    const made = makeTorrent({ name, length: 96 * 1024, pieceLength: SEEDED_PIECE_BYTES, seed: 100 + n })
    await writeContent(made, home, name)
    const infoHash = await addDownload(node, await writeTorrent(made, folder.path), home)
    await downloadComplete(node, infoHash)
    const magnet = `magnet:?xt=urn:btih:${infoHash}&x.pe=${ip}:${variables.ports['libtorrent~port']}`
    torrents.push({ infoHash, magnet, name, content: made.content })
  }
  return { node, torrents }
}
