// Nodes of the DHT as torrents without a tracker name them (BEP 5: `nodes`, a list of [host, port]). Text and numbers
// only: whether a host may be asked is for others to judge.

import type { BencodeValue } from '../bencode.ts'
import { utf8Text } from '../bencode.ts'
import { canonicalIp } from '../net/compact-address.ts'
import type { TorrentDhtNode } from '../metainfo/torrent-types.ts'

/** Most nodes of one torrent that are kept: BEP 5 asks for the 8 nearest, or for the one of who made the torrent. */
export const MAX_TORRENT_NODES = 20

/** As a name may look; longer ones are no names (RFC 1035). */
const HOST_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?\.?$/i

/**
 * What can be used of a `nodes`, each once, the first MAX_TORRENT_NODES; addresses in canonical form, names in lower
 * case.
 */
export function torrentNodes(value: BencodeValue | undefined): TorrentDhtNode[] {
  const contacts = new Map<string, TorrentDhtNode>()
  for (const item of Array.isArray(value) ? value : []) {
    if (contacts.size >= MAX_TORRENT_NODES) break
    const contact = contactOf(item)
    if (contact !== null) contacts.set(`${contact.host} ${contact.port}`, contact)
  }
  return [...contacts.values()]
}

function contactOf(item: BencodeValue): TorrentDhtNode | null {
  const [rawHost, port] = Array.isArray(item) ? item : []
  if (!(rawHost instanceof Uint8Array) || rawHost.length > 255) return null
  if (typeof port !== 'number' || port < 1 || port > 65_535) return null
  const text = utf8Text(rawHost)
  if (text === null) return null
  const host = canonicalIp(text) ?? (HOST_NAME.test(text) ? text.toLowerCase() : null)
  return host === null ? null : { host, port }
}
