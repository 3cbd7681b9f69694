// uTP on a real socket, put together as the node does it, without the engine.

import type { PeerAddress } from '../../../src/base/ids.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { SystemRandom } from '../../../src/io/random.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import type { UdpNetwork } from '../../../src/ports/udp.ts'
import { UtpNetwork } from '../../../src/utp/mux.ts'

/** One socket with uTP on it. */
export interface UtpNode {
  readonly utp: UtpNetwork
  readonly address: PeerAddress
  /** Datagrams that were none of uTP's. */
  readonly others: string[]
  send(text: string, to: PeerAddress): void
  close(): Promise<void>
}

/** Binds a free port at `ip`. */
export async function startUtpNode(family: 4 | 6, ip: string, udp: UdpNetwork = new DgramNetwork()): Promise<UtpNode> {
  const others: string[] = []
  const holder: { utp: UtpNetwork | null } = { utp: null }
  const socket = await udp.bind({ family, ip, port: 0 }, (bytes, from) => {
    if (holder.utp?.receive(bytes, from) !== true) others.push(Buffer.from(bytes).toString())
  })
  const sockets = family === 4 ? { 4: socket, 6: null } : { 4: null, 6: socket }
  const utp = new UtpNetwork({}, { clock: new SystemClock(), random: new SystemRandom(), sockets })
  holder.utp = utp
  return {
    utp,
    address: { ip, port: socket.address.port },
    others,
    send: (text, to) => socket.send(Buffer.from(text), to),
    close: async () => {
      utp.close()
      await socket.close()
    },
  }
}
