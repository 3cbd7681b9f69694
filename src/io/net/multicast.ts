// Multicast groups over node:dgram: one socket a family that listens on the group's port, shared with other programs,
// and one a network interface that sends. Interfaces are looked at again with each send, as laptops move. Send errors
// are dropped, as datagrams may be. What comes from outside the networks of the interfaces is dropped: the port is open
// to all.

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { AppError, errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { MulticastGroup, MulticastNetwork, MulticastSocket } from '../../ports/multicast.ts'
import { canonicalIp, isPeerIp, parseIp } from '../../wire/net/compact-address.ts'
import type { DeviceSockets } from './device-sockets.ts'

/** Routers a datagram may pass (libtorrent's number): both groups reach beyond one network. */
const MAX_HOPS = 32
/** Interfaces that are used; machines with hundreds have them for containers. */
const MAX_INTERFACES = 32

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/** An address of a network interface. */
export interface InterfaceAddress {
  /** As the system names the interface, e.g. `eth0`. */
  readonly name: string
  /** Canonical literal. */
  readonly ip: string
  /** Bits of `ip` that name its network. */
  readonly bits: number
}

/**
 * Our addresses of a family in the local network, one an interface; loopback has none. `mayUse`: which of them this
 * node may use.
 */
export function localInterfaces(family: 4 | 6, mayUse: (ip: string) => boolean = () => true): InterfaceAddress[] {
  const found: InterfaceAddress[] = []
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    const usable = addresses?.find(
      one =>
        one.family === `IPv${family}` &&
        !one.internal &&
        isUsable(one.address) &&
        mayUse(canonicalIp(one.address) ?? one.address),
    )
    if (usable === undefined || found.length >= MAX_INTERFACES) continue
    const bits = Number(usable.cidr?.split('/')[1] ?? (family === 4 ? 32 : 128))
    found.push({ name, ip: canonicalIp(usable.address) ?? usable.address, bits })
  }
  return found
}

/** Options of a multicast network. */
export interface DgramMulticastOptions {
  /** Addresses of the interfaces to use; default localInterfaces. */
  interfaces?(family: 4 | 6): readonly InterfaceAddress[]
  /** Binds the sockets of a place whose addresses have devices. */
  readonly devices?: DeviceSockets | null
}

/** MulticastNetwork over node:dgram. */
export class DgramMulticast implements MulticastNetwork {
  readonly #interfaces: (family: 4 | 6) => readonly InterfaceAddress[]
  readonly #devices: DeviceSockets | null

  constructor(options: DgramMulticastOptions = {}) {
    this.#interfaces = family => (options.interfaces ?? localInterfaces)(family)
    this.#devices = options.devices ?? null
  }

  async join(group: MulticastGroup, receive: Receive): Promise<MulticastSocket> {
    const membership = new DgramMembership(group, this.#interfaces, this.#devices, receive)
    await membership.open()
    return membership
  }
}

/** A membership in one group. */
class DgramMembership implements MulticastSocket {
  readonly #group: MulticastGroup
  readonly #interfaces: (family: 4 | 6) => readonly InterfaceAddress[]
  readonly #devices: DeviceSockets | null
  readonly #receive: Receive
  readonly #listener: Socket
  /** By address of the interface. */
  readonly #senders = new Map<string, { readonly at: InterfaceAddress; readonly socket: Socket }>()
  #closed = false

  constructor(
    group: MulticastGroup,
    interfaces: (family: 4 | 6) => readonly InterfaceAddress[],
    devices: DeviceSockets | null,
    receive: Receive,
  ) {
    this.#group = group
    this.#interfaces = interfaces
    this.#devices = devices
    this.#receive = receive
    this.#listener = newSocket(group.family, true)
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const listener = this.#listener
      listener.once('error', error => {
        this.#closed = true
        listener.close()
        const code = 'code' in error && error.code === 'EADDRINUSE' ? 'PortTaken' : 'SourceFailed'
        reject(new AppError(code, errorText(error), { cause: error }))
      })
      listener.on('message', (bytes, from) => this.#received(bytes, from))
      listener.bind({ port: this.#group.port }, () => {
        listener.removeAllListeners('error')
        listener.on('error', () => undefined)
        this.#follow()
        resolve()
      })
    })
  }

  send(bytes: Uint8Array): void {
    if (this.#closed) return
    this.#follow()
    for (const { socket } of this.#senders.values()) {
      socket.send(bytes, this.#group.port, this.#group.ip, () => undefined)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const sockets = [this.#listener, ...Array.from(this.#senders.values(), ({ socket }) => socket)]
    this.#senders.clear()
    await Promise.all(sockets.map(closeSocket))
  }

  /** Joins on interfaces that are new, gives up those that are gone. */
  #follow(): void {
    const present = new Map(this.#interfaces(this.#group.family).map(at => [at.ip, at]))
    for (const [ip, { socket }] of this.#senders) {
      if (present.has(ip)) continue
      this.#senders.delete(ip)
      void closeSocket(socket)
    }
    for (const at of present.values()) if (!this.#senders.has(at.ip)) this.#open(at)
  }

  #open(at: InterfaceAddress): void {
    const { family, ip } = this.#group
    const interfaceName = family === 4 ? at.ip : `::%${at.name}`
    try {
      this.#listener.addMembership(ip, interfaceName)
    } catch {
      // It was joined before the address changed, or the interface knows no multicast: then sending fails too.
    }
    const socket = newSocket(family, false)
    this.#senders.set(at.ip, { at, socket })
    // A socket that could not be bound would be bound to any address by its first send: it is tried again then.
    socket.on('error', () => this.#giveUp(at.ip, socket))
    socket.once('listening', () => {
      try {
        socket.setMulticastInterface(interfaceName)
        socket.setMulticastTTL(MAX_HOPS)
        socket.setMulticastLoopback(true)
      } catch {
        // The interface went away: what is sent by it is lost, and it is given up at the next send.
      }
    })
    try {
      if (this.#devices?.bindDatagrams(socket, { ip: at.ip, port: 0 }) !== true)
        socket.bind({ address: at.ip, port: 0 })
    } catch {
      this.#giveUp(at.ip, socket)
    }
  }

  #giveUp(ip: string, socket: Socket): void {
    if (this.#senders.get(ip)?.socket === socket) this.#senders.delete(ip)
    void closeSocket(socket)
  }

  #received(bytes: Uint8Array, from: RemoteInfo): void {
    const ip = canonicalIp(from.address.split('%')[0] ?? '')
    if (ip === null || this.#closed || !this.#isNear(ip)) return
    this.#receive(bytes, { ip, port: from.port })
  }

  #isNear(ip: string): boolean {
    const bytes = parseIp(ip)
    if (bytes === null) return false
    for (const { at } of this.#senders.values()) if (isInNetwork(bytes, at)) return true
    return false
  }
}

function newSocket(family: 4 | 6, shared: boolean): Socket {
  return createSocket({ type: family === 4 ? 'udp4' : 'udp6', ipv6Only: family === 6, reuseAddr: shared })
}

function closeSocket(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    try {
      socket.close(() => resolve())
    } catch {
      // Closed already: binding it failed.
      resolve()
    }
  })
}

/** Not of the link alone: without the interface it belongs to such an address says nothing. */
function isUsable(address: string): boolean {
  const bytes = parseIp(address)
  return bytes !== null && isPeerIp(bytes)
}

/** Whether an address lies in the network of an interface. */
function isInNetwork(bytes: Uint8Array, at: InterfaceAddress): boolean {
  const own = parseIp(at.ip)
  if (own === null || own.length !== bytes.length) return false
  const whole = at.bits >> 3
  for (let i = 0; i < whole; i += 1) if (own[i] !== bytes[i]) return false
  const rest = at.bits & 7
  if (rest === 0) return true
  const mask = (0xff << (8 - rest)) & 0xff
  return ((own[whole] ?? 0) & mask) === ((bytes[whole] ?? 0) & mask)
}
