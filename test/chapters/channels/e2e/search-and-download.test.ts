// A search on one node finds a torrent of another's channel that it has never heard of, each result once, and the
// torrent is downloaded to the end there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askWell, createChannel, ofChannel, startChannelNodes, TOLD_LIMIT_MS } from '../kit/channel-nodes.ts'
import { makeTestFolder, writeContent } from '../../../kit/content/content-on-disk.ts'
import { downloadUntil } from '../../../kit/nodes/downloads-client.ts'
import { startHttpTracker } from '../../../kit/peers/http-tracker.ts'
import { followEvents } from '../../../kit/nodes/followed-events.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import type { NodeProcess } from '../../../kit/nodes/node-process.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const NAME = 'Zebra crossings of Lisbon'

test('what another node publishes is found by its words and downloaded to the end', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const tracker = await startHttpTracker('127.0.0.1')
  t.after(() => tracker.stop())
  const made = makeTorrent({
    name: NAME,
    length: 300_000,
    announce: [[tracker.url]],
  })
  const [author, reader] = (await startChannelNodes(2)) as [NodeProcess, NodeProcess]
  t.after(() => Promise.all([author.stop(), reader.stop()]))
  const [source, target] = [await folder.sub('source'), await folder.sub('target')]
  await writeContent(made, source, NAME)
  await author.request('POST', `/downloads?destination=${encodeURIComponent(source)}`, Buffer.from(made.torrent))
  await downloadUntil(author, made.infoHash, record => record.status === 'DLSTATUS_SEEDING', 20_000)
  const cid = await createChannel(author, 'Pictures of streets', 'closed')
  const torrent = Buffer.from(made.torrent).toString('base64')
  await askWell(author, 'PUT', ofChannel(cid, '/torrents'), { torrent, description: 'Black and white' })

  const stop = new AbortController()
  t.after(() => stop.abort())
  const found = await followEvents(reader, ['search_result_channel', 'search_result_torrent'], stop.signal)
  const results = (type: string) => found.filter(each => each.type === type).map(({ event }) => event)
  // It is searched for again until the nodes have met.
  await waitFor(
    'the torrent is found',
    async () => {
      assert.deepEqual(await askWell(reader, 'GET', '/search?q=zebra+lisb'), { queried: true })
      await waitFor('an answer', () => results('search_result_torrent').length > 0, 2000).catch(() => undefined)
      return results('search_result_torrent').length > 0
    },
    TOLD_LIMIT_MS,
  )
  const { query, result: row } = results('search_result_torrent')[0] ?? {}
  const result = row as Record<string, unknown>
  assert.equal(query, 'zebra lisb')
  assert.deepEqual([result['infohash'], result['name'], result['dispersy_cid']], [made.infoHash, NAME, cid])

  found.length = 0
  await askWell(reader, 'GET', '/search?q=streets')
  await waitFor('the channel is found', () => results('search_result_channel').length > 0, TOLD_LIMIT_MS)
  const { result: channel } = results('search_result_channel')[0] ?? {}
  assert.equal((channel as Record<string, unknown>)['dispersy_cid'], cid)

  const link = String(result['infohash'])
  const trackers = (result['trackers'] as string[]).map(url => `&tr=${encodeURIComponent(url)}`).join('')
  await askWell(reader, 'PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${link}${trackers}`, destination: target })
  const done = await downloadUntil(reader, made.infoHash, record => record.status === 'DLSTATUS_SEEDING', 60_000)
  assert.equal(done.progress, 1)
  // Each result of a search once, though this node and the other both know it now.
  await askWell(reader, 'PUT', `/channels/subscribed/${cid}`)
  await reader.until<{ torrents: unknown[] }>(
    ofChannel(cid, '/torrents'),
    ({ torrents }) => torrents.length === 1,
    TOLD_LIMIT_MS,
  )
  found.length = 0
  await askWell(reader, 'GET', '/search?q=crossings')
  await waitFor('it is found here', () => results('search_result_torrent').length > 0, TOLD_LIMIT_MS)
  await askWell(reader, 'GET', '/search?q=nothing+of+the+kind')
  await askWell(reader, 'GET', '/search?q=pictures')
  await waitFor('the search after it was told', () => results('search_result_channel').length > 0, TOLD_LIMIT_MS)
  const once = results('search_result_torrent').filter(each => each?.['query'] === 'crossings')
  assert.equal(once.length, 1)
  const { completions } = await askWell<{ completions: string[] }>(reader, 'GET', '/search/completions?q=zeb')
  assert.ok(
    completions.some(text => text.toLowerCase().startsWith('zeb')),
    completions.join(),
  )
})
