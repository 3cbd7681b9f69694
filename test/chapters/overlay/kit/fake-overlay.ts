// Overlays as those see them who show them: what they tell is set by the test.

import type { OverlayRow } from '../../../../src/ports/overlay-network.ts'
import type {
  CircuitEvent,
  CircuitTraffic,
  JoinedCircuitFacts,
  OverlayFacts,
  OwnCircuitFacts,
} from '../../../../src/chapters/overlay/ports/overlay-facts.ts'

const CREATED_MS = 1_795_000_000_500

/** A circuit that is ready; `id` also tells its hops apart. */
export function ownCircuit(id: number, parts: Partial<OwnCircuitFacts> = {}): OwnCircuitFacts {
  const member = (hop: number) => `${id}${hop}`.padStart(40, '0')
  return {
    id,
    state: 'READY',
    purpose: 'data',
    goalHops: 3,
    hops: [
      { host: `203.0.113.${id % 256}:7759`, member: member(1) },
      { host: null, member: member(2) },
      { host: null, member: member(3) },
    ],
    bytesUp: 1000 * id,
    bytesDown: 20_000 * id,
    rateUp: 10.4,
    rateDown: 2_500_000.6,
    rttMs: 84.26,
    loss: 0.02,
    createdAtMs: CREATED_MS + id,
    reason: null,
    ...parts,
  }
}

/** A circuit of others. */
export function joinedCircuit(id: number, parts: Partial<JoinedCircuitFacts> = {}): JoinedCircuitFacts {
  return {
    id,
    role: 'relay',
    from: '198.51.100.4:7000',
    to: '198.51.100.9:7001',
    bytesUp: 30,
    bytesDown: 40,
    createdAtMs: CREATED_MS + id,
    ...parts,
  }
}

/** An overlay of circuits. */
export function overlayRow(name: string, parts: Partial<OverlayRow> = {}): OverlayRow {
  return {
    id: 'a3'.repeat(20),
    name,
    member: 'be'.repeat(20),
    peers: 21,
    globalTime: 777,
    packetsSent: 10,
    packetsReceived: 20,
    packetsDropped: 3,
    bytesSent: 1000,
    bytesReceived: 2000,
    ...parts,
  }
}

/** Overlays as those see them who show them: what they tell is set by the test. At first nothing runs. */
export class FakeOverlay implements OverlayFacts {
  running = false
  wan: string | null = null
  lan: string | null = null
  runtime = 0
  rows: OverlayRow[] = []
  own: OwnCircuitFacts[] = []
  others: JoinedCircuitFacts[] = []
  placesNow = { total: 0, taken: 0 }
  bytes: CircuitTraffic = { ownUp: 0, ownDown: 0, relayed: 0, exitedUp: 0, exitedDown: 0 }
  known = { relays: 0, exits: 0 }
  readonly #watchers = new Set<(event: CircuitEvent) => void>()

  /** One of everything that there can be. */
  withEverything(): this {
    this.running = true
    this.wan = '192.0.2.77:7759'
    this.lan = '192.168.1.5:7759'
    this.runtime = 61.5
    this.rows = [overlayRow('DiscoveryCommunity'), overlayRow('TunnelCommunity', { id: 'a4'.repeat(20), peers: 9 })]
    this.own = [
      ownCircuit(11),
      ownCircuit(12, { goalHops: 1, hops: ownCircuit(12).hops.slice(0, 1), purpose: 'rendezvous-seeder' }),
      ownCircuit(13, {
        state: 'EXTENDING',
        hops: ownCircuit(13).hops.slice(0, 2),
        rttMs: null,
        loss: 0,
        reason: 'Waiting for the third hop: no answer from 2 candidates.',
      }),
      ownCircuit(14, { state: 'CLOSING', reason: 'Four pings in a row were not answered.', loss: 0.8 }),
    ]
    this.others = [
      joinedCircuit(21),
      joinedCircuit(22, { role: 'exit', to: null }),
      joinedCircuit(23, { role: 'introduction', to: null }),
    ]
    this.placesNow = { total: 20, taken: 3 }
    this.bytes = { ownUp: 1_000_000, ownDown: 90_000_000, relayed: 5_000_000, exitedUp: 70_000, exitedDown: 80_000 }
    this.known = { relays: 21, exits: 4 }
    return this
  }

  wanAddress(): string | null {
    return this.wan
  }

  lanAddress(): string | null {
    return this.lan
  }

  runtimeS(): number {
    return this.runtime
  }

  overlays(): readonly OverlayRow[] {
    return this.rows
  }

  circuits(): readonly OwnCircuitFacts[] {
    return this.own
  }

  joined(): readonly JoinedCircuitFacts[] {
    return this.others
  }

  places(): { readonly total: number; readonly taken: number } {
    return this.placesNow
  }

  traffic(): CircuitTraffic {
    return this.bytes
  }

  candidates(): { readonly relays: number; readonly exits: number } {
    return this.known
  }

  watch(happened: (event: CircuitEvent) => void): () => void {
    this.#watchers.add(happened)
    return () => this.#watchers.delete(happened)
  }

  /** Something happens. */
  happen(event: CircuitEvent): void {
    for (const watcher of this.#watchers) watcher(event)
  }

  /** How many watch. */
  get watchers(): number {
    return this.#watchers.size
  }
}
