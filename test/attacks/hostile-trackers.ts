// Trackers that lie.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fuzz } from '../kit/sim/fuzz.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { bencoded, type Ground } from './ground.ts'
import { ask } from './raw-request.ts'

/** A tracker that lies, asked again by force each time. */
export async function startTracker(fuzz: Fuzz) {
  let asked = 0
  const peers = Buffer.alloc(60_000, 127)
  const answers = (): Uint8Array[] => [
    fuzz.bytes(2000),
    fuzz.mutate(Buffer.from('d8:intervali1e5:peers6:abcdefe')),
    Buffer.concat([Buffer.from('d8:intervali0e12:min intervali-5e5:peers'), bencoded(peers), Buffer.from('e')]),
    Buffer.from(`d8:intervali99999999999999999999e5:peersl${'d2:ip9:127.0.0.14:porti1ee'.repeat(20_000)}ee`),
    Buffer.from('l'.repeat(200_000)),
    Buffer.alloc(8 * 2 ** 20, 'd1:a'),
    Buffer.from(`d14:failure reason5000:${'<script>'.repeat(625)}e`),
  ]
  const server = createServer((_, reply) => {
    asked++
    reply.on('error', () => undefined)
    if (fuzz.below(6) === 0)
      reply
        .writeHead(302, {
          location: fuzz.pick(['file:///etc/passwd', '/again', 'http://[::1]:1/', `http://${'a'.repeat(5000)}/`]),
        })
        .end()
    else if (fuzz.below(8) === 0)
      reply.writeHead(200, { 'content-length': '1000000000', 'content-encoding': 'gzip' }).write(fuzz.bytes(900))
    else reply.end(fuzz.pick(answers()))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/announce`,
    asked: () => asked,
    stop: () => (server.closeAllConnections(), server.close()),
  }
}

/** A download of its own asks the tracker, then is removed while it may still wait for the answer. */
export async function trackers({ tally, node, fuzz, trackerUrl }: Ground): Promise<void> {
  const headers = { 'x-api-key': node.key, 'content-type': 'application/x-bittorrent' }
  const made = makeTorrent({ name: 'asked.bin', length: 20_000, seed: 1 + fuzz.below(1e9), announce: [[trackerUrl]] })
  const added = await ask(node.port, 'POST', '/downloads', { headers, body: made.torrent, limitMs: 10_000 })
  await new Promise(resolve => setTimeout(resolve, fuzz.below(400)))
  const path = `/downloads/${made.infoHash}`
  const asked = await ask(node.port, 'PUT', `${path}/tracker_force_announce`, { headers: { 'x-api-key': node.key } })
  const removed = await ask(node.port, 'DELETE', `${path}?remove_data=1`, {
    headers: { 'x-api-key': node.key },
    limitMs: 10_000,
  })
  const statuses = [added.status, asked.status, removed.status]
  tally.check(
    'a tracker that lies is asked and left in peace',
    statuses.every(status => status === 200),
    () => `${statuses.join()} ${asked.body.slice(0, 200)}`,
  )
}
