// Channels: those that were discovered, those that are followed, and own ones; the field that searches them all.

import { useState } from 'preact/hooks'
import type { Channel, ChannelNetworkState } from '../../client/routes.ts'
import { nothingDiscovered } from '../model/network-words.ts'
import { matching, ownAmong } from '../model/channel-words.ts'
import { whole } from '../../../../web/model/format.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { type ChannelListName, channelLists, listPlace } from '../model/channel-places.ts'
import { channelListsNow } from '../node/channel-requests.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { useChannelNews } from '../node/use-channel-news.ts'
import { ChannelRow } from '../parts/channel-row.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { text } from '../texts/channels.ts'
import { CreateChannelDialog } from './channel-create-dialog.tsx'
import { SearchField, SearchPart } from './channel-search.tsx'

const EVERY_MS = 10_000

const headings: Readonly<Record<ChannelListName, string>> = {
  discovered: text('discovered'),
  subscribed: text('subscribed'),
  own: text('own'),
}

type Lists = Readonly<Record<ChannelListName, readonly Channel[]>>

function Tabs({ lists, shown }: { lists: Lists; shown: ChannelListName }) {
  return (
    <nav class="groups" aria-label={text('lists')}>
      {channelLists.map(list => (
        <a
          key={list}
          class="button group"
          href={addressOf(listPlace(list))}
          aria-current={list === shown ? 'page' : undefined}
        >
          {headings[list]}
          <span class="count">{whole(lists[list].length)}</span>
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
      <ul class="channel-list" aria-label={text('channels')}>
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
    return <p class="card muted">{problem === '' ? text('asking') : text('notShown', { problem })}</p>
  }
  const own = ownAmong(value.discovered, value.subscribed)
  const lists: Lists = {
    discovered: value.discovered,
    subscribed: value.subscribed.filter(channel => !channel.own),
    own,
  }
  const rows = matching(lists[list], words)
  return (
    <>
      <div class="part-tools">
        <Tabs lists={lists} shown={list} />
        <input
          type="search"
          class="narrow-field"
          aria-label={text('filterLabel')}
          placeholder={text('filter')}
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
      </div>
      <p class="visually-hidden" role="status">
        {text('count', { count: rows.length })}
      </p>
      <Rows
        key={list}
        rows={rows}
        empty={words === '' ? emptyText(list, value.network) : text('noMatch')}
        changed={refresh}
      />
    </>
  )
}

function emptyText(list: ChannelListName, network: ChannelNetworkState | null): string {
  if (list === 'own') return text('noneOwn')
  return list === 'subscribed' ? text('noneSubscribed') : nothingDiscovered(network)
}

/** Channels: those that were discovered, those that are followed, and own ones; the field that searches them all. */
export function ChannelsPage({ list, query }: { list: ChannelListName; query: string }) {
  const [creating, setCreating] = useState(false)
  return (
    <div class="page channels">
      <header class="page-head">
        <h1>{text('channels')}</h1>
        <button type="button" onClick={() => setCreating(true)}>
          <Icon name="plus" size={16} /> {text('create')}
        </button>
      </header>
      <SearchField query={query} />
      {query === '' ? <ListPart list={list} /> : <SearchPart key={query} query={query} />}
      {creating && <CreateChannelDialog onClose={() => setCreating(false)} />}
    </div>
  )
}
