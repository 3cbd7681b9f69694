// What modes and grants mean between two nodes: one owns a closed, a semi-open and an open channel, the other
// subscribes to all and tries what others may and may not. What one writes is seen by the other within seconds; what is
// not allowed is refused where it is asked for.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { askWell, createChannel, ofChannel, refusalOf, startChannelNodes, TOLD_LIMIT_MS } from '../kit/channel-nodes.ts'
import { followEvents } from '../../../kit/nodes/followed-events.ts'
import { type MadeTorrent, makeTorrent } from '../../../kit/content/make-torrent.ts'
import type { NodeProcess } from '../../../kit/nodes/node-process.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { CHANNEL_EVENTS } from '../kit/spec-records.ts'
import { assertValue, type Shape } from '../../../contract/spec/shapes.ts'

type Mode = 'closed' | 'semi-open' | 'open'
const MODES: readonly Mode[] = ['closed', 'semi-open', 'open']

interface Comment {
  readonly id: number
  readonly author: string
  readonly text: string
}

let owner: NodeProcess
let other: NodeProcess
const ids = {} as Record<Mode, string>
let count = 0

const newTorrent = (): MadeTorrent => {
  count += 1
  return makeTorrent({ name: `torrent ${count}`, length: 20_000, seed: 900 + count })
}
const upload = ({ torrent }: MadeTorrent) => ({ torrent: Buffer.from(torrent).toString('base64') })
const add = (node: NodeProcess, cid: string, made: MadeTorrent) =>
  askWell(node, 'PUT', ofChannel(cid, '/torrents'), upload(made))
const sees = (node: NodeProcess, cid: string, { infoHash }: MadeTorrent, there = true) =>
  node.until<{ torrents: { infohash: string }[] }>(
    ofChannel(cid, '/torrents'),
    ({ torrents }) => torrents.some(({ infohash }) => infohash === infoHash) === there,
    TOLD_LIMIT_MS,
  )
const seesComment = async (
  node: NodeProcess,
  cid: string,
  text: string,
  there = true,
): Promise<Comment | undefined> => {
  const { comments } = await node.until<{ comments: Comment[] }>(
    ofChannel(cid, '/comments'),
    found => found.comments.some(comment => comment.text === text) === there,
    TOLD_LIMIT_MS,
  )
  return comments.find(comment => comment.text === text)
}

describe('modes between two nodes', { concurrency: 1 }, () => {
  before(async () => {
    const [first, second] = await startChannelNodes(2)
    owner = first as NodeProcess
    other = second as NodeProcess
    for (const mode of MODES) ids[mode] = await createChannel(owner, `A ${mode} channel`, mode)
    for (const mode of MODES) await add(owner, ids[mode], newTorrent())
  })
  after(() => Promise.all([owner?.stop(), other?.stop()]))

  test('the other discovers all three, with their modes, and what it may do there', async () => {
    interface Row {
      readonly dispersy_cid: string
      readonly mode: Mode
      readonly own: boolean
      readonly can_edit: boolean
    }
    const { channels } = await other.until<{ channels: Row[] }>(
      '/channels/discovered',
      found => MODES.every(mode => found.channels.some(row => row.dispersy_cid === ids[mode])),
      TOLD_LIMIT_MS,
    )
    const facts = MODES.map(mode => {
      const row = channels.find(({ dispersy_cid: cid }) => cid === ids[mode])
      return [row?.mode, row?.own, row?.can_edit]
    })
    assert.deepEqual(facts, [
      ['closed', false, false],
      ['semi-open', false, false],
      ['open', false, true],
    ])
    for (const mode of MODES) {
      await askWell(other, 'PUT', `/channels/subscribed/${ids[mode]}`)
      await other.until<{ torrents: unknown[] }>(
        ofChannel(ids[mode], '/torrents'),
        ({ torrents }) => torrents.length === 1,
        TOLD_LIMIT_MS,
      )
    }
    // The owner counts who has subscribed.
    await owner.until<{ votes: number }>(`/channels/subscribed/${ids.open}`, ({ votes }) => votes === 1, TOLD_LIMIT_MS)
  })

  test('what it discovered it has told as events, each channel once', async t => {
    const stop = new AbortController()
    t.after(() => stop.abort())
    const types = ['channel_discovered', 'torrent_discovered']
    const events = await followEvents(other, types, stop.signal, 0)
    const of = (type: string) => events.filter(event => event.type === type).map(({ event }) => event ?? {})
    await waitFor('three channels and three torrents', () => types.every(type => of(type).length >= 3), TOLD_LIMIT_MS)
    const told = of('channel_discovered').map(event => [event['dispersy_cid'], event['name'], event['description']])
    const expected = MODES.map(mode => [ids[mode], `A ${mode} channel`, `About A ${mode} channel`])
    assert.deepEqual(told.sort(), expected.sort())
    for (const event of events) assertValue(event.event, CHANNEL_EVENTS[event.type] as Shape, event.type)
    const channels = of('torrent_discovered').map(event => event['dispersy_cid'])
    assert.deepEqual(channels.sort(), Object.values(ids).sort())
  })

  test('closed: the other neither adds nor comments, makes no lists and edits nothing', async () => {
    const cid = ids.closed
    const own = newTorrent()
    await add(owner, cid, own)
    await sees(other, cid, own)
    const asked: [string, string, object?][] = [
      ['PUT', '/torrents', upload(newTorrent())],
      ['PUT', '/comments', { text: 'May I?' }],
      ['PUT', '/playlists', { name: 'A list', description: 'of mine' }],
      ['PATCH', `/torrents/${own.infoHash}`, { name: 'Mine' }],
      ['PATCH', '', { name: 'Mine' }],
      ['PUT', '/grants', { contributor: 'ab'.repeat(32) }],
    ]
    for (const [method, rest, body] of asked)
      assert.equal(await refusalOf(other, method, ofChannel(cid, rest), body), 'NotChannelOwner', `${method} ${rest}`)
    const removed = await askWell(other, 'DELETE', ofChannel(cid, `/torrents/${own.infoHash}`))
    assert.deepEqual(removed, { removed: false, failed_torrents: [own.infoHash] })
  })

  test('semi-open: everybody comments, only the owner adds', async () => {
    const cid = ids['semi-open']
    const refused = await refusalOf(other, 'PUT', ofChannel(cid, '/torrents'), upload(newTorrent()))
    assert.equal(refused, 'NotChannelOwner')
    await askWell(other, 'PUT', ofChannel(cid, '/comments'), { text: 'Well done' })
    const seen = await seesComment(owner, cid, 'Well done')
    const { author } = await other.get<{ author: string }>('/channels/author')
    assert.equal(seen?.author, author)
    // The owner may take away what others said.
    await askWell(owner, 'DELETE', ofChannel(cid, `/comments/${seen?.id}`))
    await seesComment(other, cid, 'Well done', false)
  })

  test('open: everybody adds and takes away its own; the owner may take away anything', async () => {
    const cid = ids.open
    const [first, second, mine] = [newTorrent(), newTorrent(), newTorrent()]
    await add(other, cid, first)
    await add(other, cid, second)
    await sees(owner, cid, first)
    await sees(owner, cid, second)
    await askWell(other, 'PATCH', ofChannel(cid, `/torrents/${first.infoHash}`), { name: 'A better name' })
    await owner.until<{ torrents: { name: string }[] }>(
      ofChannel(cid, '/torrents'),
      ({ torrents }) => torrents.some(({ name }) => name === 'A better name'),
      TOLD_LIMIT_MS,
    )
    await add(owner, cid, mine)
    await sees(other, cid, mine)
    const tried = await askWell(other, 'DELETE', ofChannel(cid, `/torrents/${mine.infoHash},${first.infoHash}`))
    assert.deepEqual(tried, { removed: false, failed_torrents: [mine.infoHash] })
    await sees(owner, cid, first, false)
    await askWell(owner, 'DELETE', ofChannel(cid, `/torrents/${second.infoHash}`))
    await sees(other, cid, second, false)
    const list = { name: 'A list', description: 'of mine' }
    assert.equal(await refusalOf(other, 'PUT', ofChannel(cid, '/playlists'), list), 'NotChannelOwner')
  })

  test('whom the owner lets may add to a closed channel, then moderate, then nothing any more', async () => {
    const cid = ids.closed
    const { author: contributor } = await other.get<{ author: string }>('/channels/author')
    const let_ = (add_: boolean, moderate: boolean) =>
      askWell(owner, 'PUT', ofChannel(cid, '/grants'), { contributor, add: add_, moderate })
    const knows = (right: string) =>
      other.until<{ grants: { contributor: string; add: boolean; moderate: boolean }[] }>(
        ofChannel(cid, '/grants'),
        ({ grants }) => grants.map(grant => `${grant.add} ${grant.moderate}`).join() === right,
        TOLD_LIMIT_MS,
      )
    const [theirs, own] = [newTorrent(), newTorrent()]
    await add(owner, cid, own)
    await sees(other, cid, own)
    await let_(true, false)
    await knows('true false')
    await add(other, cid, theirs)
    await sees(owner, cid, theirs)
    const path = ofChannel(cid, `/torrents/${own.infoHash}`)
    assert.deepEqual(await askWell(other, 'DELETE', path), { removed: false, failed_torrents: [own.infoHash] })
    await let_(true, true)
    await knows('true true')
    assert.deepEqual(await askWell(other, 'DELETE', path), { removed: true })
    await sees(owner, cid, own, false)
    await let_(false, false)
    await knows('')
    const refused = await refusalOf(other, 'PUT', ofChannel(cid, '/torrents'), upload(newTorrent()))
    assert.equal(refused, 'NotChannelOwner')
    // What the owner had taken in stays.
    await sees(owner, cid, theirs)
  })

  test('a channel that becomes open lets others add from then on', async () => {
    const cid = ids['semi-open']
    await askWell(owner, 'PATCH', ofChannel(cid), { mode: 'open' })
    await other.until<{ channel: { can_edit: boolean } }>(
      ofChannel(cid),
      ({ channel }) => channel.can_edit,
      TOLD_LIMIT_MS,
    )
    const made = newTorrent()
    await add(other, cid, made)
    await sees(owner, cid, made)
  })
})
