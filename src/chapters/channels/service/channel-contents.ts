// What is in channels: torrents, playlists, comments (spec 4.4 and 4.5; decision 0415). The library judges who may
// write, by the mode of the channel and its grants.

import { AppError } from '../../../base/errors.ts'
import type { ChannelLibrary, ListedComment, ListedPlaylist, ListedTorrent } from '../ports/channel-library.ts'
import { type ChannelsDeps, hides } from './channels.ts'
import type { ChannelContentsService, KnownTorrent, TextChange } from './channels-api.ts'
import type { ChannelTorrents } from './channel-torrents.ts'

/** What it needs of the node. */
export interface ChannelContentsDeps extends Pick<ChannelsDeps, 'library' | 'familyFilter'> {
  /** Torrents that come by upload, address or magnet. */
  torrents(library: ChannelLibrary): Pick<ChannelTorrents, 'addUpload' | 'addUri'>
}

/** What is in channels: torrents, playlists, comments (spec 4.4 and 4.5; decision 0415). */
export class ChannelContents implements ChannelContentsService {
  readonly #deps: ChannelContentsDeps

  constructor(deps: ChannelContentsDeps) {
    this.#deps = deps
  }

  async torrents(cid: string, unfiltered: boolean): Promise<ListedTorrent[]> {
    return (await this.#deps.library()).torrents(cid, hides(this.#deps, unfiltered))
  }

  async addUpload(cid: string, base64: string, description: string): Promise<void> {
    await this.#deps.torrents(await this.#deps.library()).addUpload(cid, base64, description)
  }

  async addUri(cid: string, uri: string, description: string, signal: AbortSignal): Promise<void> {
    await this.#deps.torrents(await this.#deps.library()).addUri(cid, uri, description, signal)
  }

  async editTorrent(cid: string, infohash: string, change: TextChange): Promise<boolean> {
    const library = await this.#deps.library()
    await library.channel(cid)
    if (Object.keys(change).length === 0) return false
    await library.editTorrent(cid, infohash, change)
    return true
  }

  async removeTorrents(cid: string, infohashes: readonly string[]): Promise<string[]> {
    const asked = [...new Set(infohashes)]
    const hashes = asked.filter(text => /^[0-9a-f]{40}$/.test(text))
    const library = await this.#deps.library()
    await library.channel(cid)
    const failed = new Set(hashes.length === 0 ? [] : await library.removeTorrents(cid, hashes))
    // What is no info hash is in no channel.
    return asked.filter(text => failed.has(text) || !hashes.includes(text))
  }

  async playlists(cid: string, unfiltered: boolean): Promise<ListedPlaylist[]> {
    return (await this.#deps.library()).playlists(cid, hides(this.#deps, unfiltered))
  }

  async createPlaylist(cid: string, name: string, description: string): Promise<void> {
    await (await this.#deps.library()).createPlaylist(cid, name, description)
  }

  async changePlaylist(cid: string, id: number, change: TextChange): Promise<void> {
    const library = await this.#deps.library()
    await library.channel(cid)
    if (Object.keys(change).length === 0) throw new AppError('NothingToChange')
    await library.changePlaylist(cid, id, change)
  }

  async removePlaylist(cid: string, id: number): Promise<void> {
    await (await this.#deps.library()).removePlaylist(cid, id)
  }

  async addToPlaylist(cid: string, id: number, infohash: string): Promise<void> {
    await (await this.#deps.library()).addToPlaylist(cid, id, infohash)
  }

  async removeFromPlaylist(cid: string, id: number, infohash: string): Promise<void> {
    await (await this.#deps.library()).removeFromPlaylist(cid, id, infohash)
  }

  async comments(cid: string): Promise<ListedComment[]> {
    return (await this.#deps.library()).comments(cid)
  }

  async comment(cid: string, infohash: string, text: string): Promise<void> {
    if (text.trim() === '') throw new AppError('InvalidParameter', 'A comment cannot be empty.')
    await (await this.#deps.library()).comment(cid, infohash === '' ? null : infohash, text)
  }

  async removeComment(cid: string, id: number): Promise<void> {
    await (await this.#deps.library()).removeComment(cid, id)
  }

  async torrent(infohash: string): Promise<KnownTorrent> {
    const found = await (await this.#deps.library()).torrent(infohash)
    if (found === null) throw new AppError('TorrentNotFound', 'No channel that is known here has this torrent.')
    return found
  }
}
