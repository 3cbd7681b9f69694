// Connections for HTTP that must take a route: from a NetworkPlace, through a proxy, or both. Addresses are judged as
// in guarded-agent.ts; a name that the proxy resolves cannot be judged here and counts as public. No route, no
// connection: nothing falls back to a direct one. What is connected when its local address goes is destroyed.

import { Socket } from 'node:net'
import { AppError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { AddressClass, NameResolver } from '../../ports/name-resolver.ts'
import type { NetworkPlace } from '../../ports/network-place.ts'
import { parseIp } from '../../wire/net/compact-address.ts'
import { isLocalName } from '../../wire/net/local-address.ts'
import type { AddressPolicy } from './address-policy.ts'
import type { DeviceSockets } from './device-sockets.ts'
import { connectThrough, type ProxyConfig } from '../proxy/proxy-config.ts'
import type { ProxyTarget } from '../proxy/proxy-handshake.ts'
import { tunnel } from '../proxy/proxy-socket.ts'
import { resetSocket } from './tcp-net.ts'

/** Addresses of one name that are tried, one after the other, with an equal share of the time for each. */
const MAX_TRIES = 4

/** Where HTTP leaves from and what it goes through; null = no such limit. */
export interface OutgoingRoute {
  readonly place: NetworkPlace | null
  readonly proxy: ProxyConfig | null
  /** Resolves the proxy itself; its addresses are not judged, as the owner chose it. */
  readonly proxyResolver: NameResolver
  /** Makes the sockets of a place whose addresses have devices; null or absent: it has none. */
  readonly devices?: DeviceSockets | null
}

/** Bounds of the connections of one connector. */
export interface RoutedConnectorOptions {
  readonly connectsTo: Exclude<AddressClass, 'refused'>
  readonly connectTimeoutMs: number
}

/** What judges and finds addresses, and the route. */
export interface RoutedConnectorDeps {
  readonly policy: AddressPolicy
  readonly resolver: NameResolver
  readonly route: OutgoingRoute
}

/** True when `host` is a name that the proxy resolves, not this node. */
export function isForProxy(host: string, proxy: ProxyConfig | null): boolean {
  return proxy !== null && proxy.hostnames && parseIp(host) === null
}

/** Connects by a route. */
export class RoutedConnector {
  readonly #options: RoutedConnectorOptions
  readonly #deps: RoutedConnectorDeps
  /** All sockets that live, also those that an agent has taken over. */
  readonly #sockets = new Set<Socket>()
  readonly #unwatch: () => void
  #closed = false

  constructor(options: RoutedConnectorOptions, deps: RoutedConnectorDeps) {
    this.#options = options
    this.#deps = deps
    this.#unwatch = deps.route.place?.watch(() => this.#closeLost()) ?? (() => undefined)
  }

  /** Connects; `done` gets a socket that leads to an address of the connector's class, or the error. */
  open(host: string, port: number, done: (error: Error | null, socket: Socket | null) => void): void {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), this.#options.connectTimeoutMs)
    const settle = (error: Error | null, socket: Socket | null): void => {
      clearTimeout(timer)
      const late = error !== null && limit.signal.aborted
      done(late ? new AppError('SourceFailed', 'the connection took too long') : error, socket)
    }
    this.#dial(host, port, limit.signal).then(
      socket => settle(null, socket),
      (error: Error) => settle(error, null),
    )
  }

  /** Ends all connections. */
  close(): void {
    this.#closed = true
    this.#unwatch()
    for (const socket of [...this.#sockets]) socket.destroy()
  }

  async #dial(host: string, port: number, limit: AbortSignal): Promise<Socket> {
    let failure: Error = new AppError('AddressRefused')
    const targets = await this.#targets(host, port)
    for (const target of targets) {
      try {
        const socket = await this.#dialOne(target, targets.length, limit)
        if (!socket.destroyed) return socket
        failure = new AppError('SourceFailed', 'the connection was cut')
      } catch (error) {
        failure = error as Error
      }
      if (this.#closed || limit.aborted) break
    }
    throw failure
  }

  /** What may be connected to for a host, best first. Throws AppError AddressRefused. */
  async #targets(host: string, port: number): Promise<readonly ProxyTarget[]> {
    const { resolver, route } = this.#deps
    if (isForProxy(host, route.proxy)) {
      if (this.#options.connectsTo !== 'public' || isLocalName(host)) throw new AppError('AddressRefused')
      return [{ host, port }]
    }
    const found = await resolver.resolve(host)
    const usable = found.filter(address => address.class === this.#options.connectsTo)
    if (usable.length === 0) throw new AppError('AddressRefused')
    return usable.slice(0, MAX_TRIES).map(address => ({ host: address.ip, port }))
  }

  async #dialOne(target: ProxyTarget, tries: number, limit: AbortSignal): Promise<Socket> {
    const { proxy, proxyResolver } = this.#deps.route
    if (proxy === null) return this.#connect({ ip: target.host, port: target.port }, tries, limit, true)
    let failure: Error = new AppError('SourceFailed', 'the proxy has no address')
    const found = (await proxyResolver.resolve(proxy.host)).slice(0, MAX_TRIES)
    for (const { ip } of found) {
      let socket: Socket
      try {
        socket = await this.#connect({ ip, port: proxy.port }, tries * found.length, limit, false)
      } catch (error) {
        failure = error as Error
        continue
      }
      return this.#lead(socket, proxy, target)
    }
    throw failure
  }

  async #lead(socket: Socket, proxy: ProxyConfig, target: ProxyTarget): Promise<Socket> {
    try {
      await tunnel(socket, connectThrough(proxy, target))
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /**
   * One TCP connection of `tries` from the place's address, in its share of the time; `judged`: its other end must be
   * of the connector's class.
   */
  async #connect(to: PeerAddress, tries: number, limit: AbortSignal, judged: boolean): Promise<Socket> {
    const { place, devices } = this.#deps.route
    const localAddress = place === null ? undefined : place.localIp(to.ip.includes(':') ? 6 : 4)
    if (localAddress === null) throw new AppError('SourceFailed', 'no local address to connect from')
    if (this.#closed || limit.aborted) throw new AppError('Aborted')
    const socket = devices?.connecting(localAddress ?? null, to.ip) ?? new Socket()
    this.#track(socket, limit)
    const where = { host: to.ip, port: to.port, autoSelectFamily: false }
    socket.connect(localAddress === undefined ? where : { ...where, localAddress })
    const late = (): void => {
      socket.destroy(new AppError('SourceFailed', 'the connection took too long'))
    }
    const timer = setTimeout(late, this.#options.connectTimeoutMs / tries)
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', () => {
        clearTimeout(timer)
        reject(new AppError('Aborted'))
      })
      socket.once('connect', () => {
        clearTimeout(timer)
        const ip = socket.remoteAddress
        if (!judged || (ip !== undefined && this.#deps.policy.classify(ip) === this.#options.connectsTo)) {
          return resolve(socket)
        }
        socket.destroy()
        reject(new AppError('AddressRefused'))
      })
    })
  }

  /** Keeps a socket until it is closed; the time limit ends it until it is handed over. */
  #track(socket: Socket, limit: AbortSignal): void {
    const late = (): void => {
      socket.destroy()
    }
    limit.addEventListener('abort', late, { once: true })
    this.#sockets.add(socket)
    // Errors between two owners must not end the process.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      limit.removeEventListener('abort', late)
      this.#sockets.delete(socket)
    })
  }

  #closeLost(): void {
    const here = new Set(this.#deps.route.place?.endpoints().map(endpoint => endpoint.ip))
    // A wildcard is every address.
    if (here.has('0.0.0.0') || here.has('::')) return
    for (const socket of [...this.#sockets]) if (!here.has(socket.localAddress ?? '')) resetSocket(socket)
  }
}
