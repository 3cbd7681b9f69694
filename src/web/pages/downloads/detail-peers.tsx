// The peers of a download: who they are, what they have and what goes to and fro.

import type { DownloadPeer } from '../../../client/core-routes.ts'
import { percent, rate } from '../../model/format.ts'
import { text } from '../../texts/downloads/detail.ts'

const transports: Readonly<Record<number, string>> = { 0: 'TCP', 1: text('webSeed'), 3: 'uTP' }

/** What is going on with a peer, in words. */
function traits(peer: DownloadPeer): string {
  const parts = [
    transports[peer.connection_type] ?? '',
    peer.direction === 'L' ? text('outgoing') : text('incoming'),
    peer.encryption === '' ? '' : text('encrypted'),
    peer.snubbed ? text('snubbed') : '',
    peer.optimistic ? text('optimistic') : '',
  ]
  return parts.filter(part => part !== '').join(', ')
}

/** The peers of a download: who they are, what they have and what goes to and fro. Null: not known yet. */
export function DetailPeers({ peers }: { peers: readonly DownloadPeer[] | null }) {
  if (peers === null) return <p class="nothing muted">{text('loading')}</p>
  if (peers.length === 0) return <p class="nothing muted">{text('noPeers')}</p>
  const busy = peers.toSorted((a, b) => b.downrate + b.uprate - a.downrate - a.uprate)
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={text('peers')}>
      <table class="table">
        <thead>
          <tr>
            <th>{text('peer')}</th>
            <th class="right">{text('has')}</th>
            <th class="right">{text('down')}</th>
            <th class="right">{text('up')}</th>
          </tr>
        </thead>
        <tbody>
          {busy.slice(0, 400).map(peer => (
            <tr key={`${peer.ip} ${peer.port} ${peer.id}`}>
              <td>
                <bdi class="peer-client">{peer.client === '' ? text('unknownClient') : peer.client}</bdi>
                <span class="sub number">
                  <bdi>{peer.ip}</bdi>
                  {peer.port > 0 ? ` ${text('port', { port: peer.port })}` : ''} · {traits(peer)}
                </span>
              </td>
              <td class="right number">{percent(peer.completed)}</td>
              <td class="right number">{rate(peer.downrate) || '–'}</td>
              <td class="right number">{rate(peer.uprate) || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
