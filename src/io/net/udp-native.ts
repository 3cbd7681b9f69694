// The sockets of src/native behind the UDP port: they receive and send in batches, where node:dgram makes a call of the
// system and an event for each datagram (decision 0526). Bound to devices as those are. Send errors are dropped.

import { AppError, errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../ports/udp.ts'
import type { DeviceSockets } from './device-sockets.ts'
import type { Receive, UdpAt, UdpMachine } from './udp-machine.ts'

/** UdpNetwork over the machine code. IPv6 sockets are IPv6 only, so both families can be bound side by side. */
export class NativeNetwork implements UdpNetwork {
  readonly #machine: UdpMachine
  readonly #devices: DeviceSockets | null

  /** `devices`: binds the sockets of a place whose addresses have devices. */
  constructor(machine: UdpMachine, devices: DeviceSockets | null = null) {
    this.#machine = machine
    this.#devices = devices
  }

  async bind(at: { family: 4 | 6; ip: string | null; port: number }, receive: Receive): Promise<UdpSocket> {
    try {
      return await Promise.resolve(this.#bound(at, receive))
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      throw new AppError(taken ? 'PortTaken' : 'SourceFailed', errorText(error), { cause: error })
    }
  }

  #bound(at: { family: 4 | 6; ip: string | null; port: number }, receive: Receive): UdpSocket {
    const { family, ip, port } = at
    const fd = this.#devices?.datagrams({ ip: ip ?? '', port }) ?? null
    try {
      return new BoundSocket(this.#machine, { family, ip, port, fd }, receive)
    } catch (error) {
      if (fd !== null) this.#devices?.close(fd)
      throw error
    }
  }
}

class BoundSocket implements UdpSocket {
  readonly address: PeerAddress
  readonly #machine: UdpMachine
  readonly #family: 4 | 6
  readonly #number: number
  #closed = false

  constructor(machine: UdpMachine, at: UdpAt, receive: Receive) {
    this.#machine = machine
    this.#family = at.family
    this.#number = machine.open(at, receive, () => !this.#closed)
    this.address = machine.address(this.#number)
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    if (!this.#closed) this.#machine.send(this.#number, this.#family, bytes, to)
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      this.#machine.close(this.#number)
    }
    return Promise.resolve()
  }
}
