// Datagram sockets of Node behind the UDP port. Send errors (no route, port closed) are dropped, as datagrams may be.
// uTP sends and gets tens of thousands of datagrams a second here: per datagram there is no callback, no look-up of a
// name that is an address anyway, and no new address for a sender who was there before (decision 0279).

import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { AppError, errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../ports/udp.ts'
import { canonicalIp } from '../../wire/net/compact-address.ts'
import type { DeviceSockets } from './device-sockets.ts'

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/**
 * Kernel buffers of a socket; the system may allow less. A burst that does not fit is lost, and loss is what slows uTP
 * down.
 */
const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024
const SEND_BUFFER_BYTES = 2 * 1024 * 1024
/** Bytes that may wait in this process because the kernel's buffer is full; what comes then is lost. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** Senders whose address object is kept. */
const MAX_SENDERS = 512

/** UdpNetwork over node:dgram. IPv6 sockets are IPv6 only, so both families can be bound side by side. */
export class DgramNetwork implements UdpNetwork {
  readonly #devices: DeviceSockets | null

  /** `devices`: binds the sockets of a place whose addresses have devices. */
  constructor(devices: DeviceSockets | null = null) {
    this.#devices = devices
  }

  async bind(at: { family: 4 | 6; ip: string | null; port: number }, receive: Receive): Promise<UdpSocket> {
    const socket = makeSocket(at.family)
    try {
      await this.#bound(socket, at)
    } catch (error) {
      socket.close()
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      throw new AppError(taken ? 'PortTaken' : 'SourceFailed', errorText(error), { cause: error })
    }
    // After binding only sends fail, and a datagram that was not sent is one that was lost.
    socket.on('error', () => undefined)
    return new BoundSocket(socket, receive)
  }

  async #bound(socket: Socket, { ip, port }: { ip: string | null; port: number }): Promise<void> {
    if (this.#devices?.bindDatagrams(socket, { ip: ip ?? '', port }) === true) return
    const bound = once(socket, 'listening')
    socket.bind({ port, ...(ip === null ? {} : { address: ip }) })
    await bound
  }
}

function makeSocket(family: 4 | 6): Socket {
  return createSocket({
    type: family === 4 ? 'udp4' : 'udp6',
    ipv6Only: family === 6,
    recvBufferSize: RECEIVE_BUFFER_BYTES,
    sendBufferSize: SEND_BUFFER_BYTES,
    // Only literal addresses are sent to. The system's look-up would answer a turn of the loop later.
    lookup: (host, _options, callback) => callback(null, host, family),
  })
}

class BoundSocket implements UdpSocket {
  readonly address: PeerAddress
  readonly #socket: Socket
  readonly #senders = new Map<string, PeerAddress>()
  #last: PeerAddress | null = null
  #lastText = ''
  #closed = false

  constructor(socket: Socket, receive: Receive) {
    this.#socket = socket
    const { address, port } = socket.address()
    this.address = { ip: address, port }
    socket.on('message', (bytes, from) => {
      if (this.#closed) return
      const sender = this.#sender(from.address, from.port)
      if (sender !== null) receive(bytes, sender)
    })
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    if (this.#closed || this.#socket.getSendQueueSize() > MAX_WAITING_BYTES) return
    // Without a callback nothing waits for the end of the call, and errors are dropped.
    this.#socket.send(bytes, to.port, to.ip)
  }

  get unsentBytes(): number {
    return this.#closed ? 0 : this.#socket.getSendQueueSize()
  }

  close(): Promise<void> {
    return new Promise(done => {
      if (this.#closed) return done()
      this.#closed = true
      this.#socket.close(() => done())
    })
  }

  /** The sender in canonical form; the same object while he goes on sending. */
  #sender(text: string, port: number): PeerAddress | null {
    if (this.#last !== null && this.#last.port === port && this.#lastText === text) return this.#last
    const key = `${text} ${port}`
    const sender = this.#senders.get(key) ?? this.#newSender(key, text, port)
    this.#last = sender
    this.#lastText = text
    return sender
  }

  #newSender(key: string, text: string, port: number): PeerAddress | null {
    const ip = canonicalIp(text.split('%')[0] ?? '')
    if (ip === null) return null
    if (this.#senders.size >= MAX_SENDERS) this.#senders.clear()
    const sender = { ip, port }
    this.#senders.set(key, sender)
    return sender
  }
}
