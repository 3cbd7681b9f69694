// A peer that a user names for a download (decision 0573).

import { AppError } from '../../../base/errors.ts'
import { canonicalIp, isPeerIp, parseIp } from '../../../wire/net/compact-address.ts'
import { parsePeerAddress } from '../../../wire/net/address-text.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { DownloadEntry } from '../download-entry.ts'

/**
 * Calls the peer at `text`, `192.0.2.1:6881` or `[2001:db8::1]:6881`; false: it is connected or called already.
 * AppErrors InvalidParameter (no such address), StateConflict (private torrent, circuits, a banned address, too many).
 */
export async function addPeer(entry: DownloadEntry, text: string): Promise<boolean> {
  const address = addressOf(text)
  const torrent = await entry.torrent.wake()
  // After the wait: meanwhile circuits may have been chosen, and a call in the open would tell of the download.
  if (entry.stored.hops > 0) {
    throw new AppError('StateConflict', 'The download goes over circuits, where peers have no addresses to call.')
  }
  if (torrent.metainfo?.private === true) {
    throw new AppError('StateConflict', 'A private torrent has the peers that its trackers name and no others.')
  }
  const call = torrent.callPeer(address)
  if (call === 'refused') {
    throw new AppError('StateConflict', `${address.ip} is banned or in an IP filter: lift its ban first.`)
  }
  if (call === 'full') throw new AppError('StateConflict', 'The download knows as many peers as it may.')
  return call === 'called'
}

function addressOf(text: string): PeerAddress {
  const address = parsePeerAddress(text.trim())
  const bytes = address === null ? null : parseIp(address.ip)
  const ip = address === null ? null : canonicalIp(address.ip)
  if (address === null || bytes === null || ip === null || !isPeerIp(bytes)) {
    throw new AppError(
      'InvalidParameter',
      'address: must be the IP address and port of a peer, as 192.0.2.1:6881 or [2001:db8::1]:6881.',
    )
  }
  return { ip, port: address.port }
}
