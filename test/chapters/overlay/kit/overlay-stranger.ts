// A node of the overlay network whose packets a test writes: an address of the hub, a key, and what was sent to it.

import type { PeerAddress } from '../../../../src/base/ids.ts'
import type { Shape, ValuesOf } from '../../../../src/chapters/overlay/wire/fields.ts'
import {
  introductionRequest,
  introductionResponse,
} from '../../../../src/chapters/overlay/wire/introduction-messages.ts'
import { decodePayload, type PacketMessage } from '../../../../src/chapters/overlay/wire/message.ts'
import {
  decodeUnsigned,
  encodePacket,
  hasPrefix,
  messageIdOf,
  splitSigned,
} from '../../../../src/chapters/overlay/wire/packet.ts'
import { NO_ADDRESS } from '../../../../src/chapters/overlay/wire/address.ts'
import type { DatagramHub, HubSocket } from '../../../kit/sim/datagram-hub.ts'
import { fakeIdentity } from './fake-keys.ts'

/** A node of the overlay network whose packets a test writes: an address of the hub, a key, and what was sent to it. */
export class OverlayStranger {
  readonly address: PeerAddress
  readonly identity
  /** All packets that came, the newest last. */
  readonly packets: Uint8Array[] = []
  readonly #prefix: Uint8Array
  readonly #socket: HubSocket

  constructor(hub: DatagramHub, prefix: Uint8Array, ip: string, name: string = ip) {
    this.address = { ip, port: 7000 }
    this.identity = fakeIdentity(name)
    this.#prefix = prefix
    this.#socket = hub.attach(this.address, bytes => this.packets.push(Uint8Array.from(bytes)))
  }

  /** A packet of this one. */
  pack<S extends Shape>(message: PacketMessage<S>, values: ValuesOf<S>): Uint8Array {
    return encodePacket(this.#prefix, message, values, message.signed ? this.identity : null)
  }

  send<S extends Shape>(message: PacketMessage<S>, values: ValuesOf<S>, to: PeerAddress): void {
    this.sendBytes(this.pack(message, values), to)
  }

  sendBytes(bytes: Uint8Array, to: PeerAddress): void {
    this.#socket.send(bytes, to)
  }

  /** What came of a kind. */
  received<S extends Shape>(message: PacketMessage<S>): ValuesOf<S>[] {
    const ours = this.packets.filter(packet => hasPrefix(packet, this.#prefix) && messageIdOf(packet) === message.id)
    if (!message.signed) return ours.map(packet => decodeUnsigned(message, packet))
    return ours.map(packet => decodePayload(message, splitSigned(packet).payload))
  }

  /** Asks for an introduction. */
  ask(to: PeerAddress, change: Partial<ValuesOf<(typeof introductionRequest)['fields']>> = {}): void {
    const usual = { sourceLan: NO_ADDRESS, sourceWan: NO_ADDRESS, flags: 1, identifier: 77, extra: new Uint8Array(0) }
    this.send(introductionRequest, { globalTime: 77n, destination: to, ...usual, ...change }, to)
  }

  /** Answers the newest request of `to` for an introduction. */
  answer(to: PeerAddress, change: Partial<ValuesOf<(typeof introductionResponse)['fields']>> = {}): void {
    const identifier = this.received(introductionRequest).at(-1)?.identifier ?? 0
    const nobody = {
      introducedLan: NO_ADDRESS,
      introducedWan: NO_ADDRESS,
      sourceLan: NO_ADDRESS,
      sourceWan: NO_ADDRESS,
    }
    const usual = { ...nobody, flags: 0, identifier, extra: new Uint8Array(0) }
    this.send(introductionResponse, { globalTime: 5n, destination: to, ...usual, ...change }, to)
  }
}
