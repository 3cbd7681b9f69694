// Thirty nodes, one channel, ten subscribers, five of them liars, and an eleventh that comes when the author is gone:
// prints how long it took.

import { ChannelCrowd } from './channel-crowd.ts'

// Each node that is started listens for the end of this process.
process.setMaxListeners(100)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const crowd = new ChannelCrowd({ nodes: 30, subscribers: 10, liars: 5, torrents: 1000, limitMs: 300_000, say })
try {
  await crowd.live()
} finally {
  await crowd.close()
}
