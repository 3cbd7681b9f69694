// How files are found for links.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MediaCatalogue } from '../../../../../src/chapters/dlna/core/media-catalogue.ts'
import { linkPath } from '../../../../../src/chapters/dlna/service/media-links.ts'
import { MediaStreams } from '../../../../../src/chapters/dlna/service/media-streams.ts'
import type { FurtherRequest } from '../../../../../src/http/further-listener.ts'
import { hashOf, madeDownload, MadeDownloads } from '../../kit/made-downloads.ts'

const KEY = 'abcdefghijklmnop'
const full = new MediaCatalogue([
  {
    infohash: hashOf(1),
    key: KEY,
    name: 'film',
    labels: [],
    addedSec: 1,
    complete: true,
    files: [{ index: 0, name: 'film 1.mkv', size: 1001, mime: 'video/x-matroska', subtitles: [] }],
  },
])
const empty = new MediaCatalogue([])

function rig(latest: MediaCatalogue): { looks: () => number; ask: () => Promise<string> } {
  let looks = 0
  const streams = new MediaStreams({
    grants: {
      opens: id => {
        const key = Buffer.alloc(32)
        return { id, ip: '10.0.0.1', name: '', key, firstSec: 1, lastSec: 1, allowed: true }
      },
    },
    library: {
      latest,
      current: async () => {
        looks += 1
        return full
      },
      mayPlay: async () => true,
    },
    downloads: new MadeDownloads([madeDownload(1)]).service,
  })
  const path = linkPath({ device: '0123456789ab', download: KEY, index: 0, token: 'A'.repeat(22) }, 'film.mkv')
  const request: FurtherRequest = {
    method: 'GET',
    path,
    remoteIp: '10.0.0.1',
    header: () => '',
    body: Buffer.alloc(0),
    signal: new AbortController().signal,
    cut: () => undefined,
  }
  return { looks: () => looks, ask: async () => (await streams.answer(request, () => '')).kind }
}

test('a seek in a film that is known costs no look at all downloads', async () => {
  const { looks, ask } = rig(full)
  assert.equal(await ask(), 'stream')
  assert.equal(looks(), 0)
})

test('a link to what the last look did not have is looked for', async () => {
  const { looks, ask } = rig(empty)
  assert.equal(await ask(), 'stream')
  assert.equal(looks(), 1)
})
