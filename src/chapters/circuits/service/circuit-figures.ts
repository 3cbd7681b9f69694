// The records of /debug/circuits, read at a request from what the overlays report. Nothing here starts them: before
// they run there are empty lists and zeros.

import type { JoinedCircuitFacts, OverlayFacts, OwnCircuitFacts } from '../../overlay/ports/overlay-facts.ts'
import type {
  CircuitNetworkRecord,
  CircuitRecord,
  CircuitsService,
  CircuitTrafficRecord,
  JoinedCircuitRecord,
  SlotsRecord,
} from './circuits-api.ts'
import { circuitReason } from './circuit-reason.ts'

/** What it reads. */
export interface CircuitFiguresDeps {
  /** Null while the node is starting. */
  overlay(): OverlayFacts | null
  /** Places that are not competed for (setting tunnel_community.random_slots). */
  randomSlots(): number
  /** The setting that forbids circuits; empty when none does. */
  forbiddenBy(): string
  /** How the overlays failed when they were to start; empty when they did not. */
  startFailure(): string
}

const NO_ADDRESS = '0.0.0.0:0'
/** An answer has no more than this, whatever the settings say. */
const MAX_SLOTS = 1000

/** See CircuitsService. */
export class CircuitFigures implements CircuitsService {
  readonly #deps: CircuitFiguresDeps

  constructor(deps: CircuitFiguresDeps) {
    this.#deps = deps
  }

  circuits(): CircuitRecord[] {
    const circuits = this.#running()?.circuits() ?? []
    return circuits.toSorted((a, b) => b.createdAtMs - a.createdAtMs).map(circuitRecord)
  }

  slots(): SlotsRecord[] {
    const overlay = this.#running()
    if (overlay === null) return []
    const total = Math.min(overlay.places().total, MAX_SLOTS)
    const random = Math.min(this.#deps.randomSlots(), total)
    const taken = this.#joined().map(({ id }) => id)
    return Array.from({ length: Math.max(random, total - random) }, (_, at) => ({
      competing: (at < total - random ? taken[random + at] : undefined) ?? 0,
      random: (at < random ? taken[at] : undefined) ?? 0,
    }))
  }

  relays(): JoinedCircuitRecord[] {
    return this.#joined().filter(({ role }) => role !== 'exit')
  }

  exits(): JoinedCircuitRecord[] {
    return this.#joined().filter(({ role }) => role === 'exit')
  }

  traffic(): CircuitTrafficRecord {
    const traffic = this.#deps.overlay()?.traffic()
    return {
      own_up: traffic?.ownUp ?? 0,
      own_down: traffic?.ownDown ?? 0,
      relayed: traffic?.relayed ?? 0,
      exited_up: traffic?.exitedUp ?? 0,
      exited_down: traffic?.exitedDown ?? 0,
    }
  }

  network(): CircuitNetworkRecord {
    const overlay = this.#running()
    const { forbiddenBy, startFailure } = this.#deps
    const [candidates, places] = [overlay?.candidates(), overlay?.places()]
    return {
      running: overlay !== null,
      wan_address: overlay?.wanAddress() ?? NO_ADDRESS,
      lan_address: overlay?.lanAddress() ?? NO_ADDRESS,
      runtime: overlay?.runtimeS() ?? 0,
      relays: candidates?.relays ?? 0,
      exits: candidates?.exits ?? 0,
      places: places?.total ?? 0,
      places_taken: places?.taken ?? 0,
      reason: circuitReason(overlay, { forbiddenBy: forbiddenBy(), startFailure: startFailure() }),
    }
  }

  #running(): OverlayFacts | null {
    const overlay = this.#deps.overlay()
    return overlay?.running === true ? overlay : null
  }

  /** The oldest first: a circuit keeps its place as long as those before it live. */
  #joined(): JoinedCircuitRecord[] {
    const joined = this.#running()?.joined() ?? []
    return joined.toSorted((a, b) => a.createdAtMs - b.createdAtMs).map(joinedRecord)
  }
}

function circuitRecord(circuit: OwnCircuitFacts): CircuitRecord {
  return {
    id: circuit.id,
    state: circuit.state,
    goal_hops: circuit.goalHops,
    bytes_up: circuit.bytesUp,
    bytes_down: circuit.bytesDown,
    created: unixTime(circuit.createdAtMs),
    hops: circuit.hops.map(({ host, member }) => ({ host: host ?? 'unknown', member })),
    purpose: circuit.purpose,
    speed_up: Math.round(circuit.rateUp),
    speed_down: Math.round(circuit.rateDown),
    rtt: circuit.rttMs === null ? null : Math.round(circuit.rttMs * 10) / 10,
    loss: circuit.loss,
    reason: circuit.reason ?? '',
  }
}

function joinedRecord(circuit: JoinedCircuitFacts): JoinedCircuitRecord {
  return {
    id: circuit.id,
    role: circuit.role,
    from: circuit.from,
    to: circuit.to ?? '',
    bytes_up: circuit.bytesUp,
    bytes_down: circuit.bytesDown,
    created: unixTime(circuit.createdAtMs),
  }
}

function unixTime(ms: number): number {
  return Math.floor(ms / 1000)
}
