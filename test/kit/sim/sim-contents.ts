// What torrents of a simulated session are woken from, as the records of the node have it.

import type { TorrentContentsSource } from '../../../src/ports/torrent-contents.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import type { MadeTorrent } from '../content/make-torrent.ts'
import type { SimNode } from './sim-swarm.ts'

/** Contents as the records of the node have them; `loads` counts, `fail` makes the next loads reject. */
export function contentsOf(torrents: readonly MadeTorrent[]) {
  const state = { loads: 0, fail: false }
  const contents = (node: () => SimNode): TorrentContentsSource => ({
    async load(infoHash) {
      state.loads += 1
      await new Promise(resolve => setImmediate(resolve))
      if (state.fail) throw new Error('the records are gone')
      const torrent = torrents.find(one => one.infoHash === infoHash)
      if (torrent === undefined) return null
      const metainfo = decodeMetainfo(torrent.torrent)
      return { metainfo, resume: node().journal.resume(infoHash, metainfo.pieceCount) }
    },
  })
  return { state, contents }
}
