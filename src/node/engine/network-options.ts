// The settings of section libtorrent that say where the node may go, as the network stack takes them (decision 0252).

import type { NetworkStackOptions } from '../../io/net/network-stack.ts'
import { proxyFromSettings } from '../../io/proxy/proxy-config.ts'
import { decodeListenList } from '../../wire/net/listen-list.ts'
import type { Settings } from '../settings/settings-schema.ts'

/** Throws AppError InvalidSetting for a proxy that cannot be used as it is written. */
export function networkOptions(libtorrent: Settings['libtorrent']): NetworkStackOptions {
  return {
    bindTo: decodeListenList(libtorrent.interface),
    proxy: proxyFromSettings(libtorrent),
    proxyPeers: libtorrent.proxy_peer_connections,
    proxyTrackers: libtorrent.proxy_tracker_connections,
    forceProxy: libtorrent.force_proxy,
  }
}
