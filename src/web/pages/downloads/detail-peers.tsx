// The peers of a download: who they are, what they have and what goes to and fro. Others are called here, and addresses
// banned.

import { useState } from 'preact/hooks'
import type { Download, DownloadPeer } from '../../../client/core-routes.ts'
import { percent, rate } from '../../model/format.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/downloads/peers.ts'
import { AddPeer } from './add-peer.tsx'
import { BanDialog, BannedPeers } from './banned-peers.tsx'

const WEB_SEED = 1

const transports: Readonly<Record<number, string>> = { 0: 'TCP', [WEB_SEED]: text('webSeed'), 3: 'uTP' }

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

interface PeerRowProps {
  readonly peer: DownloadPeer
  /** It has an address that means it elsewhere too. */
  readonly bannable: boolean
  ban(): void
}

function PeerRow({ peer, bannable, ban }: PeerRowProps) {
  const label = text('banOne', { ip: peer.ip })
  return (
    <tr>
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
      <td class="right">
        {bannable && peer.connection_type !== WEB_SEED && (
          <button type="button" class="quiet" aria-label={label} title={label} onClick={ban}>
            <Icon name="close" size={16} />
          </button>
        )}
      </td>
    </tr>
  )
}

interface PeerTableProps {
  readonly peers: readonly DownloadPeer[]
  readonly bannable: boolean
  ban(ip: string): void
}

function PeerTable({ peers, bannable, ban }: PeerTableProps) {
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
            <th>
              <span class="visually-hidden">{text('commands')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {busy.slice(0, 400).map(peer => (
            <PeerRow
              key={`${peer.ip} ${peer.port} ${peer.id}`}
              peer={peer}
              bannable={bannable}
              ban={() => ban(peer.ip)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface DetailPeersProps {
  readonly record: Download
  /** Null: not known yet. */
  readonly peers: readonly DownloadPeer[] | null
}

/** The peers of a download, what they have and what goes to and fro; others are called here, addresses banned. */
export function DetailPeers({ record, peers }: DetailPeersProps) {
  const [banning, setBanning] = useState<string | null>(null)
  const banned = useAnswer(signal => session.api.call('GET /peers/banned', { signal }), [], 0)
  const addresses = banned.value?.banned ?? []
  return (
    <>
      {record.hops === 0 && <AddPeer infohash={record.infohash} />}
      {peers === null && <p class="nothing muted">{text('loading')}</p>}
      {peers?.length === 0 && <p class="nothing muted">{text('noPeers')}</p>}
      {peers !== null && peers.length > 0 && <PeerTable peers={peers} bannable={record.hops === 0} ban={setBanning} />}
      {addresses.length > 0 && <BannedPeers addresses={addresses} changed={banned.refresh} />}
      {banning !== null && <BanDialog ip={banning} banned={banned.refresh} onClose={() => setBanning(null)} />}
    </>
  )
}
