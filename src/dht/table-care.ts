// Keeps the routing table of one family alive: nodes that were heard of are asked whether they live, questionable ones
// are asked again, stale buckets are refreshed (BEP 5), and our own neighbourhood is looked up at the start and when
// our id changes. Everything in small steps, so that the traffic is steady. Invariant: few pings at once.

import { addressKey, type PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import { ID_BYTES, idAtDepth } from '../wire/dht/dht-id.ts'
import type { NodeContact } from '../wire/dht/krpc-types.ts'
import type { Cancellable, LookupQueue } from './lookup-queue.ts'
import type { RoutingTable } from './routing-table.ts'
import type { Rpc } from './rpc.ts'

/** Time between two steps, and questionable nodes asked in each: a table of 300 nodes is gone through in 15 minutes. */
const STEP_MS = 6000
const PINGS_A_STEP = 2
/** Pings under way at once. */
const MAX_PINGS = 16
/** Of these, pings to nodes that were only heard of: made-up nodes must not stop the care of known ones. */
const MAX_HEARD_PINGS = 12
/** Contacts that wait for a ping: those of a saved table. */
const MAX_BACKLOG = 400
/** With fewer live nodes our neighbourhood is looked up again and again, this far apart. */
export const FEW_NODES = 16
const FEW_NODES_MS = 60_000
/** The first lookups after the one for our own id: one in each of the farthest buckets, which hold most nodes. */
const FIRST_REFRESHES = 2

/** What the care works with. */
export interface TableCareDeps {
  readonly clock: Clock
  readonly random: Random
  readonly table: RoutingTable
  readonly rpc: Rpc
  readonly lookups: LookupQueue
  /** Our own neighbourhood was looked up. */
  settled(): void
}

/** Tends one routing table. */
export class TableCare {
  readonly #deps: TableCareDeps
  readonly #pings = new Set<string>()
  #backlog: NodeContact[] = []
  #refresh: Cancellable | null = null
  #timer: Timer | null = null
  #neighboursMs = -Infinity

  constructor(deps: TableCareDeps) {
    this.#deps = deps
  }

  /** True while a lookup of its own is under way. */
  get busy(): boolean {
    return this.#refresh !== null
  }

  /** Begins with `saved` contacts (none of them is believed yet). */
  start(saved: readonly NodeContact[]): void {
    this.#backlog = saved.slice(0, MAX_BACKLOG)
    if (saved.length > 0) this.findNeighbours(saved)
    this.#timer = this.#deps.clock.every(STEP_MS, () => this.#step())
  }

  stop(): void {
    this.#timer?.cancel()
    this.#refresh?.cancel()
    this.#refresh = null
  }

  /** Looks our own id up, beginning with `contacts` and the table, then the farthest buckets. */
  findNeighbours(contacts: readonly NodeContact[]): void {
    this.#refresh?.cancel()
    this.#neighboursMs = this.#deps.clock.now()
    this.#refreshAt(this.#deps.table.ownId, contacts, () => {
      this.#deps.settled()
      this.#refreshFarthest(0)
    })
  }

  /**
   * Others named these nodes, or a query came from there: those the table has use for are asked whether they live. What
   * is too much at once is passed over; it will be heard of again.
   */
  heardOf(contacts: readonly NodeContact[]): void {
    for (const contact of contacts) {
      if (this.#pings.size >= MAX_HEARD_PINGS) return
      if (this.#deps.table.wants(contact)) this.ping(contact.address)
    }
  }

  /** Asks whether there is a node; its answer puts it into the table. */
  ping(address: PeerAddress): void {
    const key = addressKey(address)
    if (this.#pings.size >= MAX_PINGS || this.#pings.has(key)) return
    this.#pings.add(key)
    const over = (): void => void this.#pings.delete(key)
    this.#deps.rpc.ask(address, { method: 'ping' }, { reply: over, failed: over })
  }

  #step(): void {
    const { table, clock } = this.#deps
    for (let i = 0; i < PINGS_A_STEP; i++) {
      const questionable = table.questionable(clock.now())
      if (questionable !== null) this.ping(questionable.address)
    }
    while (this.#backlog.length > 0 && this.#pings.size < MAX_HEARD_PINGS) this.heardOf(this.#backlog.splice(0, 1))
    if (this.#refresh !== null || table.size === 0) return
    const depth = table.takeStaleDepth(clock.now())
    // BEP 5: from the first node on, also when a PORT message brought it.
    if (table.size < FEW_NODES && clock.now() - this.#neighboursMs >= FEW_NODES_MS) this.findNeighbours([])
    else if (depth !== null) this.#refreshDepth(depth, () => undefined)
  }

  #refreshFarthest(depth: number): void {
    if (depth < FIRST_REFRESHES) this.#refreshDepth(depth, () => this.#refreshFarthest(depth + 1))
  }

  #refreshDepth(depth: number, then: () => void): void {
    const { table, random } = this.#deps
    this.#refreshAt(idAtDepth(table.ownId, depth, random.bytes(ID_BYTES)), [], then)
  }

  #refreshAt(target: Uint8Array, contacts: readonly NodeContact[], then: () => void): void {
    this.#refresh = this.#deps.lookups.add(
      {
        target,
        query: { method: 'find_node', target, want: null },
        contacts,
        onDone: () => {
          this.#refresh = null
          then()
        },
      },
      true,
    )
  }
}
