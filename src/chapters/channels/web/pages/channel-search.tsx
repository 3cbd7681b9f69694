// Searches channels and torrents, here and at other nodes: the field with its completions, and the results as they
// arrive.

import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { FoundResults, type FoundTorrent } from '../model/found-results.ts'
import { countedTorrents, named } from '../model/channel-words.ts'
import { networkTrouble } from '../model/network-words.ts'
import type { ChannelNetworkState } from '../../client/routes.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { channelPlace, channelsHome, searchPlace } from '../model/channel-places.ts'
import { textOf } from '../../../../web/node/api.ts'
import { channelListsNow, completions, search } from '../node/channel-requests.ts'
import { go, session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { ChannelRow } from '../parts/channel-row.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { text } from '../texts/channels.ts'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { TorrentRows } from '../parts/torrent-rows.tsx'

/** Other nodes answer within this time, or not at all. */
const ANSWERS_MS = 10_000
/** Completions are asked for when nobody types for this long. */
const TYPING_MS = 150
const SHORTEST = 2

/** The field; on Enter the page of the results opens. */
export function SearchField({ query }: { query: string }) {
  const [typed, setTyped] = useState(query)
  const [offers, setOffers] = useState<readonly string[]>([])
  const id = useId()
  useEffect(() => setTyped(query), [query])
  useEffect(() => {
    const ended = new AbortController()
    const timer = setTimeout(() => {
      const words = typed.trim()
      if (words.length < SHORTEST || words === query) return setOffers([])
      // Without completions the field is as good.
      completions(words, ended.signal).then(setOffers, () => undefined)
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [typed, query])
  const submit = (event: Event) => {
    event.preventDefault()
    const words = typed.trim()
    go(words === '' ? channelsHome : searchPlace(words))
  }
  return (
    <form class="line-form channel-search" role="search" onSubmit={submit}>
      <label class="search">
        <Icon name="search" size={16} />
        <span class="visually-hidden">{text('searchLabel')}</span>
        <input
          type="search"
          list={`${id}-offers`}
          placeholder={text('searchLabel')}
          value={typed}
          onInput={event => setTyped(event.currentTarget.value)}
        />
      </label>
      <datalist id={`${id}-offers`}>
        {offers.map(offer => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
      <button type="submit" class="primary">
        {text('search')}
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

function statusText({ results, waiting, problem }: Found, network: ChannelNetworkState | null): string {
  if (problem !== '') return text('searchFailed', { problem })
  const cause = networkTrouble(network)
  const found = {
    channels: text('count', { count: results.channels.length }),
    torrents: countedTorrents(results.torrents.length),
  }
  // Whom nobody answers does not wait for answers.
  if (waiting && cause === '') return results.count === 0 ? text('searching') : text('foundSoFar', found)
  if (results.count > 0) return text('found', found)
  return cause === '' ? text('nothingFound') : text('nothingFoundHere', { cause })
}

function FoundTorrents({ torrents, nameOf }: { torrents: FoundTorrent[]; nameOf: (cid: string) => string }) {
  const { shown, more } = useParts(torrents)
  const channelOf = ({ dispersy_cid: cid }: FoundTorrent) => (
    <a href={addressOf(channelPlace(cid))}>
      <bdi>{nameOf(cid)}</bdi>
    </a>
  )
  return (
    <section class="card wide" aria-labelledby="found-torrents">
      <h2 id="found-torrents">{text('torrents')}</h2>
      <TorrentRows label={text('torrentsFound')} torrents={shown} about={channelOf} />
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
        {statusText(found, value?.network ?? null)}
      </p>
      {channels.length > 0 && (
        <ul class="channel-list" aria-label={text('channelsFound')}>
          {channels.map(channel => (
            <ChannelRow key={channel.dispersy_cid} channel={channel} changed={refresh} />
          ))}
        </ul>
      )}
      {found.results.torrents.length > 0 && <FoundTorrents torrents={found.results.torrents} nameOf={nameOf} />}
    </>
  )
}
