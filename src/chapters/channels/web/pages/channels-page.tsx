// Channels: those that were discovered, those that are followed, and own ones; the field that searches them all.

import { useState } from 'preact/hooks'
import type { Channel } from '../../client/routes.ts'
import { matching, ownAmong } from '../model/channel-words.ts'
import { counted } from '../../../../web/model/format.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { type ChannelListName, channelLists, listPlace } from '../model/channel-places.ts'
import { channelListsNow } from '../node/channel-requests.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { useChannelNews } from '../node/use-channel-news.ts'
import { ChannelRow } from '../parts/channel-row.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { CreateChannelDialog } from './channel-create-dialog.tsx'
import { SearchField, SearchPart } from './channel-search.tsx'

const EVERY_MS = 10_000

const nothing: Readonly<Record<ChannelListName, string>> = {
  discovered:
    'No channel has been discovered yet. They come from other nodes within minutes, once this one has met some.',
  subscribed: 'You follow no channel. What you subscribe to is held here and kept up to date.',
  own: 'You have no channel. Create one to publish torrents under your own name.',
}

type Lists = Readonly<Record<ChannelListName, readonly Channel[]>>

function Tabs({ lists, shown }: { lists: Lists; shown: ChannelListName }) {
  return (
    <nav class="groups" aria-label="Lists of channels">
      {channelLists.map(([list, heading]) => (
        <a
          key={list}
          class="button group"
          href={addressOf(listPlace(list))}
          aria-current={list === shown ? 'page' : undefined}
        >
          {heading}
          <span class="count">{lists[list].length.toLocaleString('en')}</span>
        </a>
      ))}
    </nav>
  )
}

function Rows({ rows, empty, changed }: { rows: readonly Channel[]; empty: string; changed: () => void }) {
  const { shown, more } = useParts(rows)
  if (rows.length === 0) return <p class="nothing muted">{empty}</p>
  return (
    <>
      <ul class="channel-list" aria-label="Channels">
        {shown.map(channel => (
          <ChannelRow key={channel.dispersy_cid} channel={channel} changed={changed} />
        ))}
      </ul>
      {more}
    </>
  )
}

function ListPart({ list }: { list: ChannelListName }) {
  const { value, problem, refresh } = useAnswer(channelListsNow, [], EVERY_MS)
  const [words, setWords] = useState('')
  useChannelNews('', refresh)
  if (value === null) {
    return <p class="card muted">{problem === '' ? 'Asking the node…' : `Channels are not shown: ${problem}`}</p>
  }
  const own = ownAmong(value.discovered, value.subscribed)
  const lists: Lists = { ...value, subscribed: value.subscribed.filter(channel => !channel.own), own }
  const rows = matching(lists[list], words)
  return (
    <>
      <div class="part-tools">
        <Tabs lists={lists} shown={list} />
        <input
          type="search"
          class="narrow-field"
          aria-label="Show channels with these words"
          placeholder="Narrow the list"
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
      </div>
      <p class="visually-hidden" role="status">
        {counted(rows.length, 'channel')}
      </p>
      <Rows
        key={list}
        rows={rows}
        empty={words === '' ? nothing[list] : 'No channel has these words.'}
        changed={refresh}
      />
    </>
  )
}

/** Channels: those that were discovered, those that are followed, and own ones; the field that searches them all. */
export function ChannelsPage({ list, query }: { list: ChannelListName; query: string }) {
  const [creating, setCreating] = useState(false)
  return (
    <div class="page channels">
      <header class="page-head">
        <h1>Channels</h1>
        <button type="button" onClick={() => setCreating(true)}>
          <Icon name="plus" size={16} /> Create a channel
        </button>
      </header>
      <SearchField query={query} />
      {query === '' ? <ListPart list={list} /> : <SearchPart key={query} query={query} />}
      {creating && <CreateChannelDialog onClose={() => setCreating(false)} />}
    </div>
  )
}
