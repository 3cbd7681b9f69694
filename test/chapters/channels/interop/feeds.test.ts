// Debian's nginx serves a feed and its torrents; a node puts them into a channel, asks nginx with conditions from then
// on, and offers the channel as a feed that Debian's qBittorrent reads.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NginxServer, startNginx } from '../../../kit/peers/nginx-server.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { QbittorrentPeer } from '../../../kit/peers/qbittorrent-peer.ts'
import { needs } from '../../../kit/requirements.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const IP = '10.77.0.1'
const torrents = [1, 2, 3].map(seed =>
  makeTorrent({ name: `film ${seed}`, seed, announce: [[`http://${IP}:9/announce`]] }),
)

/** What qBittorrent tells of an item. */
interface Article {
  readonly title: string
  readonly torrentURL: string
  readonly id: string
}

function atom(count: number): string {
  const entries = torrents
    .slice(0, count)
    .map(
      (_, at) =>
        `<entry><id>urn:film:${at}</id><title>film ${at + 1}</title><updated>2026-01-0${at + 1}T00:00:00Z</updated><link rel="enclosure" type="application/x-bittorrent" href="film-${at + 1}.torrent"/></entry>`,
    )
  return `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Films</title><id>urn:films</id><updated>2026-01-03T00:00:00Z</updated>${entries.toReversed().join('')}</feed>`
}

describe('feeds', { skip: needs('netns', 'nginx'), concurrency: 1 }, () => {
  let folder = ''
  let root = ''
  let nginx: NginxServer
  let node: NodeProcess
  let channel = ''

  before(async () => {
    folder = await mkdtemp(join(os.tmpdir(), 'tributary-feeds-'))
    root = join(folder, 'served')
    await mkdir(root)
    for (const [at, { torrent }] of torrents.entries()) await writeFile(join(root, `film-${at + 1}.torrent`), torrent)
    await writeFile(join(root, 'feed.xml'), atom(2))
    nginx = await startNginx(IP, root, join(folder, 'nginx'))
    node = await startNode({ settings: { 'network.allow_private': '10.77.0.0/16' } })
    const reply = await node.request('PUT', '/channels/discovered', { name: 'Films', description: 'Of nginx' })
    channel = `/channels/discovered/${reply.json<{ dispersy_cid: string }>().dispersy_cid}`
  })

  after(async () => {
    await node.stop()
    await nginx.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const names = async (): Promise<string[]> => {
    const answer = await node.get<{ torrents: { name: string }[] }>(`${channel}/torrents`)
    return answer.torrents.map(({ name }) => name).toSorted()
  }
  const recheck = async (): Promise<void> => {
    assert.equal((await node.request('POST', `${channel}/recheckfeeds`)).status, 200)
  }
  const statuses = async (): Promise<number[]> =>
    (await nginx.requests()).filter(({ path }) => path === '/feed.xml').map(({ status }) => status)

  test('torrents that nginx serves come into the channel; a feed that has not changed is 304', async () => {
    const url = encodeURIComponent(`${nginx.url}/feed.xml`)
    assert.equal((await node.request('PUT', `${channel}/rssfeeds/${url}`)).status, 200)
    await recheck()
    assert.deepEqual(await names(), ['film 1', 'film 2'])
    await recheck()
    assert.deepEqual(await statuses(), [200, 304])
    const asked = (await nginx.requests()).filter(({ path }) => path.endsWith('.torrent'))
    assert.equal(asked.length, 2)
  })

  test('a new item comes alone', async () => {
    await writeFile(join(root, 'feed.xml'), atom(3))
    await recheck()
    assert.deepEqual(await names(), ['film 1', 'film 2', 'film 3'])
    assert.deepEqual(await statuses(), [200, 304, 200])
    const asked = (await nginx.requests()).filter(({ path }) => path.endsWith('.torrent'))
    assert.deepEqual(
      asked.map(({ path }) => path),
      ['/film-1.torrent', '/film-2.torrent', '/film-3.torrent'],
    )
  })

  for (const format of ['rss_url', 'atom_url'] as const) {
    test(`qBittorrent reads the channel by ${format}`, {
      skip: needs('qbittorrent-nox'),
      timeout: 120_000,
    }, async () => {
      const links = await node.get<{ rss_url: string; atom_url: string }>(`${channel}/feedlinks`)
      const reader = await QbittorrentPeer.start(IP, join(folder, `reader-${format}`))
      try {
        const preferences = { rss_processing_enabled: true }
        await reader.call('app/setPreferences', new URLSearchParams({ json: JSON.stringify(preferences) }))
        await reader.call('rss/addFeed', new URLSearchParams({ url: links[format], path: '' }))
        let articles: readonly Article[] = []
        await waitFor(
          'qBittorrent has read the feed',
          async () => {
            const feeds = await reader.read<Record<string, { articles?: Article[] }>>('rss/items?withData=true')
            articles = Object.values(feeds)[0]?.articles ?? []
            return articles.length === torrents.length
          },
          60_000,
        )
        assert.deepEqual(articles.map(({ title }) => title).toSorted(), ['film 1', 'film 2', 'film 3'])
        for (const { infoHash } of torrents)
          assert.ok(articles.some(({ torrentURL }) => torrentURL.startsWith(`magnet:?xt=urn:btih:${infoHash}`)))
      } finally {
        await reader.stop()
      }
    })
  }
})
