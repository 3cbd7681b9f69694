// The tunnel overlay: cells by what they are, circuits of our own and of others, candidates. Everything else of this
// folder hangs here. Invariants: a circuit id means one thing; a packet that was not asked for changes nothing.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Community } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { NameResolver } from '../../../ports/name-resolver.ts'
import type { HandshakeDone, OverlayCrypto } from '../../overlay/ports/overlay-crypto.ts'
import type { OverlayCryptoPool } from '../../overlay/ports/overlay-crypto-pool.ts'
import type { CircuitTraffic } from '../../overlay/ports/overlay-facts.ts'
import type { Random } from '../../../ports/random.ts'
import type { TcpNetwork } from '../../../ports/tcp.ts'
import type { UdpNetwork } from '../../../ports/udp.ts'
import { CELL_HEADER_BYTES, circuitIdOf, isCell, isPlainCell } from '../wire/cell.ts'
import { CELL_ID, create, created, data, destroy } from '../wire/circuit-messages.ts'
import { decodePeerFlags, encodePeerFlags } from '../../overlay/wire/peer-flags.ts'
import { Candidates } from './candidates.ts'
import { CellHandlers } from './cell-handlers.ts'
import type { EndingCircuit } from './ending-circuit.ts'
import { ExitHttp } from './exit-http.ts'
import { JoinedCircuits } from './joined-circuits.ts'
import { MAINTENANCE_MS } from './limits.ts'
import type { CircuitWire, OwnCircuit } from './own-circuit.ts'
import { OwnCircuits } from './own-circuits.ts'
import { PlainRelayPath, type RelayPath } from './relay-path.ts'
import { ServedMessages } from './served-messages.ts'
import { SealingOutbox } from './sealing-outbox.ts'
import { ServingHop } from './serving-hop.ts'
import { SlotRing } from './slot-ring.ts'

/** What this node is for others. */
export interface TunnelOptions {
  /** Sum of PEER_FLAG; 0: circuits of others do not run through here. */
  readonly flags: number
  /** Most circuits of others. */
  readonly places: number
}

/** What it works with. */
export interface TunnelDeps {
  readonly community: Community
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly crypto: Pick<OverlayCrypto, 'begin'>
  /** Answers a handshake (32 bytes) with our key, perhaps on another thread. */
  respond(ephemeral: Uint8Array): Promise<HandshakeDone | null>
  /** What exits leave through. */
  readonly udp: UdpNetwork
  readonly tcp: TcpNetwork
  readonly resolver: NameResolver
  /** Whether strangers may have this node reach a literal address. */
  mayReach(ip: string): boolean
  /** Ports from 1024 up where exits ask no web server for strangers. */
  readonly refusedPorts: ReadonlySet<number>
  /** Bytes that the overlay's socket has not taken yet. */
  unsent?(): number
  /** Puts layers on many cells, away from the main thread; absent: each cell gets its own here. */
  readonly pool?: Pick<OverlayCryptoPool, 'sealAll'>
}

/** Packets that were dropped, for statistics. */
export interface TunnelDrops {
  /** Cells that could not be read. */
  readonly unreadable: number
  /** Cells of no circuit, or that may not be. */
  readonly forbidden: number
  /** Creates, extends and answers that were too many or not asked for. */
  readonly refused: number
  /** Messages in readable cells that were malformed, or that were not asked for. */
  readonly malformed: number
  /** Datagrams that exits did not let pass. */
  readonly policy: number
}

/** The tunnel overlay: cells by what they are, circuits of our own and of others, candidates. */
export class Tunnels {
  readonly candidates = new Candidates()
  readonly own: OwnCircuits
  readonly joined: JoinedCircuits
  /** What messages mean that come out of circuits that end here. */
  readonly servedHandlers = new CellHandlers<EndingCircuit>()
  readonly served: ServedMessages
  readonly wire: CircuitWire
  readonly #deps: TunnelDeps
  readonly #path: RelayPath
  readonly #serving: ServingHop
  readonly #exitCounts = { up: 0, down: 0, refused: 0 }
  readonly #ends: (() => void)[] = []
  #timer: Timer | null = null
  #flags: number
  #forbidden = 0
  #stopped = false

  constructor(options: TunnelOptions, deps: TunnelDeps) {
    this.#deps = deps
    this.#flags = options.flags
    const { overlay } = deps.community
    const { publicKey } = overlay.identity
    const { pool, unsent = () => 0 } = deps
    this.wire = {
      prefix: overlay.prefix,
      ring: new SlotRing(unsent),
      ...(pool === undefined ? {} : { outbox: new SealingOutbox({ pool, clock: deps.clock, unsent }) }),
      send: (cell, to) => overlay.sendBytes(cell, to),
    }
    this.#path = new PlainRelayPath(this.wire)
    const sendDestroy = this.#sendDestroy.bind(this)
    const freshId = this.#freshId.bind(this)
    const shared = { ...deps, candidates: this.candidates, wire: this.wire, publicKey, sendDestroy, freshId }
    this.own = new OwnCircuits(shared)
    this.joined = new JoinedCircuits(options, { clock: deps.clock, path: this.#path, sendDestroy })
    const flags = (): number => this.#flags
    this.#serving = new ServingHop({
      ...shared,
      joined: this.joined,
      flags,
      hasId: id => this.#hasId(id),
      peerOf: key => overlay.peerOf(key),
    })
    const leaving = { ...deps, prefix: overlay.prefix, counts: this.#exitCounts, flags }
    const http = new ExitHttp(leaving)
    this.served = new ServedMessages(this.servedHandlers, {
      clock: deps.clock,
      serving: this.#serving,
      exit: leaving,
      http,
    })
    this.#listen()
  }

  /** Our flags, as introductions tell them. */
  get flags(): number {
    return this.#flags
  }

  /** The settings changed. Circuits that run go on. */
  setOptions({ flags, places }: TunnelOptions): void {
    this.#flags = flags
    this.joined.setPlaces(places)
  }

  /** A node did not do what it should as hop: it is chosen where there is no other. */
  doubt(publicKey: Uint8Array): void {
    this.candidates.doubt(publicKey, this.#deps.clock.now())
  }

  /** Bytes by whose traffic they were. */
  get traffic(): CircuitTraffic {
    const { up, down } = this.own.totals
    const { up: exitedUp, down: exitedDown } = this.#exitCounts
    return { ownUp: up, ownDown: down, relayed: this.#path.bytes, exitedUp, exitedDown }
  }

  get drops(): TunnelDrops {
    const { unreadable, forbidden } = this.#path.drops
    return {
      unreadable: unreadable + this.own.totals.bad,
      forbidden: forbidden + this.#forbidden,
      refused: this.#serving.dropped,
      malformed: this.own.handlers.dropped + this.servedHandlers.dropped,
      policy: this.#exitCounts.refused,
    }
  }

  /** Ends all circuits at once; neighbours hear of it. The overlay is the caller's to close. */
  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.own.stop()
    this.#serving.stop()
    this.joined.stop()
    this.#timer?.cancel()
    for (const end of this.#ends.splice(0)) end()
  }

  #listen(): void {
    const { community, clock } = this.#deps
    const { overlay, introductions } = community
    overlay.onRaw(CELL_ID, (cell, from) => this.#cell(cell, from))
    overlay.onSigned(destroy, ({ circuitId, reason }, { publicKey }) => this.#destroyed(circuitId, publicKey, reason))
    introductions.setExtra(() => encodePeerFlags(this.#flags))
    this.#ends.push(
      introductions.onExtra((peer, extra) => this.candidates.note(peer, decodePeerFlags(extra))),
      overlay.onPeerGone(peer => this.candidates.forget(peer)),
    )
    this.#timer = clock.every(MAINTENANCE_MS, () => this.joined.look())
  }

  #cell(cell: Uint8Array, from: PeerAddress): void {
    if (this.#stopped) return
    if (!isCell(cell)) this.#forbidden++
    else if (isPlainCell(cell)) this.#plain(cell, from)
    else {
      const id = circuitIdOf(cell)
      const circuit = this.own.at(id)
      if (circuit !== undefined) this.#ownCell(circuit, cell, from)
      else if (!this.#path.take(cell, from)) this.#endingCell(id, cell, from)
    }
  }

  #ownCell(circuit: OwnCircuit, cell: Uint8Array, from: PeerAddress): void {
    const { firstHop } = circuit
    if (firstHop === null || from.ip !== firstHop.ip) {
      this.#forbidden++
      return
    }
    const text = circuit.open(cell)
    if (text !== null) this.own.handlers.handle(circuit, cell, text.at, text.end)
  }

  #endingCell(id: number, cell: Uint8Array, from: PeerAddress): void {
    const circuit = this.joined.endingAt(id)
    const text = circuit?.open(cell) ?? null
    // A socket is opened only for who is before us.
    if (circuit === undefined || text === null || (cell[text.at] === data.id && from.ip !== circuit.previous.ip))
      this.#forbidden++
    else this.servedHandlers.handle(circuit, cell, text.at, text.end)
  }

  /** Only create and created are ever in clear. */
  #plain(cell: Uint8Array, from: PeerAddress): void {
    const id = circuitIdOf(cell)
    const kind = cell[CELL_HEADER_BYTES]
    if (kind !== create.id && kind !== created.id) this.#forbidden++
    else this.#plainHandlers.handle({ id, from }, cell, CELL_HEADER_BYTES, cell.length)
  }

  readonly #plainHandlers = this.#makePlainHandlers()

  #makePlainHandlers(): CellHandlers<{ readonly id: number; readonly from: PeerAddress }> {
    const handlers = new CellHandlers<{ readonly id: number; readonly from: PeerAddress }>()
    handlers.on(create, ({ id, from }, values) => this.#serving.create(id, from, values))
    handlers.on(created, ({ id, from }, values) => {
      const circuit = this.own.at(id)
      if (circuit === undefined) this.#serving.created(id, from, values)
      else if (!this.own.created(circuit, values, from)) this.#forbidden++
    })
    return handlers
  }

  #destroyed(id: number, publicKey: Uint8Array, reason: number): void {
    const circuit = this.own.at(id)
    const done =
      circuit === undefined ? this.joined.destroyed(id, publicKey, reason) : this.own.destroyed(circuit, publicKey)
    if (!done) this.#deps.community.overlay.countDropped()
  }

  #sendDestroy(circuitId: number, reason: number, to: PeerAddress): void {
    this.#deps.community.overlay.send(destroy, { circuitId, reason }, to)
  }

  #hasId(id: number): boolean {
    return this.own.at(id) !== undefined || this.joined.has(id) || this.#serving.hasLink(id)
  }

  /** Few are in use: chance finds a free one soon. */
  #freshId(): number {
    for (;;) {
      const id = this.#deps.random.below(0x1_0000_0000)
      if (id !== 0 && !this.#hasId(id)) return id
    }
  }
}
