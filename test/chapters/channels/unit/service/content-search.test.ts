// Searches: what is here first, then what peers bring, each channel and torrent once, in bounded number; nothing after
// the stop.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type {
  ChannelLibrary,
  FoundTorrent,
  SearchResults,
} from '../../../../../src/chapters/channels/ports/channel-library.ts'
import { type ChannelNetwork, noChannelNetwork } from '../../../../../src/chapters/channels/ports/channel-network.ts'
import { ContentSearch } from '../../../../../src/chapters/channels/service/content-search.ts'
import { listedChannel, listedTorrent } from '../../kit/service-double.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'

const hashOf = (n: number): string => n.toString(16).padStart(40, '0')
const torrent = (n: number): FoundTorrent => ({
  ...listedTorrent,
  infohash: hashOf(n),
  dispersy_cid: hashOf(900),
  relevance_score: 1,
  trackers: ['http://t.example/announce'],
})
const torrents = (...numbers: number[]): SearchResults => ({ channels: [], torrents: numbers.map(torrent) })

interface Parts {
  readonly local?: SearchResults
  /** What each answer of a peer comes to. */
  readonly peers?: readonly SearchResults[]
  readonly network?: ChannelNetwork
  readonly asksPeers?: boolean
  readonly filter?: boolean
}

function searching({ local = torrents(), peers = [], network, asksPeers = true, filter = true }: Parts) {
  const told: string[] = []
  const asked: unknown[][] = []
  let answers = 0
  const library = {
    search: async (...call: unknown[]) => {
      asked.push(['search', ...call])
      return local
    },
    takeFound: async (...call: unknown[]) => {
      asked.push(['takeFound', ...call])
      return peers[answers++] ?? torrents()
    },
    completions: async (...call: unknown[]) => {
      asked.push(['completions', ...call])
      return ['films']
    },
  } as Partial<ChannelLibrary> as ChannelLibrary
  const answering: ChannelNetwork = {
    ...noChannelNetwork,
    search: async (_text, _limitMs, found) => {
      for (const _ of peers) found([new Uint8Array(1)])
    },
  }
  const search = new ContentSearch({
    library: async () => library,
    network: () => network ?? answering,
    familyFilter: () => filter,
    asksPeers: () => asksPeers,
    log: silentLog,
    events: {
      emit: (type, ...payload) => {
        const [{ query, result }] = payload as unknown as [
          { query: string; result: { infohash?: string; dispersy_cid: string } },
        ]
        told.push(`${type} ${query} ${Number.parseInt(result.infohash ?? result.dispersy_cid, 16)}`)
      },
    },
  })
  return { search, told, asked }
}

/** All that is settled by now has happened. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('what is here comes first, then what peers have; each torrent and channel once', async () => {
  const channel = { ...listedChannel, dispersy_cid: hashOf(7), relevance_score: 1 }
  const { search, told, asked } = searching({
    local: { channels: [channel], torrents: [torrent(1)] },
    peers: [torrents(1, 2), { channels: [channel], torrents: [torrent(2), torrent(3)] }],
  })
  await search.search('  old films ')
  await settled()
  const of = (kind: string, n: number) => `search_result_${kind} old films ${n}`
  assert.deepEqual(told, [of('channel', 7), of('torrent', 1), of('torrent', 2), of('torrent', 3)])
  assert.deepEqual(asked[0], ['search', 'old films', 100, true])
})

test('the family filter and the setting of searches are those of now', async () => {
  const { search, told, asked } = searching({ peers: [torrents(1)], asksPeers: false, filter: false })
  await search.search('x')
  assert.deepEqual(await search.completions(' fi '), ['films'])
  await settled()
  assert.deepEqual(told, [])
  assert.deepEqual(asked, [
    ['search', 'x', 100, false],
    ['completions', 'fi', 10, false],
  ])
})

test('blanks are nothing to search for', async () => {
  const { search } = searching({})
  await assert.rejects(search.search('  '), { code: 'InvalidParameter' })
  await assert.rejects(search.completions(' '), { code: 'InvalidParameter' })
})

test('peers that answer with thousands of torrents do not fill the log of events', async () => {
  const many = torrents(...Array.from({ length: 200 }, (_, at) => at + 1))
  const more = torrents(...Array.from({ length: 5000 }, (_, at) => at + 1000))
  const { search, told } = searching({ local: many, peers: [more, more] })
  await search.search('x')
  await settled()
  assert.equal(told.length, 300)
})

test('searches at a time are bounded; one that ended makes room', async () => {
  const ends: (() => void)[] = []
  const network: ChannelNetwork = {
    ...noChannelNetwork,
    search: () => new Promise(resolve => ends.push(resolve)),
  }
  const { search } = searching({ network })
  for (let at = 0; at < 16; at++) await search.search(`x${at}`)
  await assert.rejects(search.search('one more'), { code: 'TooManyRequests' })
  await settled()
  ends[0]?.()
  await settled()
  await search.search('one more')
})

test('a library that fails ends a search quietly, and no event comes after the stop', async () => {
  const broken = new ContentSearch({
    library: async () => {
      throw new AppError('NotReady')
    },
    network: () => noChannelNetwork,
    familyFilter: () => true,
    asksPeers: () => true,
    log: silentLog,
    events: { emit: () => undefined },
  })
  await assert.rejects(broken.search('x'), { code: 'NotReady' })
  let answer: () => void = () => undefined
  const network: ChannelNetwork = {
    ...noChannelNetwork,
    search: (_text, _limitMs, found) => {
      answer = () => found([new Uint8Array(1)])
      return new Promise(() => undefined)
    },
  }
  const { search, told } = searching({ local: torrents(1), peers: [torrents(2)], network })
  await search.search('x')
  await settled()
  search.stop()
  answer()
  await settled()
  assert.deepEqual(told, ['search_result_torrent x 1'])
  await assert.rejects(search.search('x'), { code: 'NotReady' })
})
