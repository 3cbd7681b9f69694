// A node's answers about channels, made up: for pages with what real nodes do not have at will, such as hundreds of
// channels and names that nobody should choose. Changes are noted and answered, nothing more.

import type { Page, Request } from 'playwright-core'
import type { ChannelFeed } from '../../../../src/chapters/channels/client/routes.ts'
import type {
  ListedChannel,
  ListedComment,
  ListedGrant,
  ListedPlaylist,
  ListedTorrent,
} from '../../../../src/chapters/channels/ports/channel-library.ts'
import type { NetworkStanding } from '../../../../src/chapters/channels/ports/channel-network.ts'

/** The key of the node. */
export const FAKE_AUTHOR = 'cd'.repeat(32)

/** A request that changes something. */
export interface NotedChange {
  readonly method: string
  /** Behind the node's address, as it was sent. */
  readonly path: string
  readonly body: unknown
}

/**
 * A node's answers about channels, made up: for pages with what real nodes do not have at will, such as hundreds of
 * channels and names that nobody should choose. Fields are what is answered from now on; contents are those of every
 * channel.
 */
export class FakeChannels {
  channels: ListedChannel[] = []
  torrents: ListedTorrent[] = []
  playlists: ListedPlaylist[] = []
  comments: ListedComment[] = []
  grants: ListedGrant[] = []
  feeds: Pick<ChannelFeed, 'url' | 'last_check' | 'next_check' | 'error'>[] = []
  network: NetworkStanding = { state: 'connected', peers: 3, setting: '', problem: '' }
  readonly changes: NotedChange[] = []
  /** Paths of all other requests. */
  readonly asked: string[] = []

  /** Answers the requests of a page from now on. */
  async show(page: Page): Promise<void> {
    await page.route(/\/(channels|search|torrents|mychannel)\b/, route => {
      const request = route.request()
      const { status, json } = this.#answer(request)
      return route.fulfill({ status, json })
    })
  }

  #answer(request: Request): { status: number; json: object } {
    const { pathname } = new URL(request.url())
    const path = pathname.slice(1)
    if (request.method() !== 'GET') {
      this.changes.push({ method: request.method(), path, body: request.postDataJSON() as unknown })
      return { status: 200, json: {} }
    }
    this.asked.push(path)
    const json = this.#read(path.split('/'))
    if (json !== null) return { status: 200, json }
    const error = { handled: true, code: 'ChannelNotFound', message: 'not known' }
    return { status: 404, json: { error } }
  }

  #read([first = '', second = '', cid = '', part = '']: readonly string[]): object | null {
    if (first === 'search') return second === 'completions' ? { completions: [] } : { queried: true }
    if (cid === 'health')
      return { health: { DHT: [{ seeders: 7, leechers: 1 }], 'http://t': [{ seeders: 2, leechers: 2 }] } }
    if (first === 'torrents') return { torrent: { trackers: [] } }
    if (second === 'author') return { author: FAKE_AUTHOR }
    if (second === 'subscribed') return { subscribed: this.channels.filter(({ subscribed }) => subscribed) }
    if (cid === '') return { channels: this.channels, network: this.network }
    const channel = this.channels.find(one => one.dispersy_cid === cid)
    if (channel === undefined) return null
    const { torrents, playlists, comments, grants, feeds: rssfeeds } = this
    return part === '' ? { channel } : { torrents, playlists, comments, grants, rssfeeds }
  }
}
