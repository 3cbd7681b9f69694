// Chooses torrents of a channel for one of its playlists.

import { useState } from 'preact/hooks'
import type { ChannelTorrent, Playlist } from '../../client/routes.ts'
import { matching, named } from '../model/channel-words.ts'
import { addToPlaylist, torrentsOf } from '../node/channel-requests.ts'
import { forMany } from '../../../../web/node/many.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { Check, Field } from '../../../../web/parts/field.tsx'
import { text } from '../texts/channel.ts'

/** More are found by a part of their name. */
const MAX_SHOWN = 50

interface PlaylistFillDialogProps {
  readonly cid: string
  readonly playlist: Playlist
  changed(): void
  onClose(): void
}

function Choices({ torrents, chosen, choose }: ChoicesProps) {
  const toggle = (infohash: string, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(infohash)
    else next.delete(infohash)
    choose(next)
  }
  return (
    <div class="choices" role="group" aria-label={text('torrentsOf')} tabIndex={0}>
      {torrents.slice(0, MAX_SHOWN).map(({ infohash, name }) => (
        <Check
          key={infohash}
          label={named(name, 'torrent')}
          value={chosen.has(infohash)}
          set={on => toggle(infohash, on)}
        />
      ))}
      {torrents.length > MAX_SHOWN && <p class="muted">{text('more', { count: torrents.length - MAX_SHOWN })}</p>}
      {torrents.length === 0 && <p class="muted">{text('nothingToAdd')}</p>}
    </div>
  )
}

interface ChoicesProps {
  readonly torrents: readonly ChannelTorrent[]
  readonly chosen: ReadonlySet<string>
  choose(chosen: ReadonlySet<string>): void
}

/** Chooses torrents of a channel for one of its playlists. */
export function PlaylistFillDialog({ cid, playlist, changed, onClose }: PlaylistFillDialogProps) {
  const [words, setWords] = useState('')
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const { value, problem } = useAnswer(signal => torrentsOf(cid, false, signal), [cid], 0)
  const inIt = new Set(playlist.torrents.map(({ infohash }) => infohash))
  const torrents = matching(
    (value ?? []).filter(({ infohash }) => !inIt.has(infohash)),
    words,
  )
  const submit = async (event: Event) => {
    event.preventDefault()
    const add = (infohash: string) => addToPlaylist(cid, playlist.id, infohash)
    const done = await forMany([...chosen], add)
    changed()
    if (done) onClose()
  }
  return (
    <Dialog title={text('addTo', { name: named(playlist.name, 'playlist') })} onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <Field label={text('filterLabel')} value={words} set={setWords} />
        {value === null ? (
          <p class="muted">{problem === '' ? text('asking') : problem}</p>
        ) : (
          <Choices torrents={torrents} chosen={chosen} choose={choose} />
        )}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {text('cancel')}
          </button>
          <button type="submit" class="primary" disabled={chosen.size === 0}>
            {text('add')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
