// Parts 4.3 to 4.6 of the specification as rows of the table in test/contract/spec/routes.ts: channels, their torrents,
// playlists, feeds. What a request needs is made just before it.

import { CHANNEL, CHANNEL_TORRENT, PLAYLIST, RSS_FEED, STANDING } from './spec-records.ts'
import type { Ask, SpecAnswer, SpecParameter, SpecRoute } from '../../../contract/spec/routes.ts'
import type { Shape } from '../../../contract/spec/shapes.ts'

const once = (): readonly Ask[] => [{}]
const json = (fields: Readonly<Record<string, Shape>>, more: object = {}): SpecAnswer => ({ json: { fields, ...more } })
const string: SpecParameter = { type: 'string' }
const needed: SpecParameter = { type: 'string', required: true }
const CHANNEL_PATH = '/channels/discovered/{channelid}'

const row = (
  part: '4.3' | '4.4' | '4.5' | '4.6',
  method: SpecRoute['method'],
  path: string,
  rest: Omit<SpecRoute, 'part' | 'method' | 'path' | 'status' | 'parameters' | 'asks'> &
    Partial<Pick<SpecRoute, 'parameters' | 'asks'>>,
): SpecRoute => ({ part, method, path, status: 200, parameters: {}, asks: once, ...rest })

const channels: readonly SpecRoute[] = [
  row('4.3', 'GET', '/channels/discovered', {
    extraParameters: ['disable_filter'],
    answer: json({ channels: { list: CHANNEL } }, { extra: { network: STANDING } }),
    failures: [400, 503],
  }),
  row('4.3', 'PUT', '/channels/discovered', {
    parameters: {
      name: needed,
      description: string,
      mode: { type: { values: ['open', 'semi-open', 'closed'] } },
    },
    answer: json({ added: 'integer' }, { extra: { dispersy_cid: 'string' } }),
    failures: [400, 413, 500, 503],
    asks: () => [
      { parameters: { name: 'Films', description: 'Old ones' }, made: 'name' },
      { parameters: { name: 'Films', mode: 'open' }, made: 'name' },
      { parameters: { name: 'Films', mode: 'semi-open', description: '' }, made: 'name' },
    ],
  }),
  row('4.3', 'GET', CHANNEL_PATH, {
    answer: json(
      { overview: { fields: { name: 'string', description: 'string', identifier: 'string' } } },
      { extra: { channel: CHANNEL } },
    ),
    failures: [404, 503],
  }),
  row('4.3', 'GET', '/channels/subscribed', {
    answer: json({ subscribed: { list: CHANNEL } }),
    failures: [503],
  }),
  row('4.3', 'GET', '/channels/subscribed/{channelid}', {
    answer: json({ subscribed: 'boolean', votes: 'integer' }),
    failures: [404, 503],
  }),
  row('4.3', 'PUT', '/channels/subscribed/{channelid}', {
    answer: json({ subscribed: 'boolean' }),
    failures: [404, 409, 503],
    asks: () => [{ made: 'other channel' }],
  }),
  row('4.3', 'DELETE', '/channels/subscribed/{channelid}', {
    answer: json({ unsubscribed: 'boolean' }),
    failures: [404, 503],
    asks: () => [{ made: 'subscription' }],
  }),
]

const torrents: readonly SpecRoute[] = [
  row('4.4', 'GET', `${CHANNEL_PATH}/torrents`, {
    parameters: { disable_filter: { type: 'boolean' } },
    answer: json({ torrents: { list: CHANNEL_TORRENT } }),
    failures: [400, 404, 503],
    asks: () => [{ made: 'torrent' }, { parameters: { disable_filter: 1 } }],
  }),
  row('4.4', 'PUT', `${CHANNEL_PATH}/torrents`, {
    parameters: { torrent: needed, description: string },
    answer: json({ added: 'boolean' }),
    failures: [400, 404, 413, 500, 503],
    asks: ({ upload: torrent }) => [
      { parameters: { torrent }, made: 'no torrent' },
      { parameters: { torrent, description: 'Three files' }, made: 'no torrent' },
    ],
  }),
  row('4.4', 'PUT', `${CHANNEL_PATH}/torrents/{torrent}`, {
    parameters: { description: string },
    answer: json({ added: 'string' }),
    failures: [400, 404, 413, 500, 503],
    asks: ({ link: torrent, magnet }) => [
      { segments: { torrent }, made: 'no torrent' },
      { segments: { torrent: magnet }, parameters: { description: 'Three files' }, made: 'no torrent' },
    ],
  }),
  row('4.4', 'DELETE', `${CHANNEL_PATH}/torrents/{torrent}`, {
    answer: json({ removed: 'boolean' }, { asked: { failed_torrents: { list: 'string' } } }),
    failures: [404, 503],
    asks: ({ infohash }) => [
      { segments: { torrent: infohash }, made: 'torrent' },
      { segments: { torrent: `${'f'.repeat(40)},${infohash},nonsense` }, made: 'torrent', asked: ['failed_torrents'] },
    ],
  }),
]

const playlists: readonly SpecRoute[] = [
  row('4.5', 'GET', `${CHANNEL_PATH}/playlists`, {
    parameters: { disable_filter: { type: 'boolean' } },
    answer: json({ playlists: { list: PLAYLIST } }),
    failures: [400, 404, 503],
    asks: () => [{ made: 'entry' }, { parameters: { disable_filter: true } }],
  }),
  row('4.5', 'PUT', `${CHANNEL_PATH}/playlists`, {
    parameters: { name: needed, description: needed },
    answer: json({ created: 'boolean' }),
    failures: [400, 404, 413, 503],
    asks: () => [{ parameters: { name: 'Best', description: 'Of the year' } }],
  }),
  row('4.5', 'POST', `${CHANNEL_PATH}/playlists/{playlistid}`, {
    parameters: { name: string, description: string },
    answer: json({ modified: 'boolean' }),
    failures: [400, 404, 413, 503],
    asks: () => [
      { parameters: { name: 'Better', description: 'Of all years' }, made: 'entry' },
      { parameters: { name: 'Better' }, made: 'entry' },
      { parameters: { description: 'None' }, made: 'entry' },
    ],
  }),
  row('4.5', 'DELETE', `${CHANNEL_PATH}/playlists/{playlistid}`, {
    answer: json({ removed: 'boolean' }),
    failures: [404, 503],
    asks: () => [{ made: 'entry' }],
  }),
]

const feeds: readonly SpecRoute[] = [
  row('4.6', 'GET', `${CHANNEL_PATH}/rssfeeds`, {
    answer: json({ rssfeeds: { list: RSS_FEED } }),
    failures: [404, 503],
    asks: () => [{}, { made: 'feed' }],
  }),
  row('4.6', 'PUT', `${CHANNEL_PATH}/rssfeeds/{url}`, {
    answer: json({ added: 'boolean' }),
    failures: [400, 404, 409, 503],
    asks: () => [{ made: 'no torrent' }],
  }),
  row('4.6', 'DELETE', `${CHANNEL_PATH}/rssfeeds/{url}`, {
    answer: json({ removed: 'boolean' }),
    failures: [404, 503],
    asks: () => [{ made: 'feed' }],
  }),
  row('4.6', 'POST', `${CHANNEL_PATH}/recheckfeeds`, {
    answer: json({ rechecked: 'boolean' }),
    failures: [404, 503],
    asks: () => [{}, { made: 'feed' }],
  }),
]

/** Every row of 4.3 to 4.6. */
export const CHANNEL_ROUTES: readonly SpecRoute[] = [...channels, ...torrents, ...playlists, ...feeds]
