// The group of searches over node:dgram: at each interface one socket that listens on the group's port, shared with
// other programs, and one that sends from the interface's address. Send errors are dropped, as datagrams may be.

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { AppError, errorText } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import { SSDP_ADDRESS } from '../../../wire/net/upnp.ts'
import type { LanInterface } from '../ports/lan-interfaces.ts'
import type { SsdpNetwork, SsdpSocket } from '../ports/ssdp-network.ts'

/** Routers that a datagram may pass: UPnP's number. */
const MAX_HOPS = 2

/** SsdpNetwork over node:dgram. */
export class DgramSsdp implements SsdpNetwork {
  async join(at: LanInterface, receive: (bytes: Uint8Array, from: PeerAddress) => void): Promise<SsdpSocket> {
    const listener = createSocket({ type: 'udp4', reuseAddr: true })
    const sender = createSocket({ type: 'udp4' })
    const socket = new JoinedSocket(listener, sender)
    try {
      await bound(listener, { port: SSDP_ADDRESS.port })
      listener.addMembership(SSDP_ADDRESS.ip, at.ip)
      await bound(sender, { address: at.ip, port: 0 })
      sender.setMulticastInterface(at.ip)
      sender.setMulticastTTL(MAX_HOPS)
      sender.setTTL(MAX_HOPS)
    } catch (error) {
      await socket.close()
      const code = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'PortTaken' : 'SourceFailed'
      throw new AppError(code, `No searches can be heard at ${at.ip}: ${errorText(error)}.`, { cause: error })
    }
    listener.on('message', (bytes: Buffer, from: RemoteInfo) => receive(bytes, { ip: from.address, port: from.port }))
    return socket
  }
}

class JoinedSocket implements SsdpSocket {
  readonly #listener: Socket
  readonly #sender: Socket
  #closed = false

  constructor(listener: Socket, sender: Socket) {
    this.#listener = listener
    this.#sender = sender
  }

  announce(bytes: Uint8Array): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise(resolve => this.#sender.send(bytes, SSDP_ADDRESS.port, SSDP_ADDRESS.ip, () => resolve()))
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    if (!this.#closed) this.#sender.send(bytes, to.port, to.ip, () => undefined)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all([closed(this.#listener), closed(this.#sender)])
  }
}

function bound(socket: Socket, at: { address?: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(at, () => {
      socket.removeListener('error', reject)
      socket.on('error', () => undefined)
      resolve()
    })
  })
}

function closed(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    try {
      socket.close(() => resolve())
    } catch {
      // Closed already: binding it failed.
      resolve()
    }
  })
}
