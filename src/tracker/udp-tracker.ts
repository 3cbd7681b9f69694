// Trackers over UDP (BEP 15, 41): one shared socket a family, connection ids kept for their minute, retransmission.
// A datagram counts only when its sender and transaction id are those of a request that waits; everything else is
// dropped unread. Steps of a request: (connect ->) announce or scrape -> done; a silence of 15 x 2^n s = next try.

import { DecodeError, errorText } from '../base/errors.ts'
import { addressKey, type PeerAddress } from '../base/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { NameResolver } from '../ports/name-resolver.ts'
import type { Random } from '../ports/random.ts'
import type { UdpNetwork, UdpSocket } from '../ports/udp.ts'
import { isLoopbackIp, parseIp } from '../wire/net/compact-address.ts'
import { isLocalName } from '../wire/net/local-address.ts'
import type { AnnounceReply, AnnounceRequest, ScrapeCounts } from '../wire/tracker/tracker-types.ts'
import {
  decodeUdpAnswer,
  encodeUdpAnnounce,
  encodeUdpConnect,
  encodeUdpScrape,
  type UdpTrackerAnswer,
  udpTransactionId,
} from '../wire/tracker/tracker-udp.ts'
import type { DueQueue } from './due-queue.ts'
import { PRIVATE_TRACKER_PATHS, type TrackerClient, TrackerError } from './tracker-client.ts'

/** How long a client may use a connection id (BEP 15). */
const CONNECTION_ID_MS = 60_000
/** Most connection ids kept. */
const MAX_CONNECTION_IDS = 256

/** Tries and times of one announce. */
export interface UdpTrackerOptions {
  /** Address to send from; null = any. */
  readonly localIp: string | null
  /** First time-out; doubles with every try (BEP 15: 15 s). */
  readonly retryBaseMs: number
  /** Tries until the tracker counts as silent (BEP 15 would allow 9: over two hours). */
  readonly tries: number
  /** Host names go to the proxy behind the sockets unresolved. */
  readonly namesToProxy: boolean
}

/** What UDP announces go through. */
export interface UdpTrackerDeps {
  readonly udp: UdpNetwork
  readonly resolver: NameResolver
  readonly random: Random
  readonly clock: Clock
  readonly due: DueQueue
}

interface Target {
  readonly socket: UdpSocket
  /** Of a name that the proxy resolves: the name. */
  readonly address: PeerAddress
  readonly isName: boolean
  readonly key: string
  readonly urlData: string
}

interface Waiting {
  /** Who may answer; null = anybody the proxy has asked. */
  readonly from: string | null
  readonly settle: (result: UdpTrackerAnswer | Error | null) => void
}

type BuildPacket = (connectionId: bigint, transactionId: number) => Uint8Array

/** TrackerClient for udp: URLs. */
export class UdpTracker implements TrackerClient {
  readonly #options: UdpTrackerOptions
  readonly #deps: UdpTrackerDeps
  readonly #sockets = new Map<4 | 6, Promise<UdpSocket>>()
  readonly #waiting = new Map<number, Waiting>()
  readonly #connectionIds = new Map<string, { readonly id: bigint; readonly untilMs: number }>()
  #closed = false

  constructor(options: UdpTrackerOptions, deps: UdpTrackerDeps) {
    this.#options = options
    this.#deps = deps
  }

  async announce(url: string, request: AnnounceRequest, signal: AbortSignal): Promise<AnnounceReply> {
    const target = await this.#target(url)
    const build: BuildPacket = (id, tid) => encodeUdpAnnounce(id, tid, request, target.urlData)
    const answer = await this.#ask(target, build, signal)
    if (answer.action !== 'announce') throw new TrackerError('the tracker answered something else')
    const here = isLoopbackIp(target.address.ip)
    return {
      intervalSec: answer.intervalSec,
      minIntervalSec: null,
      peers: answer.peers.filter(peer => here || !isLoopbackIp(peer.ip)),
      seeders: answer.seeders,
      leechers: answer.leechers,
      warning: null,
      trackerId: null,
      externalIp: null,
    }
  }

  async scrape(
    url: string,
    infoHashes: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly (ScrapeCounts | null)[]> {
    const target = await this.#target(url)
    const answer = await this.#ask(target, (id, tid) => encodeUdpScrape(id, tid, infoHashes), signal)
    if (answer.action !== 'scrape') throw new TrackerError('the tracker answered something else')
    return infoHashes.map((_, index) => answer.counts[index] ?? null)
  }

  /** Ends what waits and closes the sockets. */
  async close(): Promise<void> {
    this.#closed = true
    for (const waiting of this.#waiting.values()) waiting.settle(new TrackerError('the node is stopping'))
    const sockets = [...this.#sockets.values()]
    this.#sockets.clear()
    for (const socket of sockets) {
      const bound = await socket.catch(() => null)
      await bound?.close()
    }
  }

  async #target(url: string): Promise<Target> {
    const { host, port, urlData, path } = udpUrlParts(url)
    if (this.#options.namesToProxy && parseIp(host) === null) return this.#named(host, port, urlData)
    const addresses = await this.#deps.resolver.resolve(host).catch((error: unknown) => {
      throw new TrackerError(errorText(error), null, true)
    })
    const usable = addresses.filter(address => address.class !== 'refused' && this.#familyFits(address.family))
    const chosen = usable.find(address => address.family === 4) ?? usable[0]
    if (chosen === undefined) throw new TrackerError('the tracker has no address that can be used')
    if (chosen.class === 'private' && path !== '' && path !== '/' && !PRIVATE_TRACKER_PATHS.has(path)) {
      throw new TrackerError(
        'a tracker on a private address may only have the path /announce; setting network.allow_private allows others',
      )
    }
    const address = { ip: chosen.ip, port }
    const socket = await this.#socket(chosen.family)
    return { socket, address, isName: false, key: addressKey(address), urlData }
  }

  /** A name that the proxy resolves; as it cannot be judged here, it must not be a local one. */
  async #named(host: string, port: number, urlData: string): Promise<Target> {
    if (isLocalName(host)) throw new TrackerError('the tracker has no address that can be used')
    const address = { ip: host, port }
    return { socket: await this.#socket(4), address, isName: true, key: addressKey(address), urlData }
  }

  #familyFits(family: 4 | 6): boolean {
    const local = this.#options.localIp === null ? null : parseIp(this.#options.localIp)
    return local === null || local.length === (family === 4 ? 4 : 16)
  }

  async #socket(family: 4 | 6): Promise<UdpSocket> {
    if (this.#closed) throw new TrackerError('the node is stopping')
    const at = { family, ip: this.#options.localIp, port: 0 } as const
    const known = this.#sockets.get(family)
    const socket = known ?? this.#deps.udp.bind(at, (bytes, from) => this.#receive(bytes, from))
    this.#sockets.set(family, socket)
    try {
      return await socket
    } catch (error) {
      this.#sockets.delete(family)
      throw new TrackerError(`no UDP socket: ${errorText(error)}`)
    }
  }

  /** Tries until an answer comes. A connection id that ran out, or that the tracker forgot, is requested again. */
  async #ask(target: Target, build: BuildPacket, signal: AbortSignal): Promise<UdpTrackerAnswer> {
    for (let attempt = 0; attempt < this.#options.tries; attempt++) {
      const timeoutMs = this.#options.retryBaseMs * 2 ** attempt
      const known = this.#knownConnection(target.key)
      const id = known ?? (await this.#connect(target, timeoutMs, signal))
      if (id === null) continue
      const answer = await this.#exchange(target, tid => build(id, tid), timeoutMs, signal)
      if (answer === null) continue
      if (answer.action !== 'error') return answer
      this.#connectionIds.delete(target.key)
      // The fault may be an id from before the tracker's restart: a fresh one settles it, once.
      if (known === null) throw new TrackerError(answer.message || 'the tracker refused', null, true, true)
    }
    throw new TrackerError('the tracker does not answer')
  }

  async #connect(target: Target, timeoutMs: number, signal: AbortSignal): Promise<bigint | null> {
    const answer = await this.#exchange(target, encodeUdpConnect, timeoutMs, signal)
    if (answer === null) return null
    if (answer.action === 'error') throw new TrackerError(answer.message || 'the tracker refused', null, true, true)
    if (answer.action !== 'connect') throw new TrackerError('the tracker answered something else')
    this.#keepConnection(target.key, answer.connectionId)
    return answer.connectionId
  }

  #knownConnection(key: string): bigint | null {
    const known = this.#connectionIds.get(key)
    return known !== undefined && known.untilMs > this.#deps.clock.now() ? known.id : null
  }

  #keepConnection(key: string, id: bigint): void {
    this.#connectionIds.delete(key)
    for (const oldest of this.#connectionIds.keys()) {
      if (this.#connectionIds.size < MAX_CONNECTION_IDS) break
      this.#connectionIds.delete(oldest)
    }
    this.#connectionIds.set(key, { id, untilMs: this.#deps.clock.now() + CONNECTION_ID_MS })
  }

  #freshTransactionId(): number {
    for (;;) {
      const id = Buffer.from(this.#deps.random.bytes(4)).readUInt32BE(0)
      if (!this.#waiting.has(id)) return id
    }
  }

  /** Sends one packet and waits for its answer; null when none comes in time. */
  #exchange(
    target: Target,
    build: (transactionId: number) => Uint8Array,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<UdpTrackerAnswer | null> {
    if (signal.aborted || this.#closed) return Promise.reject(new TrackerError('given up'))
    const transactionId = this.#freshTransactionId()
    return new Promise((resolve, reject) => {
      const settle = (result: UdpTrackerAnswer | Error | null): void => {
        this.#waiting.delete(transactionId)
        timeout.cancel()
        signal.removeEventListener('abort', giveUp)
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
      const giveUp = (): void => settle(new TrackerError('given up'))
      const timeout = this.#deps.due.create(() => settle(null))
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.set(transactionId, { from: target.isName ? null : target.key, settle })
      timeout.set(timeoutMs)
      const packet = build(transactionId)
      if (target.isName) target.socket.sendToName?.(packet, { host: target.address.ip, port: target.address.port })
      else target.socket.send(packet, target.address)
    })
  }

  #receive(bytes: Uint8Array, from: PeerAddress): void {
    const transactionId = udpTransactionId(bytes)
    const waiting = transactionId === null ? undefined : this.#waiting.get(transactionId)
    if (waiting === undefined || (waiting.from !== null && waiting.from !== addressKey(from))) return
    try {
      waiting.settle(decodeUdpAnswer(bytes, from.ip.includes(':') ? 16 : 4))
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      waiting.settle(new TrackerError(`the tracker's answer cannot be read (${error.message})`))
    }
  }
}

/** Host, port and URL data (BEP 41: path and query) of a udp: URL. Throws TrackerError. */
function udpUrlParts(url: string): { host: string; port: number; path: string; urlData: string } {
  const parsed = URL.parse(url)
  const port = Number(parsed?.port)
  if (parsed === null || parsed.hostname === '' || !(port >= 1)) throw new TrackerError('the URL has no host and port')
  const host = parsed.hostname.startsWith('[') ? parsed.hostname.slice(1, -1) : parsed.hostname
  const path = parsed.pathname
  const urlData = path === '/' && parsed.search === '' ? '' : `${path}${parsed.search}`
  return { host, port, path, urlData }
}
