// The lanes of all hop counts, over one set of circuits: what comes out of a circuit goes to the lane that has it.

import { AppError } from '../../../base/errors.ts'
import type { HopCount } from '../ports/circuits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { data } from '../wire/circuit-messages.ts'
import { type DataText, readDataText } from '../wire/data-cell.ts'
import { addressOfCircuit } from '../wire/hidden-names.ts'
import { hasPrefix } from '../../overlay/wire/packet.ts'
import { CircuitExchanges } from './circuit-exchanges.ts'
import type { CircuitsForHidden } from '../hidden/circuits-for-hidden.ts'
import { KnownAddresses } from './known-addresses.ts'
import type { LaneLimits } from './lane-circuits.ts'
import { type JoinHidden, Lane } from './lane.ts'
import type { OwnCircuit } from './own-circuit.ts'
import type { Tunnels } from './tunnels.ts'

/** What they work with. */
export interface LanesDeps {
  readonly tunnels: Tunnels
  readonly hidden: CircuitsForHidden
  readonly clock: Clock
  readonly random: Random
  limits(): LaneLimits
  /** Null: there are no hidden swarms. */
  readonly join: JoinHidden | null
}

/** The lanes of all hop counts, over one set of circuits: what comes out of a circuit goes to the lane that has it. */
export class CircuitLanes {
  readonly #deps: LanesDeps
  readonly #exchanges: CircuitExchanges
  readonly #lanes = new Map<HopCount, Lane>()
  readonly #known = new KnownAddresses()
  readonly #text: DataText = { destinationAt: 0, originAt: 0, dataAt: 0 }

  constructor(deps: LanesDeps) {
    this.#deps = deps
    const { own } = deps.tunnels
    this.#exchanges = new CircuitExchanges({ ...deps, own })
    own.handlers.onRaw(data.id, (circuit, cell, at, end) => this.#data(circuit, cell, at, end))
    own.watch({ ready: () => undefined, removed: circuit => this.#laneOf(circuit)?.unlink(circuit) })
    deps.hidden.linked = circuit => this.lane(laneHops(circuit)).link(circuit)
  }

  /** The lane of a hop count; made at the first call. */
  lane(hops: HopCount): Lane {
    let lane = this.#lanes.get(hops)
    if (lane === undefined) {
      const { tunnels, clock, limits } = this.#deps
      const join = this.#deps.join ?? noHidden
      lane = new Lane(hops, {
        own: tunnels.own,
        candidates: tunnels.candidates,
        exchanges: this.#exchanges,
        clock,
        limits,
        join,
      })
      this.#lanes.set(hops, lane)
    }
    return lane
  }

  stop(): void {
    for (const lane of this.#lanes.values()) lane.stop()
    this.#lanes.clear()
  }

  /** Data comes from exits, from the other end of linked circuits, or is for hidden services. */
  #data(circuit: OwnCircuit, cell: Uint8Array, at: number, end: number): void {
    const text = this.#text
    readDataText(cell, at, end, text)
    const payload = cell.subarray(text.dataAt, end)
    if (circuit.endToEnd !== null) {
      this.#laneOf(circuit)?.receive(circuit, addressOfCircuit(circuit.id), payload)
      return
    }
    const origin = this.#known.read(cell, text.originAt, end)
    if ('host' in origin) return
    const { hidden, tunnels } = this.#deps
    if (!hidden.has(circuit)) this.#laneOf(circuit)?.receive(circuit, origin, payload)
    else if (hasPrefix(payload, tunnels.wire.prefix)) hidden.packet(circuit, origin, payload)
  }

  #laneOf(circuit: OwnCircuit): Lane | undefined {
    if (circuit.endToEnd !== null) return this.#lanes.get(laneHops(circuit))
    const lane = this.#lanes.get(circuit.goalHops as HopCount)
    return lane?.has(circuit) === true ? lane : undefined
  }
}

/** The hop count of the downloads that a linked circuit serves: the downloader's goes one hop further (8.4). */
function laneHops({ purpose, goalHops }: OwnCircuit): HopCount {
  return Math.max(1, Math.min(3, purpose === 'rendezvous-downloader' ? goalHops - 1 : goalHops)) as HopCount
}

const noHidden: JoinHidden = () => {
  throw new AppError('CircuitsUnavailable', 'There are no hidden swarms here.')
}
