// Searches channels and torrents, here and at other nodes: the field with its completions, and the results as they
// arrive.

import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { FoundResults, type FoundTorrent } from '../model/found-results.ts'
import { counted } from '../../../../web/model/format.ts'
import { named } from '../model/channel-words.ts'
import { addressOf, channelsHome } from '../../../../web/model/place.ts'
import { textOf } from '../../../../web/node/api.ts'
import { channelListsNow, completions, search } from '../node/channel-requests.ts'
import { go, session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { ChannelRow } from '../parts/channel-row.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { TorrentRows } from '../parts/torrent-rows.tsx'

/** Other nodes answer within this time, or not at all. */
const ANSWERS_MS = 10_000
/** Completions are asked for when nobody types for this long. */
const TYPING_MS = 150
const SHORTEST = 2

/** The field; on Enter the page of the results opens. */
export function SearchField({ query }: { query: string }) {
  const [text, setText] = useState(query)
  const [offers, setOffers] = useState<readonly string[]>([])
  const id = useId()
  useEffect(() => setText(query), [query])
  useEffect(() => {
    const ended = new AbortController()
    const timer = setTimeout(() => {
      const words = text.trim()
      if (words.length < SHORTEST || words === query) return setOffers([])
      // Without completions the field is as good.
      completions(words, ended.signal).then(setOffers, () => undefined)
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [text, query])
  const submit = (event: Event) => {
    event.preventDefault()
    const words = text.trim()
    go(words === '' ? channelsHome : { page: 'channels', list: 'discovered', query: words })
  }
  return (
    <form class="line-form channel-search" role="search" onSubmit={submit}>
      <label class="search">
        <Icon name="search" size={16} />
        <span class="visually-hidden">Search channels and torrents</span>
        <input
          type="search"
          list={`${id}-offers`}
          placeholder="Search channels and torrents"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      </label>
      <datalist id={`${id}-offers`}>
        {offers.map(offer => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
      <button type="submit" class="primary">
        Search
      </button>
    </form>
  )
}

interface Found {
  readonly results: FoundResults
  /** Others may still answer. */
  readonly waiting: boolean
  readonly problem: string
}

/** Starts the search and follows its results. */
function useSearch(query: string): Found {
  const results = useMemo(() => new FoundResults(query), [query])
  const [, setCount] = useState(0)
  const [waiting, setWaiting] = useState(true)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const ended = new AbortController()
    // Results may come before the answer does.
    const stop = session.watchEvents(event => {
      if (results.take(event)) setCount(results.count)
    })
    search(query, ended.signal).catch((error: unknown) => {
      if (!ended.signal.aborted) setProblem(textOf(error))
    })
    const late = setTimeout(() => setWaiting(false), ANSWERS_MS)
    return () => {
      ended.abort()
      stop()
      clearTimeout(late)
    }
  }, [results])
  return { results, waiting: waiting && problem === '', problem }
}

function statusText({ results, waiting, problem }: Found): string {
  if (problem !== '') return `The search failed: ${problem}`
  const found = `${counted(results.channels.length, 'channel')}, ${counted(results.torrents.length, 'torrent')}`
  if (waiting) return results.count === 0 ? 'Searching…' : `${found} so far. Others are being asked…`
  return results.count === 0 ? 'Nothing was found.' : `${found} found.`
}

function FoundTorrents({ torrents, nameOf }: { torrents: FoundTorrent[]; nameOf: (cid: string) => string }) {
  const { shown, more } = useParts(torrents)
  const channelOf = ({ dispersy_cid: cid }: FoundTorrent) => (
    <a href={addressOf({ page: 'channel', channel: cid, tab: 'torrents' })}>
      <bdi>{nameOf(cid)}</bdi>
    </a>
  )
  return (
    <section class="card wide" aria-labelledby="found-torrents">
      <h2 id="found-torrents">Torrents</h2>
      <TorrentRows label="Torrents found" torrents={shown} about={channelOf} />
      {more}
    </section>
  )
}

/** Results of one search. */
export function SearchPart({ query }: { query: string }) {
  const found = useSearch(query)
  const { value, refresh } = useAnswer(channelListsNow, [], 0)
  // By then the channels of what others told are known, with their names.
  useEffect(() => {
    if (!found.waiting) refresh()
  }, [found.waiting])
  const known = new Map(
    [...(value?.discovered ?? []), ...(value?.subscribed ?? [])].map(one => [one.dispersy_cid, one]),
  )
  const channels = found.results.channels.map(channel => known.get(channel.dispersy_cid) ?? channel)
  const nameOf = (cid: string) =>
    named((known.get(cid) ?? channels.find(one => one.dispersy_cid === cid))?.name ?? '', 'channel')
  return (
    <>
      <p role="status" class="muted" dir="auto">
        {statusText(found)}
      </p>
      {channels.length > 0 && (
        <ul class="channel-list" aria-label="Channels found">
          {channels.map(channel => (
            <ChannelRow key={channel.dispersy_cid} channel={channel} changed={refresh} />
          ))}
        </ul>
      )}
      {found.results.torrents.length > 0 && <FoundTorrents torrents={found.results.torrents} nameOf={nameOf} />}
    </>
  )
}
