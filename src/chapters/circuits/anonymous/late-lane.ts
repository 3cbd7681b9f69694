// A circuit lane that is there from the first moment: the overlay behind it starts when circuits are needed, and what
// cannot start is tried again. Until then sockets send nothing, swarms find no peers, and exchanges wait. Invariant:
// nothing here reaches the network but through the lane that `open` gave.

import { AppError, errorText } from '../../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../../base/ids.ts'
import type { CircuitFacts } from '../../../ports/overlay-network.ts'
import type { CircuitHttpRequest, CircuitLane, HiddenPeer, HiddenSwarm, HopCount } from '../ports/circuits.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { UdpNetwork, UdpSocket } from '../../../ports/udp.ts'

/** Wait after the first failed start of the overlay, doubled up to the longest. */
const FIRST_RETRY_MS = 2000
const LONGEST_RETRY_MS = 60_000

/** An exit gives a server 5 s and says nothing when it fails (protocol 10.2): no answer after this is none. */
const EXCHANGE_MS = 12_000

/** What is known while there is no lane. */
const NOTHING_KNOWN: CircuitFacts = { candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null }

/** What a late lane works with. */
export interface LateLaneDeps {
  readonly clock: Clock
  readonly log: Log
  /** The lane itself. Rejects with AppError CircuitsUnavailable. */
  open(): Promise<CircuitLane>
}

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/**
 * A circuit lane that is there from the first moment: the overlay behind it starts when circuits are needed, and what
 * cannot start is tried again.
 */
export class LateLane implements CircuitLane {
  readonly hops: HopCount
  readonly udp: UdpNetwork = { bind: (at, receive) => this.#bind(at, receive) }
  readonly #deps: LateLaneDeps
  readonly #sockets = new Set<LateSocket>()
  readonly #swarms = new Set<LateSwarm>()
  readonly #watchers = new Set<() => void>()
  #lane: CircuitLane | null = null
  #opening = false
  #retry: Timer | null = null
  #retryMs = FIRST_RETRY_MS
  #downloads = 0
  #exchanges = 0
  #told = 0
  #facts: CircuitFacts = NOTHING_KNOWN
  #unwatch: () => void = () => undefined
  #closed = false

  constructor(hops: HopCount, deps: LateLaneDeps) {
    this.hops = hops
    this.#deps = deps
  }

  /** The same object until something changes. */
  facts(): CircuitFacts {
    return this.#facts
  }

  watch(changed: () => void): () => void {
    const watcher = () => changed()
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  setDemand(downloads: number): void {
    this.#downloads = downloads
    this.#tellDemand()
  }

  /** As CircuitLane.exchange(), waiting for a circuit as long as the request may take. */
  async exchange(request: CircuitHttpRequest): Promise<Uint8Array> {
    const { clock } = this.#deps
    const untilMs = clock.now() + request.timeoutMs
    this.#exchanges += 1
    this.#tellDemand()
    try {
      const lane = await this.#whenReady(request)
      const timeoutMs = Math.min(EXCHANGE_MS, Math.max(1, untilMs - clock.now()))
      return await lane.exchange({ ...request, timeoutMs })
    } finally {
      this.#exchanges -= 1
      this.#tellDemand()
    }
  }

  join(infoHash: InfoHash, found: (peer: HiddenPeer) => void): HiddenSwarm {
    const swarm = new LateSwarm(infoHash, found, {
      log: this.#deps.log,
      forget: left => void this.#swarms.delete(left),
    })
    this.#swarms.add(swarm)
    if (this.#lane !== null) swarm.begin(this.#lane)
    return swarm
  }

  /** Leaves all swarms, closes all sockets and forgets the lane. */
  async close(): Promise<void> {
    this.#closed = true
    this.#retry?.cancel()
    this.#unwatch()
    this.#watchers.clear()
    for (const swarm of this.#swarms) swarm.leave()
    this.#lane?.setDemand(0)
    this.#lane = null
    await Promise.all([...this.#sockets].map(socket => socket.close()))
  }

  #tellDemand(): void {
    const demand = this.#downloads + this.#exchanges
    if (this.#closed) return
    if (this.#lane === null) return demand > 0 ? this.#open() : undefined
    if (demand === this.#told) return
    this.#told = demand
    this.#lane.setDemand(demand)
  }

  #open(): void {
    if (this.#opening || this.#retry !== null) return
    this.#opening = true
    this.#deps.open().then(
      lane => this.#opened(lane),
      (error: unknown) => this.#failed(error),
    )
  }

  #opened(lane: CircuitLane): void {
    this.#opening = false
    if (this.#closed) return
    this.#retryMs = FIRST_RETRY_MS
    this.#lane = lane
    this.#unwatch = lane.watch(() => this.#change(lane.facts()))
    for (const socket of this.#sockets) socket.begin(lane)
    for (const swarm of this.#swarms) swarm.begin(lane)
    this.#tellDemand()
    this.#change(lane.facts())
  }

  #failed(error: unknown): void {
    this.#opening = false
    if (this.#closed) return
    this.#deps.log.warn('no circuits: the overlay does not run', { hops: this.hops, error: errorText(error) })
    this.#retry = this.#deps.clock.after(this.#retryMs, () => {
      this.#retry = null
      this.#tellDemand()
    })
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
    this.#change({ ...NOTHING_KNOWN, lastFailure: errorText(error) })
  }

  #change(facts: CircuitFacts): void {
    this.#facts = { ...facts }
    for (const watcher of [...this.#watchers]) watcher()
  }

  async #bind({ family }: { readonly family: 4 | 6 }, receive: Receive): Promise<UdpSocket> {
    if (family === 6) throw new AppError('SourceFailed', 'circuits carry IPv4 only')
    const socket = new LateSocket(receive, this.#deps.log, closed => void this.#sockets.delete(closed))
    this.#sockets.add(socket)
    if (this.#lane !== null) socket.begin(this.#lane)
    return socket
  }

  /** The lane once a circuit is ready. Rejects with AppError SourceFailed (time), Aborted. */
  #whenReady({ timeoutMs, signal }: CircuitHttpRequest): Promise<CircuitLane> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        stop()
        late.cancel()
        signal?.removeEventListener('abort', abort)
        settle()
      }
      const look = (): void => {
        const lane = this.#lane
        if (lane !== null && this.#facts.ready > 0) end(() => resolve(lane))
      }
      const abort = (): void => end(() => reject(new AppError('Aborted')))
      const stop = this.watch(look)
      const late = this.#deps.clock.after(timeoutMs, () =>
        end(() => reject(new AppError('SourceFailed', whyNot(this.#facts)))),
      )
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted === true) abort()
      else look()
    })
  }
}

/** Why there is no circuit, for people. */
function whyNot({ candidates, exits, lastFailure }: CircuitFacts): string {
  const known = `no circuit was ready in time (${candidates} candidates, ${exits} exits known)`
  return lastFailure === null ? known : `${known}: ${lastFailure}`
}

/** A socket that has its lane's once there is one. */
class LateSocket implements UdpSocket {
  readonly #receive: Receive
  readonly #log: Log
  readonly #forget: (socket: LateSocket) => void
  #socket: UdpSocket | null = null
  #closed = false
  #lost: (key: string) => void = () => undefined

  constructor(receive: Receive, log: Log, forget: (socket: LateSocket) => void) {
    this.#receive = receive
    this.#log = log
    this.#forget = forget
  }

  get address(): PeerAddress {
    return this.#socket?.address ?? { ip: '0.0.0.0', port: 0 }
  }

  begin(lane: CircuitLane): void {
    lane.udp.bind({ family: 4, ip: null, port: 0 }, this.#receive).then(
      socket => {
        if (this.#closed) return void socket.close()
        this.#socket = socket
        socket.watchLost?.(key => this.#lost(key))
      },
      (error: unknown) => this.#log.error('a lane gives no socket', { error: errorText(error) }),
    )
  }

  send(bytes: Uint8Array, to: PeerAddress): void {
    this.#socket?.send(bytes, to)
  }

  sendToName(bytes: Uint8Array, to: { readonly host: string; readonly port: number }): void {
    this.#socket?.sendToName?.(bytes, to)
  }

  watchLost(lost: (key: string) => void): void {
    this.#lost = lost
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#forget(this)
    await this.#socket?.close()
  }
}

/** A swarm that is joined once there is a lane. */
class LateSwarm implements HiddenSwarm {
  readonly #infoHash: InfoHash
  readonly #found: (peer: HiddenPeer) => void
  readonly #forget: (swarm: LateSwarm) => void
  readonly #log: Log
  #swarm: HiddenSwarm | null = null
  #seeding = false
  #sated = false

  constructor(
    infoHash: InfoHash,
    found: (peer: HiddenPeer) => void,
    { log, forget }: { readonly log: Log; readonly forget: (swarm: LateSwarm) => void },
  ) {
    this.#infoHash = infoHash
    this.#log = log
    this.#found = found
    this.#forget = forget
  }

  /** Without hidden swarms a lane still has exits. */
  begin(lane: CircuitLane): void {
    try {
      this.#swarm = lane.join(this.#infoHash, this.#found)
    } catch (error) {
      this.#log.debug('no hidden swarm', { infoHash: this.#infoHash, error: errorText(error) })
      return
    }
    this.#swarm.setSeeding(this.#seeding)
    this.#swarm.setSated(this.#sated)
  }

  setSeeding(seeding: boolean): void {
    if (this.#seeding === seeding) return
    this.#seeding = seeding
    this.#swarm?.setSeeding(seeding)
  }

  setSated(sated: boolean): void {
    if (this.#sated === sated) return
    this.#sated = sated
    this.#swarm?.setSated(sated)
  }

  leave(): void {
    this.#forget(this)
    this.#swarm?.leave()
    this.#swarm = null
  }
}
