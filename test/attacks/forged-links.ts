// Keys in addresses that foreign pages ask for, and signed links with one byte changed.

import type { NodeProcess } from '../kit/nodes/node-process.ts'
import { ask } from './raw-request.ts'
import type { Tally } from './tally.ts'

/** Keys in addresses that foreign pages ask for, and signed links with one byte changed. */
export async function forge(tally: Tally, node: NodeProcess, infoHash: string) {
  for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1.evil.example', 'https://127.0.0.1']) {
    const headers = { origin, 'sec-fetch-site': 'cross-site' }
    const answer = await ask(node.port, 'GET', `/settings?key=${node.key}`, { headers })
    tally.check('no foreign origin with a key in its address', answer.status >= 400, () => `${origin} ${answer.status}`)
  }
  for (let wrong = 0; wrong < 30; wrong++)
    void ask(node.port, 'GET', `/state?key=wrong${wrong}`, {
      headers: { 'sec-fetch-site': 'cross-site' },
      limitMs: 500,
    })
  const own = await ask(node.port, 'GET', '/state', { headers: { 'x-api-key': node.key } })
  tally.check('the owner is let in beside wrong keys', own.status === 200, () => own.status)
  const { files } = await node.get<{ files: { stream_url: string }[] }>(`/downloads/${infoHash}/files`)
  const link = new URL(files[0]?.stream_url ?? '', node.baseUrl)
  const signed = link.pathname + link.search
  const good = await ask(node.port, 'GET', signed)
  tally.check('a signed link plays', good.status === 200 || good.status === 206, () => good.status)
  const start = `/downloads/${infoHash}/stream/`.length
  for (let at = start; at < signed.length; at++) {
    const other = signed[at] === 'a' ? 'b' : 'a'
    // A name behind the index is for players alone and not signed.
    const changed = signed.slice(0, at) + other + signed.slice(at + 1)
    if (at < link.pathname.length && /\/stream\/\d+\//.test(changed)) continue
    const answer = await ask(node.port, 'GET', changed)
    tally.check('no changed link plays', answer.status >= 400, () => `${changed} ${answer.status}`)
  }
}
