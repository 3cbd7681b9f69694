// The playlists of a channel: torrents of it put together under a name. Where this node may write they are made,
// changed, filled and removed.

import { useState } from 'preact/hooks'
import type { ChannelTorrent, Playlist } from '../../client/routes.ts'
import { countedTorrents, named } from '../model/channel-words.ts'
import { playlistsOf, removeFromPlaylist, removePlaylist, savePlaylist } from '../node/channel-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { useChannelNews } from '../node/use-channel-news.ts'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { Field } from '../../../../web/parts/field.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { TorrentRows } from '../parts/torrent-rows.tsx'
import { text } from '../texts/channel.ts'
import type { ChannelPartProps } from './channel-part.ts'
import { PlaylistFillDialog } from './playlist-fill-dialog.tsx'

const EVERY_MS = 15_000

interface WordsDialogProps {
  readonly cid: string
  /** Null: a new one. */
  readonly playlist: Playlist | null
  changed(): void
  onClose(): void
}

function WordsDialog({ cid, playlist, changed, onClose }: WordsDialogProps) {
  const [name, setName] = useState(playlist?.name ?? '')
  const [description, setDescription] = useState(playlist?.description ?? '')
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!(await session.attempt(() => savePlaylist(cid, playlist?.id ?? null, name.trim(), description)))) return
    changed()
    onClose()
  }
  return (
    <Dialog title={playlist === null ? text('newPlaylist') : text('changePlaylist')} onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <Field label={text('name')} value={name} set={setName} />
        <Field label={text('description')} value={description} set={setDescription} />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {text('cancel')}
          </button>
          <button type="submit" class="primary" disabled={name.trim() === ''}>
            {playlist === null ? text('makePlaylist') : text('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface PlaylistProps {
  readonly cid: string
  readonly playlist: Playlist
  readonly editable: boolean
  edit(): void
  fill(): void
  changed(): void
}

function Commands({ cid, playlist, edit, fill, changed }: PlaylistProps) {
  const remove = async () => {
    await session.attempt(() => removePlaylist(cid, playlist.id), text('playlistRemoved'))
    changed()
  }
  const name = named(playlist.name, 'playlist')
  return (
    <div class="commands" role="toolbar" aria-label={text('playlistNamed', { name })}>
      <button type="button" onClick={fill}>
        <Icon name="plus" size={16} /> {text('addTorrents')}
      </button>
      <button type="button" onClick={edit}>
        {text('change')}
      </button>
      <button type="button" onClick={() => void remove()}>
        <Icon name="trash" size={16} /> {text('remove')}
      </button>
    </div>
  )
}

function Playlist(props: PlaylistProps) {
  const { cid, playlist, editable, changed } = props
  const { shown, more } = useParts(playlist.torrents)
  const name = named(playlist.name, 'playlist')
  const takeOut = async ({ infohash }: ChannelTorrent) => {
    await session.attempt(() => removeFromPlaylist(cid, playlist.id, infohash))
    changed()
  }
  const takeOutButton = (torrent: ChannelTorrent) => (
    <button
      type="button"
      class="quiet"
      aria-label={text('takeOut', { torrent: named(torrent.name, 'torrent'), playlist: name })}
      onClick={() => void takeOut(torrent)}
    >
      <Icon name="close" size={16} />
    </button>
  )
  return (
    <section class="card wide playlist" data-playlist={playlist.id} aria-label={name}>
      <h2>
        <bdi>{name}</bdi> <span class="muted number">{countedTorrents(playlist.torrents.length)}</span>
      </h2>
      {playlist.description !== '' && (
        <p class="channel-description whole" dir="auto">
          {playlist.description}
        </p>
      )}
      {editable && <Commands {...props} />}
      {shown.length > 0 && (
        <TorrentRows
          label={text('torrentsOfPlaylist', { name })}
          torrents={shown}
          {...(editable ? { after: takeOutButton } : {})}
        />
      )}
      {more}
    </section>
  )
}

/** The playlists of a channel: torrents of it put together under a name. */
export function ChannelPlaylists({ channel }: ChannelPartProps) {
  const { dispersy_cid: cid, can_edit: editable } = channel
  const [editing, edit] = useState<Playlist | 'new' | null>(null)
  const [filling, fill] = useState<Playlist | null>(null)
  const ask = (signal: AbortSignal) => playlistsOf(cid, false, signal)
  const { value, problem, refresh } = useAnswer(ask, [cid, channel.modified], EVERY_MS)
  useChannelNews(cid, refresh)
  return (
    <section aria-label={text('playlists')} class="channel-part">
      {editable && (
        <div class="commands">
          <button type="button" class="primary" onClick={() => edit('new')}>
            <Icon name="plus" size={16} /> {text('newPlaylist')}
          </button>
        </div>
      )}
      {value === null && (
        <p class="card muted">{problem === '' ? text('asking') : text('playlistsNotShown', { problem })}</p>
      )}
      {value?.length === 0 && <p class="nothing muted">{text('noPlaylists')}</p>}
      {value?.map(playlist => (
        <Playlist
          key={playlist.id}
          {...{ cid, playlist, editable, changed: refresh }}
          edit={() => edit(playlist)}
          fill={() => fill(playlist)}
        />
      ))}
      {editing !== null && (
        <WordsDialog
          cid={cid}
          playlist={editing === 'new' ? null : editing}
          changed={refresh}
          onClose={() => edit(null)}
        />
      )}
      {filling !== null && (
        <PlaylistFillDialog cid={cid} playlist={filling} changed={refresh} onClose={() => fill(null)} />
      )}
    </section>
  )
}
