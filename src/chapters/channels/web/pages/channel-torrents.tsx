// The torrents of a channel: found by a part of their name, downloaded, and where this node may write added and
// removed.

import { useState } from 'preact/hooks'
import type { ChannelTorrent } from '../../client/routes.ts'
import { matching, named } from '../model/channel-words.ts'
import { removeTorrents, renameTorrent, torrentsOf } from '../node/channel-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { useChannelNews } from '../node/use-channel-news.ts'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { Check, Field } from '../../../../web/parts/field.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { TorrentRows } from '../parts/torrent-rows.tsx'
import { text } from '../texts/channel.ts'
import { ChannelAddDialog } from './channel-add-dialog.tsx'
import type { ChannelPartProps } from './channel-part.ts'

const EVERY_MS = 15_000

interface RenameDialogProps {
  readonly cid: string
  readonly torrent: ChannelTorrent
  changed(): void
  onClose(): void
}

function RenameDialog({ cid, torrent, changed, onClose }: RenameDialogProps) {
  const [name, setName] = useState(torrent.name)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!(await session.attempt(() => renameTorrent(cid, torrent.infohash, name.trim()), text('renamed')))) return
    changed()
    onClose()
  }
  return (
    <Dialog title={text('renameTitle')} onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <Field label={text('name')} value={name} set={setName} />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {text('cancel')}
          </button>
          <button type="submit" class="primary" disabled={name.trim() === '' || name.trim() === torrent.name}>
            {text('rename')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface SelectionProps {
  readonly cid: string
  /** The one that is selected, where it is one. */
  readonly single: ChannelTorrent | null
  readonly selected: ReadonlySet<string>
  clear(): void
  changed(): void
}

function Selection({ cid, single, selected, clear, changed }: SelectionProps) {
  const [renaming, setRenaming] = useState(false)
  const remove = async () => {
    await session.attempt(async () => {
      const failed = await removeTorrents(cid, [...selected])
      const done = selected.size - failed.length
      if (failed.length === 0) session.notify(text('removed', { count: done }))
      else session.notify(text('notRemoved', { count: failed.length }), 'bad')
    })
    clear()
    changed()
  }
  return (
    <div class="selection" role="toolbar" aria-label={text('selected')}>
      <strong>{text('selectedCount', { count: selected.size })}</strong>
      {single !== null && (
        <button type="button" onClick={() => setRenaming(true)}>
          {text('rename')}
        </button>
      )}
      <button type="button" onClick={() => void remove()}>
        <Icon name="trash" size={16} /> {text('removeFrom')}
      </button>
      <button type="button" class="quiet" onClick={clear}>
        {text('clear')}
      </button>
      {renaming && single !== null && (
        <RenameDialog cid={cid} torrent={single} changed={changed} onClose={() => setRenaming(false)} />
      )}
    </div>
  )
}

function TorrentTable({ torrents, mark }: { torrents: readonly ChannelTorrent[]; mark: MarkProps | null }) {
  const { shown, more } = useParts(torrents)
  const box = ({ selected, select }: MarkProps, { infohash, name }: ChannelTorrent) => (
    <input
      type="checkbox"
      aria-label={text('selectOne', { name: named(name, 'torrent') })}
      checked={selected.has(infohash)}
      onChange={event => {
        const next = new Set(selected)
        if (event.currentTarget.checked) next.add(infohash)
        else next.delete(infohash)
        select(next)
      }}
    />
  )
  return (
    <>
      <TorrentRows
        label={text('torrentsOf')}
        torrents={shown}
        {...(mark === null ? {} : { before: (torrent: ChannelTorrent) => box(mark, torrent) })}
      />
      {more}
    </>
  )
}

interface MarkProps {
  readonly selected: ReadonlySet<string>
  select(selected: ReadonlySet<string>): void
}

/**
 * The torrents of a channel: found by a part of their name, downloaded, and where this node may write added and
 * removed.
 */
export function ChannelTorrents({ channel, changed }: ChannelPartProps) {
  const { dispersy_cid: cid } = channel
  const [unfiltered, setUnfiltered] = useState(false)
  const [words, setWords] = useState('')
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const [adding, setAdding] = useState(false)
  const { value, problem, refresh } = useAnswer(
    signal => torrentsOf(cid, unfiltered, signal),
    [cid, unfiltered, channel.modified],
    EVERY_MS,
  )
  useChannelNews(cid, refresh)
  const changedHere = () => {
    refresh()
    changed()
  }
  const rows = matching(value ?? [], words)
  return (
    <section aria-label={text('torrents')} class="channel-part">
      <div class="part-tools">
        <input
          type="search"
          aria-label={text('filterLabel')}
          placeholder={text('filter')}
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
        <Check label={text('unfiltered')} value={unfiltered} set={setUnfiltered} />
        {channel.can_edit && (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            <Icon name="plus" size={16} /> {text('addTorrents')}
          </button>
        )}
      </div>
      {selected.size > 0 && (
        <Selection
          cid={cid}
          single={selected.size === 1 ? (value?.find(({ infohash }) => selected.has(infohash)) ?? null) : null}
          selected={selected}
          clear={() => select(new Set())}
          changed={changedHere}
        />
      )}
      {value === null ? (
        <p class="card muted">{problem === '' ? text('asking') : text('torrentsNotShown', { problem })}</p>
      ) : rows.length === 0 ? (
        <p class="nothing muted">{words === '' ? text('noTorrents') : text('noTorrentMatches')}</p>
      ) : (
        <TorrentTable torrents={rows} mark={channel.can_edit ? { selected, select } : null} />
      )}
      {adding && <ChannelAddDialog cid={cid} changed={changedHere} onClose={() => setAdding(false)} />}
    </section>
  )
}
