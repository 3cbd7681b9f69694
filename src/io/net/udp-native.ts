// The sockets of src/native behind the UDP port: they receive and send in batches, where node:dgram makes a call of the
// system and an event for each datagram (decision 0526). Bound to devices as those are. Send errors are dropped.

import { AppError, errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { UdpNetwork, UdpSocket } from '../../ports/udp.ts'
import type { DeviceSockets } from './device-sockets.ts'
import type { Receive, UdpAt, UdpMachine } from './udp-machine.ts'

/** What is needed of the machine code. */
export type UdpSockets = Pick<UdpMachine, 'open' | 'address' | 'send' | 'close'>

/** UdpNetwork over the machine code. IPv6 sockets are IPv6 only, so both families can be bound side by side. */
export class NativeNetwork implements UdpNetwork {
  readonly #machine: UdpSockets
  readonly #devices: DeviceSockets | null

  /** `devices`: binds the sockets of a place whose addresses have devices. */
  constructor(machine: UdpSockets, devices: DeviceSockets | null = null) {
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

  #bound({ family, ip, port }: Omit<UdpAt, 'fd'>, receive: Receive): UdpSocket {
    const life = { closed: false }
    const number = this.#open({ family, ip, port }, receive, life)
    try {
      return new BoundSocket(this.#machine, { number, family, address: this.#machine.address(number), life })
    } catch (error) {
      // It owns its descriptor, also one that was given.
      this.#machine.close(number)
      throw error
    }
  }

  #open(at: Omit<UdpAt, 'fd'>, receive: Receive, life: Life): number {
    const fd = this.#devices?.datagrams({ ip: at.ip ?? '', port: at.port }) ?? null
    try {
      return this.#machine.open({ ...at, fd }, receive, () => !life.closed)
    } catch (error) {
      if (fd !== null) this.#devices?.close(fd)
      throw error
    }
  }
}

interface Life {
  closed: boolean
}

interface Bound {
  readonly number: number
  readonly family: 4 | 6
  readonly address: PeerAddress
  readonly life: Life
}

class BoundSocket implements UdpSocket {
  readonly address: PeerAddress
  readonly #machine: UdpSockets
  readonly #family: 4 | 6
  readonly #number: number
  readonly #life: Life

  constructor(machine: UdpSockets, { number, family, address, life }: Bound) {
    this.#machine = machine
    this.#family = family
    this.#number = number
    this.#life = life
    this.address = address
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    if (!this.#life.closed) this.#machine.send(this.#number, this.#family, bytes, to)
  }

  close(): Promise<void> {
    if (!this.#life.closed) {
      this.#life.closed = true
      this.#machine.close(this.#number)
    }
    return Promise.resolve()
  }
}
