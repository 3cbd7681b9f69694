// Sockets of a NetworkPlace that keep to the device of their address (setting libtorrent.interface with the name of a
// device): Node's sockets over descriptors that socket-calls.ts made. What is bound so leaves by that device or not at
// all, whatever the routes say; an address alone does not do that, as Linux sends from any address by any device.
// Invariants: no socket of an address that has a device is made without it; each descriptor is closed, or owned by a
// socket.

import type { Socket as DatagramSocket } from 'node:dgram'
import { Socket, type SocketConstructorOpts } from 'node:net'
import { AppError, errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { NetworkPlace } from '../../ports/network-place.ts'
import { isLoopbackIp } from '../../wire/net/compact-address.ts'
import { loadSocketCalls, type SocketCalls } from './socket-calls.ts'

/** What the sockets are made with. */
export interface DeviceSocketsDeps {
  /** Knows which address has which device. */
  readonly place: Pick<NetworkPlace, 'endpoints'>
  readonly calls: SocketCalls
}

function familyOf(ip: string): 4 | 6 {
  return ip.includes(':') ? 6 : 4
}

/** Makes sockets that keep to devices. */
export class DeviceSockets {
  readonly #place: Pick<NetworkPlace, 'endpoints'>
  readonly #calls: SocketCalls

  constructor({ place, calls }: DeviceSocketsDeps) {
    this.#place = place
    this.#calls = calls
  }

  /**
   * A TCP socket to be connected from `localIp` to `remoteIp`, as new Socket(options). Throws an Error when it cannot
   * be made, or `localIp` is no address of the place any more.
   */
  connecting(localIp: string | null, remoteIp: string, options: SocketConstructorOpts = {}): Socket {
    const device = this.#deviceAt(localIp)
    // To an address of this machine itself the kernel knows no way but the loopback device: a proxy here is reached by
    // it.
    const stays = localIp !== null && isLoopbackIp(remoteIp) && !isLoopbackIp(localIp)
    if (device === null || stays) return new Socket(options)
    const fd = this.#calls.open('tcp', familyOf(remoteIp), device, null)
    // Reading begins when it is connected, as it does without a descriptor.
    return this.#owned(fd, () => new Socket({ ...options, fd, manualStart: true } as SocketConstructorOpts))
  }

  /**
   * A descriptor of a TCP socket that is bound to `at` and is to listen; null: `at` has no device, listen at the
   * address. Throws an Error as connecting() does, and with the code EADDRINUSE when the port is taken.
   */
  listening(at: PeerAddress): number | null {
    const device = this.#deviceAt(at.ip)
    return device === null ? null : this.#calls.open('tcp', familyOf(at.ip), device, at)
  }

  /**
   * A descriptor of a UDP socket that is bound to `at`; null: `at` has no device, bind to the address. Throws as
   * listening() does.
   */
  datagrams(at: PeerAddress): number | null {
    const device = this.#deviceAt(at.ip)
    return device === null ? null : this.#calls.open('udp', familyOf(at.ip), device, at)
  }

  /** Closes a descriptor of datagrams() that nothing took. */
  close(fd: number): void {
    this.#calls.close(fd)
  }

  /** Binds `socket` to `at`; false: `at` has no device, bind to the address. Throws as listening() does. */
  bindDatagrams(socket: DatagramSocket, at: PeerAddress): boolean {
    const fd = this.datagrams(at)
    if (fd === null) return false
    this.#owned(fd, () => socket.bind({ fd }))
    this.#calls.ownAddress(fd)
    return true
  }

  /**
   * The device of an address of the place, null where it is bound to the address alone. Throws where it may not be
   * used.
   */
  #deviceAt(ip: string | null): string | null {
    const wildcard = ip?.includes(':') === true ? '::' : '0.0.0.0'
    const here = this.#place.endpoints()
    const found = here.find(endpoint => endpoint.ip === ip) ?? here.find(endpoint => endpoint.ip === wildcard)
    if (found === undefined) throw new AppError('SourceFailed', 'not an address this node may use')
    return found.device ?? null
  }

  #owned<Owner>(fd: number, make: () => Owner): Owner {
    try {
      return make()
    } catch (error) {
      this.#calls.close(fd)
      throw error
    }
  }
}

/**
 * The calls for a place with devices. Null, and a warning, where there are none (another system, the package is
 * missing, an old kernel): then addresses alone are kept to.
 */
export function callsForDevices(log: Pick<Log, 'warn'>, load: () => SocketCalls = loadSocketCalls): SocketCalls | null {
  try {
    return load()
  } catch (error) {
    const why = errorText(error)
    log.warn('sockets cannot be bound to devices, only to their addresses: keep the routes right', { why })
    return null
  }
}
