// An HTTP tracker (BEP 3, 23) that answers every announce with the same addresses: leechers find the seeder at once and
// never each other. libtorrent connects right away to what a tracker names, but only at its next tick (up to half a
// second later) to an address given by hand; so in a benchmark everybody who can use a tracker is given this one.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PeerAddress } from './rivals/client.ts'

export interface FixedTracker {
  /** The announce URL. */
  readonly url: string
  stop(): Promise<void>
}

function answerOf(peers: readonly PeerAddress[]): Buffer {
  const compact = peers.map(peer => [...peer.ip.split('.').map(Number), peer.port >> 8, peer.port & 255])
  const bytes = Buffer.from(compact.flat())
  const head = `d8:completei${peers.length}e10:incompletei0e8:intervali1800e5:peers${bytes.length}:`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('e')])
}

/** Starts one at `ip`, on a free port. */
export async function startFixedTracker(ip: string, peers: readonly PeerAddress[]): Promise<FixedTracker> {
  const answer = answerOf(peers)
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/plain').end(answer))
  await new Promise<void>(resolve => server.listen(0, ip, resolve))
  return {
    url: `http://${ip}:${(server.address() as AddressInfo).port}/announce`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
