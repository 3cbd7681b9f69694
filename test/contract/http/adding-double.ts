// Doubles of what is looked at before adding: complete records, every call noted.

import type { Caller } from '../../../src/services/api.ts'
import { HASH } from './sample-records.ts'

type Note = (name: string, ...values: unknown[]) => void

/** What a torrent has in it. */
const preview = {
  files: [{ index: 1, name: 'Extras/<b>a</b>.txt', size: 5 }],
  name: 'Film',
  infohash: HASH,
  private: false,
  download_exists: true,
}

/** What torrents are and have in them. */
export const torrentInfoDouble = (note: Note) => ({
  read: async (uri: string, _signal: AbortSignal) => {
    note('torrentInfo', uri)
    return { metainfo: [Buffer.from('{"info":{"name":"Film"}}')], infohash: HASH, download_exists: false }
  },
  files: async (uri: string, _signal: AbortSignal, hops?: number) => {
    note('torrentFiles', uri, hops)
    return { ...preview }
  },
  filesIn: async (bytes: Uint8Array) => {
    note('filesIn', bytes)
    return { ...preview }
  },
})

/** Folders of the node. */
export const foldersDouble = (note: Note, callers: Caller[]) => ({
  list: async (named: string | undefined, caller: Caller) => {
    note('folders', named)
    callers.push(caller)
    const [path, parent, roots] = [named ?? '/srv/media', '/srv', ['/srv/media', '/']]
    return {
      path,
      exists: true,
      parent,
      folders: ['Films', '<b>Serien</b>'],
      more: false,
      free_bytes: 5_000_000,
      roots,
    }
  },
})
