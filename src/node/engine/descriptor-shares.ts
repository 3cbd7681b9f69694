// How the descriptors that the system gives this process are shared out, so that none of its users takes the last one:
// what comes beyond a share is refused while there is still room for the node's own work (decision 0478).

import { readFileSync } from 'node:fs'
import type { Settings } from '../settings/settings-schema.ts'

/** Kept back whatever happens: the store, settings, logs, name servers, trackers. */
const KEPT_BACK = 32
/** What a node has open that does nothing. */
const AT_REST = 48
/** Connections of peers without a handshake, beside those that count. */
const MAX_PENDING = 100

/** Most descriptors of each kind. */
export interface DescriptorShares {
  /**
   * Connections of peers; those of them that may still be without handshake; files of downloads; connections of
   * clients.
   */
  readonly peers: number
  readonly pending: number
  readonly files: number
  readonly http: number
}

/** The limit of this process; null where it cannot be known. */
export function descriptorLimit(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))
    return found === null ? null : Number(found[1])
  } catch {
    return null
  }
}

/**
 * Peers get half at most, files a quarter, clients what is left: at least a quarter. `limit` null: nothing is held
 * back.
 */
export function descriptorShares(limit: number | null, wanted: { peers: number; files: number }): DescriptorShares {
  const room = limit === null ? Number.POSITIVE_INFINITY : Math.max(16, limit - KEPT_BACK - AT_REST)
  const part = (whole: number): number => Math.max(4, Math.floor(room / whole))
  const files = Math.min(wanted.files, part(4))
  const all = Math.min(wanted.peers + MAX_PENDING, part(2))
  const pending = Math.min(MAX_PENDING, Math.ceil(all / 4))
  return { files, pending, peers: Math.min(wanted.peers, all - pending), http: room - files - all }
}

/** As the settings want it. */
export function sharesOf({ libtorrent, disk }: Settings, limit: number | null = descriptorLimit()): DescriptorShares {
  return descriptorShares(limit, { peers: libtorrent.max_connections, files: disk.open_files })
}

/** A sentence where the limit lowers a setting; else null. */
export function shortageText(settings: Settings, limit: number | null = descriptorLimit()): string | null {
  const { peers, files } = sharesOf(settings, limit)
  const { libtorrent, disk } = settings
  if (peers >= libtorrent.max_connections && files >= disk.open_files) return null
  return (
    `This process may open ${limit} files and sockets: max_connections is held at ${peers}, open_files at ${files}. ` +
    'Raise the limit (ulimit -n, LimitNOFILE of a unit, --ulimit nofile of a container), or lower the settings.'
  )
}
