// A channel among eight built nodes: every node sees it, some hold all of it, changes arrive, its author goes for good
// and a late subscriber still gets everything, and no node keeps what a holder spoils. `make channels-30` is the same
// with thirty.

import { test } from 'node:test'
import { ChannelCrowd } from '../kit/channel-crowd.ts'

test('a channel of 1,000 torrents lives on eight nodes', async t => {
  const say = (line: string): void => t.diagnostic(line)
  const crowd = new ChannelCrowd({ nodes: 8, subscribers: 4, liars: 1, torrents: 1000, limitMs: 90_000, say })
  t.after(() => crowd.close())
  await crowd.live()
})
