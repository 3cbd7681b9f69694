// Torrents of channels as a table: what they are, how alive their swarms were found, and a button that downloads.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ChannelTorrent } from '../../client/routes.ts'
import { ago, type FoundHealth, healthText, named } from '../model/channel-words.ts'
import { bytes } from '../../../../web/model/format.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { checkHealth, downloadTorrent } from '../node/channel-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { glanceOf } from '../../../../web/node/session.ts'
import { text } from '../texts/channels.ts'
import { Icon } from '../../../../web/parts/icons.tsx'

function DownloadButton({ torrent }: { torrent: ChannelTorrent }) {
  const { infohash } = torrent
  const name = named(torrent.name, 'torrent')
  if (glanceOf(session, infohash) !== null)
    return (
      <a
        class="button quiet"
        href={addressOf({ page: 'downloads', infohash, tab: 'overview' })}
        aria-label={text('openDownload', { name })}
      >
        <Icon name="check" size={16} />
        <span class="button-text">{text('open')}</span>
      </a>
    )
  const start = () => void session.attempt(() => downloadTorrent(torrent), text('started'))
  return (
    <button type="button" class="quiet" aria-label={text('downloadOf', { name })} onClick={start}>
      <Icon name="down" size={16} />
      <span class="button-text">{text('download')}</span>
    </button>
  )
}

/** What was last found; pressed, trackers and the DHT are asked now. */
function Health({ torrent }: { torrent: ChannelTorrent }) {
  const [found, setFound] = useState<FoundHealth | null>(null)
  const [asking, setAsking] = useState(false)
  const now = Math.floor(Date.now() / 1000)
  const told =
    found === null
      ? torrent
      : { ...torrent, num_seeders: found.seeders, num_leechers: found.leechers, last_tracker_check: now }
  const check = async () => {
    setAsking(true)
    await session.attempt(async () => {
      const answer = await checkHealth(torrent.infohash)
      if (answer === null) session.notify(text('noHealth'), 'bad')
      setFound(answer)
    })
    setAsking(false)
  }
  const age = ago(told.last_tracker_check, now)
  const health = asking ? text('checking') : healthText(told)
  return (
    <button
      type="button"
      class={`quiet health${told.last_tracker_check > 0 ? '' : ' muted'}`}
      disabled={asking}
      title={age === '' ? text('checkNow') : text('checkedAt', { when: age })}
      aria-label={text('healthOf', { health, name: named(torrent.name, 'torrent') })}
      onClick={() => void check()}
    >
      {health}
    </button>
  )
}

interface TorrentRowsProps<T extends ChannelTorrent> {
  readonly label: string
  readonly torrents: readonly T[]
  /** Stands below the name. */
  about?(torrent: T): ComponentChildren
  /** Stands before the name. */
  before?(torrent: T): ComponentChildren
  /** Stands behind the download button. */
  after?(torrent: T): ComponentChildren
}

/** Torrents of channels as a table: what they are, how alive their swarms were found, and a button that downloads. */
export function TorrentRows<T extends ChannelTorrent>({ label, torrents, about, before, after }: TorrentRowsProps<T>) {
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="table torrents">
        <thead>
          <tr>
            {before !== undefined && (
              <th>
                <span class="visually-hidden">{text('select')}</span>
              </th>
            )}
            <th>{text('name')}</th>
            <th class="right">{text('size')}</th>
            <th class="right">{text('health')}</th>
            <th>
              <span class="visually-hidden">{text('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {torrents.map(torrent => (
            <tr key={torrent.infohash} data-torrent={torrent.infohash}>
              {before !== undefined && <td class="torrent-mark">{before(torrent)}</td>}
              <td class="torrent-name">
                <bdi>{named(torrent.name, 'torrent')}</bdi>
                <span class="sub">
                  {torrent.category}
                  {about !== undefined && <> · {about(torrent)}</>}
                </span>
              </td>
              <td class="right number">{torrent.size > 0 ? bytes(torrent.size) : '–'}</td>
              <td class="right number">
                <Health torrent={torrent} />
              </td>
              <td class="right">
                <DownloadButton torrent={torrent} />
                {after?.(torrent)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
