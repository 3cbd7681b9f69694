// UDP through a SOCKS5 proxy (UDP ASSOCIATE): a control connection that keeps a relay alive, and a local socket that
// talks to the relay only. When the control connection ends the relay is gone: a new one is asked for, with growing
// pauses. Until then datagrams are lost, except for the first few, which wait for the first relay. Nothing is ever sent
// round the proxy. States: waiting -> associating -> associated -> waiting ...

import { AppError, DecodeError, errorText } from '../../base/errors.ts'
import { addressKey, type PeerAddress } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { NameResolver } from '../../ports/name-resolver.ts'
import type { TcpNetwork, TcpStream } from '../../ports/tcp.ts'
import type { UdpNetwork, UdpSocket } from '../../ports/udp.ts'
import { canonicalIp, isLoopbackIp } from '../../wire/net/compact-address.ts'
import { PORT_OF_NOBODY, proxyAddress } from './proxied-tcp-net.ts'
import type { ProxyConfig } from './proxy-config.ts'
import type { ProxyTarget } from './proxy-handshake.ts'
import { decodeSocksDatagram, encodeSocksDatagram, Socks5Handshake } from './socks5.ts'

/** Time for one try to get a relay, the proxy's name included. */
const ASSOCIATE_TIMEOUT_MS = 10_000
/** Pause after a failure; doubles up to the longest. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** Datagrams that wait for the first relay: the first questions of a DHT and of some trackers. */
const MAX_WAITING = 64
/** Where this side will send from is not known to it: a relay takes the first sender. */
const UNKNOWN_SENDER: ProxyTarget = { host: '0.0.0.0', port: 0 }

/** A socket that can also send to a host name, which the proxy resolves. */
export interface ProxiedUdpSocket extends UdpSocket {
  /** Sends one datagram to a name; lost when there is no relay. The answer comes from a literal address. */
  sendToName(bytes: Uint8Array, to: ProxyTarget): void
  /** True while there is a relay. */
  readonly associated: boolean
}

/** What proxied UDP goes through. */
export interface ProxiedUdpDeps {
  readonly tcp: TcpNetwork
  readonly udp: UdpNetwork
  /**
   * For relays of a proxy on this machine, where `udp` keeps to a device, which does not lead there; null or absent:
   * `udp`.
   */
  readonly here?: UdpNetwork | null
  /** Finds the proxy. */
  readonly resolver: NameResolver
  readonly clock: Clock
  readonly log: Log
}

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/** UdpNetwork whose sockets are relays of a proxy. */
export class ProxiedUdpNetwork implements UdpNetwork {
  readonly #proxy: ProxyConfig
  readonly #deps: ProxiedUdpDeps

  constructor(proxy: ProxyConfig, deps: ProxiedUdpDeps) {
    this.#proxy = proxy
    this.#deps = deps
  }

  /**
   * Resolves at once, before there is a relay; address and port of `at` mean nothing at a proxy. Rejects with AppError
   * SourceFailed when the proxy is not one that carries datagrams.
   */
  bind(at: { family: 4 | 6; ip: string | null; port: number }, receive: Receive): Promise<ProxiedUdpSocket> {
    if (this.#proxy.kind !== 'socks5') {
      return Promise.reject(new AppError('SourceFailed', 'only SOCKS5 proxies carry datagrams'))
    }
    const socket = new RelayedSocket(at.family, this.#proxy, receive, this.#deps)
    socket.start()
    return Promise.resolve(socket)
  }
}

/** One relay: the local socket that talks to it, and where it is. */
interface Relay {
  readonly socket: UdpSocket
  readonly address: PeerAddress
}

class RelayedSocket implements ProxiedUdpSocket {
  readonly address: PeerAddress
  readonly #family: 4 | 6
  readonly #proxy: ProxyConfig
  readonly #receive: Receive
  readonly #deps: ProxiedUdpDeps
  #relay: Relay | null = null
  /** Null after the first relay or the first failure: from then on what cannot be sent is lost. */
  #waiting: { readonly bytes: Uint8Array; readonly to: ProxyTarget }[] | null = []
  #pauseMs = FIRST_PAUSE_MS
  #timer: Timer | null = null
  /** Counts tries: what belongs to an older one is dropped. */
  #try = 0
  #control: TcpStream | null = null
  #closed = false
  /** A datagram went to a name: the answer may come from either family. */
  #sentToName = false

  constructor(family: 4 | 6, proxy: ProxyConfig, receive: Receive, deps: ProxiedUdpDeps) {
    this.#family = family
    this.#proxy = proxy
    this.#receive = receive
    this.#deps = deps
    this.address = { ip: family === 4 ? '0.0.0.0' : '::', port: PORT_OF_NOBODY }
  }

  get associated(): boolean {
    return this.#relay !== null
  }

  /** Asks for a relay, and again whenever it is lost. */
  start(): void {
    const current = ++this.#try
    this.#timer = this.#deps.clock.after(ASSOCIATE_TIMEOUT_MS, () => this.#lost(current, 'no relay in time'))
    this.#associate(current).catch((error: unknown) => this.#lost(current, errorText(error)))
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    this.#send(bytes, { host: to.ip, port: to.port })
  }

  sendToName(bytes: Uint8Array, to: ProxyTarget): void {
    this.#sentToName = true
    this.#send(bytes, to)
  }

  #send(bytes: Uint8Array, to: ProxyTarget): void {
    if (this.#relay !== null) this.#sendNow(this.#relay, bytes, to)
    else if (this.#waiting !== null && this.#waiting.length < MAX_WAITING && !this.#closed) {
      // The caller may use its memory again.
      this.#waiting.push({ bytes: Uint8Array.from(bytes), to })
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#waiting = null
    this.#timer?.cancel()
    this.#try += 1
    const relay = this.#relay
    this.#relay = null
    this.#control?.destroy()
    await relay?.socket.close()
  }

  #sendNow(relay: Relay, bytes: Uint8Array, to: ProxyTarget): void {
    try {
      relay.socket.send(encodeSocksDatagram(to, bytes), relay.address)
    } catch (error) {
      // A name that SOCKS5 cannot carry: lost, as datagrams may be.
      if (!(error instanceof AppError)) throw error
    }
  }

  async #associate(current: number): Promise<void> {
    const proxy = await proxyAddress(this.#proxy, this.#deps.resolver)
    if (current !== this.#try) return
    const bound = await this.#converse(proxy, current)
    if (current !== this.#try) return
    const address = relayAddress(bound, proxy)
    const family = address.ip.includes(':') ? 6 : 4
    const here = isLoopbackIp(address.ip) ? (this.#deps.here ?? null) : null
    const at = { family, ip: here === null ? null : address.ip, port: 0 } as const
    const socket: UdpSocket = await (here ?? this.#deps.udp).bind(at, (bytes, from) => {
      if (this.#relay?.socket === socket && addressKey(from) === addressKey(address)) this.#relayed(bytes)
    })
    if (current !== this.#try || this.#control === null) return socket.close()
    this.#timer?.cancel()
    this.#pauseMs = FIRST_PAUSE_MS
    const relay = { socket, address }
    this.#relay = relay
    for (const { bytes, to } of this.#waiting ?? []) this.#sendNow(relay, bytes, to)
    this.#waiting = null
  }

  /** The conversation; resolves with where the relay is. Whatever ends the connection later loses the relay. */
  #converse(proxy: PeerAddress, current: number): Promise<ProxyTarget> {
    return new Promise((resolve, reject) => {
      const request = { command: 'associate', target: UNKNOWN_SENDER, auth: this.#proxy.auth } as const
      const handshake = new Socks5Handshake(request)
      let done = false
      const control: TcpStream = this.#deps.tcp.connect(
        proxy,
        { localIp: null, timeoutMs: ASSOCIATE_TIMEOUT_MS },
        {
          open: () => control.write(handshake.begin()),
          data: chunk => {
            // Nothing is said on it after the reply.
            if (done) return
            try {
              const step = handshake.receive(chunk)
              done = step.done
              if (step.done) resolve(step.bound ?? UNKNOWN_SENDER)
              else if (step.send !== null) control.write(step.send)
            } catch (error) {
              reject(error)
            }
          },
          drain: () => undefined,
          close: error => {
            reject(error ?? new Error('the proxy closed the connection'))
            this.#lost(current, error === null ? 'the proxy closed the connection' : error.message)
          },
        },
      )
      this.#control = control
    })
  }

  /** One datagram of the relay; what cannot be read is dropped. */
  #relayed(bytes: Uint8Array): void {
    let datagram: ReturnType<typeof decodeSocksDatagram>
    try {
      datagram = decodeSocksDatagram(bytes)
    } catch (error) {
      if (error instanceof DecodeError) return
      throw error
    }
    const { from, payload } = datagram
    const ip = canonicalIp(from.host)
    if (ip === null || from.port === 0) return
    if (ip.includes(':') !== (this.#family === 6) && !this.#sentToName) return
    this.#receive(payload, { ip, port: from.port })
  }

  /** The relay, or the try to get one, is gone: again after a pause. */
  #lost(current: number, why: string): void {
    if (this.#closed || current !== this.#try) return
    this.#try += 1
    this.#timer?.cancel()
    const relay = this.#relay
    this.#relay = null
    void relay?.socket.close()
    const control = this.#control
    this.#control = null
    control?.destroy()
    // Waiting for a proxy that refuses would only send old questions.
    this.#waiting = null
    this.#deps.log.warn('no UDP relay at the proxy', { why, againInMs: this.#pauseMs })
    this.#timer = this.#deps.clock.after(this.#pauseMs, () => this.start())
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2)
  }
}

/** Where the relay is: many proxies answer with an unspecified address, which means their own. */
function relayAddress(bound: ProxyTarget, proxy: PeerAddress): PeerAddress {
  const ip = canonicalIp(bound.host)
  if (bound.port === 0) throw new DecodeError('the proxy gave a relay without a port')
  if (ip === null) throw new DecodeError('the proxy gave a relay without an address')
  return { ip: ip === '0.0.0.0' || ip === '::' ? proxy.ip : ip, port: bound.port }
}
