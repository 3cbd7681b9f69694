// UDP sockets at an address that the caller chose, for talks with routers. Those who are bound to a place send nothing
// from an address that is not, or no longer, one of it.

import { AppError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../ports/udp.ts'

/** What it goes through. */
export interface KeptUdpDeps {
  readonly udp: UdpNetwork
  /** Whether this node may leave from an address of the machine, now. */
  readonly mayUse: (ip: string) => boolean
}

/** UdpNetwork whose sockets keep silent when their address goes. */
export class KeptUdpNetwork implements UdpNetwork {
  readonly #deps: KeptUdpDeps

  constructor(deps: KeptUdpDeps) {
    this.#deps = deps
  }

  /** `at.ip` must be given. Rejects with AppError SourceFailed also when it may not be used. */
  async bind(
    at: { family: 4 | 6; ip: string | null; port: number },
    receive: (bytes: Uint8Array, from: PeerAddress) => void,
  ): Promise<UdpSocket> {
    const { udp, mayUse } = this.#deps
    const { ip } = at
    if (ip === null || !mayUse(ip)) throw new AppError('SourceFailed', 'not an address this node may use')
    const socket = await udp.bind(at, receive)
    return {
      address: socket.address,
      send: (bytes, to) => {
        if (mayUse(ip)) socket.send(bytes, to)
      },
      close: () => socket.close(),
    }
  }
}
