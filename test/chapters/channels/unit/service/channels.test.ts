// Channels as a service: unknown ones are looked for before they are subscribed to, in bounded number; what is popular;
// what the family filter and rights are asked of.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { ChannelLibrary, ListedChannel } from '../../../../../src/chapters/channels/ports/channel-library.ts'
import { type ChannelNetwork, notStanding } from '../../../../../src/chapters/channels/ports/channel-network.ts'
import { ChannelContents } from '../../../../../src/chapters/channels/service/channel-contents.ts'
import { Channels, FIND_MS } from '../../../../../src/chapters/channels/service/channels.ts'
import { listedChannel } from '../../kit/service-double.ts'

const CID = 'c'.repeat(40)

interface Known {
  readonly channels?: readonly ListedChannel[]
  readonly find?: ChannelNetwork['find']
  readonly filter?: boolean
}

function channelsOf({ channels = [], find = async () => false, filter = true }: Known) {
  const calls: unknown[][] = []
  const note =
    <R>(name: string, answer: R) =>
    async (...call: unknown[]): Promise<R> => {
      calls.push([name, ...call])
      return answer
    }
  const library = {
    channel: async (cid: string) => {
      const found = channels.find(one => one.dispersy_cid === cid)
      if (found === undefined) throw new AppError('ChannelNotFound')
      return found
    },
    discovered: note('discovered', [...channels]),
    own: note('own', [...channels]),
    subscribe: note('subscribe', true),
    change: note('change', undefined),
    torrents: note('torrents', []),
    removeTorrents: note('removeTorrents', ['a'.repeat(40)]),
    changePlaylist: note('changePlaylist', undefined),
  } as Partial<ChannelLibrary> as ChannelLibrary
  const network: ChannelNetwork = {
    find,
    search: async () => undefined,
    hurry: channel => calls.push(['hurry', channel]),
  }
  const deps = { library: async () => library, network: () => network, familyFilter: () => filter }
  const torrents = () => ({ addUpload: async () => undefined, addUri: async () => undefined })
  return {
    channels: new Channels({ ...deps, standing: () => notStanding }),
    contents: new ChannelContents({ ...deps, torrents }),
    calls,
  }
}

test('an unknown channel is looked for, and subscribed to when it is found', async () => {
  const sought: unknown[][] = []
  const find = async (...call: unknown[]): Promise<boolean> => {
    sought.push(call)
    return true
  }
  const { channels, calls } = channelsOf({ find })
  await channels.subscribe(CID)
  assert.deepEqual(sought, [[CID, FIND_MS]])
  assert.deepEqual(calls, [
    ['subscribe', CID, true],
    ['hurry', CID],
  ])
  const nobody = channelsOf({})
  await assert.rejects(nobody.channels.subscribe(CID), { code: 'ChannelNotFound' })
  assert.deepEqual(nobody.calls, [])
})

test('a known channel is not looked for; of an own one nothing is fetched', async () => {
  const known = channelsOf({ channels: [{ ...listedChannel, dispersy_cid: CID }], find: () => assert.fail('asked') })
  await known.channels.subscribe(CID)
  const own = channelsOf({ channels: [{ ...listedChannel, dispersy_cid: CID, own: true }] })
  await own.channels.subscribe(CID)
  assert.deepEqual(own.calls, [['subscribe', CID, true]])
})

test('not more than sixteen channels are looked for at a time', async () => {
  const ends: ((found: boolean) => void)[] = []
  const { channels } = channelsOf({ find: () => new Promise(resolve => ends.push(resolve)) })
  const waiting = Array.from({ length: 16 }, () => channels.subscribe(CID))
  await new Promise(resolve => setImmediate(resolve))
  await assert.rejects(channels.subscribe(CID), { code: 'TooManyRequests' })
  for (const end of ends) end(true)
  await Promise.all(waiting)
})

test('popular: by votes, then time, then torrents, as many as are asked for', async () => {
  const rows: [number, number, number][] = [
    [1, 5, 5],
    [9, 1, 1],
    [1, 5, 9],
    [1, 7, 0],
  ]
  const listed = rows.map(([votes, modified, torrents], id) => ({ ...listedChannel, id, votes, modified, torrents }))
  const { channels, calls } = channelsOf({ channels: listed })
  const ids = async (limit: number) => (await channels.popular(limit)).map(({ id }) => id)
  assert.deepEqual(await ids(10), [1, 3, 2, 0])
  assert.deepEqual(await ids(2), [1, 3])
  assert.deepEqual(calls[0], ['discovered', true])
})

test('the first own channel is the one that was made first', async () => {
  const { channels } = channelsOf({ channels: [9, 3, 4].map(id => ({ ...listedChannel, id })) })
  assert.equal((await channels.mine()).id, 3)
  await assert.rejects(channelsOf({}).channels.mine(), { code: 'ChannelNotFound' })
})

test('changes: by the owner alone, names not of blanks, nothing for nothing', async () => {
  const own = channelsOf({ channels: [{ ...listedChannel, dispersy_cid: CID, own: true }] })
  assert.equal(await own.channels.change(CID, {}), false)
  await assert.rejects(own.channels.change(CID, { name: ' ' }), { code: 'InvalidParameter' })
  assert.deepEqual(own.calls, [])
  assert.equal(await own.channels.change(CID, { mode: 'open' }), true)
  assert.deepEqual(own.calls, [['change', CID, { mode: 'open' }]])
  const other = channelsOf({ channels: [{ ...listedChannel, dispersy_cid: CID }] })
  await assert.rejects(other.channels.change(CID, {}), { code: 'NotChannelOwner' })
  await assert.rejects(other.contents.changePlaylist(CID, 1, {}), { code: 'NothingToChange' })
})

test('lists are filtered unless the request or the setting says otherwise', async () => {
  const known = { channels: [{ ...listedChannel, dispersy_cid: CID }] }
  const asked = async (filter: boolean, unfiltered: boolean): Promise<unknown> => {
    const { contents, calls } = channelsOf({ ...known, filter })
    await contents.torrents(CID, unfiltered)
    return calls[0]?.[2]
  }
  assert.deepEqual([await asked(true, false), await asked(true, true), await asked(false, false)], [true, false, false])
})

test('of several torrents those that could not be removed are named in the order they were given', async () => {
  const { contents, calls } = channelsOf({ channels: [{ ...listedChannel, dispersy_cid: CID }] })
  const [good, failing] = ['b'.repeat(40), 'a'.repeat(40)]
  assert.deepEqual(await contents.removeTorrents(CID, ['zz', good, failing, good]), ['zz', failing])
  assert.deepEqual(calls, [['removeTorrents', CID, [good, failing]]])
})
