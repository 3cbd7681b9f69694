// What parts report while a torrent is being made: nothing is called through a part that is not there yet.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PartReports } from '../../../src/torrent/part-reports.ts'
import type { TorrentCore } from '../../../src/torrent/session/torrent-core.ts'
import { TorrentReactions } from '../../../src/torrent/session/torrent-reactions.ts'
import type { Metainfo } from '../../../src/wire/metainfo/torrent-types.ts'
import { FakeAnnouncers } from '../../kit/doubles/fake-announcers.ts'

const reports: Record<keyof PartReports, (to: PartReports) => void> = {
  pieceDone: to => to.pieceDone(0),
  piecesLost: to => to.piecesLost([0]),
  checkpoint: to => to.checkpoint(),
  storeFailed: to => to.storeFailed(new Error('disk')),
  failed: to => to.failed(new Error('all')),
  guilty: to => to.guilty(['10.0.0.1'], 'sent bad data'),
  metadataFound: to => to.metadataFound({} as Metainfo),
}

for (const [name, report] of Object.entries(reports)) {
  test(`${name} before all parts are made says so, and does nothing`, () => {
    const announcer = new FakeAnnouncers().create({ tiers: [] } as never)
    // A core that nobody may touch.
    const core = new Proxy({} as TorrentCore, {
      get: (_target, key) => assert.fail(`${String(key)} of the torrent was used`),
    })
    assert.throws(() => report(new TorrentReactions(core, announcer)), /before all parts were made/)
  })
}
