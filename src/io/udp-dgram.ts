// Datagram sockets of Node behind the UDP port. Send errors (no route, port closed) are dropped, as datagrams may be.

import { createSocket } from 'node:dgram'
import { AppError, errorText } from '../base/errors.ts'
import type { PeerAddress } from '../base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../ports/udp.ts'
import { canonicalIp } from '../wire/compact-address.ts'

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/** UdpNetwork over node:dgram. IPv6 sockets are IPv6 only, so both families can be bound side by side. */
export class DgramNetwork implements UdpNetwork {
  bind(at: { family: 4 | 6; ip: string | null; port: number }, receive: Receive): Promise<UdpSocket> {
    return new Promise((resolve, reject) => {
      const socket = createSocket({ type: at.family === 4 ? 'udp4' : 'udp6', ipv6Only: at.family === 6 })
      let closed = false
      socket.once('error', error => {
        socket.close()
        const code = 'code' in error && error.code === 'EADDRINUSE' ? 'PortTaken' : 'SourceFailed'
        reject(new AppError(code, errorText(error), { cause: error }))
      })
      socket.on('message', (bytes, from) => {
        const ip = canonicalIp(from.address.split('%')[0] ?? '')
        if (ip !== null && !closed) receive(bytes, { ip, port: from.port })
      })
      socket.bind({ port: at.port, ...(at.ip === null ? {} : { address: at.ip }) }, () => {
        socket.removeAllListeners('error')
        // After binding only sends fail, and a datagram that was not sent is one that was lost.
        socket.on('error', () => undefined)
        const bound = socket.address()
        resolve({
          address: { ip: bound.address, port: bound.port },
          send: (bytes, to) => {
            if (!closed) socket.send(bytes, to.port, to.ip, () => undefined)
          },
          close: () =>
            new Promise(done => {
              if (closed) return done()
              closed = true
              socket.close(() => done())
            }),
        })
      })
    })
  }
}
