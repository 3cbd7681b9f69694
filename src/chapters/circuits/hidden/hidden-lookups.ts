// Looking for introduction points for others (8.3): a peers-request that came over a circuit is answered from the
// overlay of the swarm where we are in it, else from the overlay DHT; one that came as a bare packet only from the
// overlay. Invariant: no node gets more look-ups than an allowance, nor a bare address a longer answer than its
// question.

import { Allowance } from '../../../base/allowance.ts'
import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import { DecodeError } from '../../../base/errors.ts'
import type { OverlayDht } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { decodeIntroductionPoint } from '../../overlay/wire/dht-value.ts'
import { PEER_SOURCE, peersRequest, peersResponse } from '../wire/hidden-messages.ts'
import { decodeCellMessage, encodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import { decodeUnwrapped, encodeUnwrapped } from '../../overlay/wire/packet.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import { type IntroductionPointName, isSomewhere, pointKey } from './hidden-points.ts'
import type { ServedCircuit } from './hidden-seam.ts'

/** Introduction points in a peers-response. */
const POINTS_IN_RESPONSE = 7
/** Look-ups for one circuit of others: saved up, and one more each so many ms. */
const LOOKUPS_OF_CIRCUIT = { burst: 10, refillMs: 3_000 } as const
/** Look-ups in the DHT for others at a time. */
const MAX_LOOKUPS_SERVED = 16
/** Answers to peers-requests that came as bare packets: an answer is far longer than its question. */
const ANSWERS_OF_ADDRESS = { burst: 6, refillMs: 1_000 } as const
/** Addresses whose answers are counted. */
const MAX_ANSWERED_ADDRESSES = 512

/** What look-ups work with. */
export interface LookupDeps {
  readonly dht: OverlayDht
  readonly clock: Clock
  readonly random: Random
  readonly counts: HiddenCounts
  readonly prefix: Uint8Array
  /** Introduction points of a swarm (lookup info hash) that we are in ourselves; null: we are not. */
  readonly ownPoints: (lookup: Uint8Array) => readonly IntroductionPointName[] | null
  readonly send: (packet: Uint8Array, to: PeerAddress) => void
}

/**
 * Looking for introduction points for others (8.3): a peers-request that came over a circuit is answered from the
 * overlay of the swarm where we are in it, else from the overlay DHT; one that came as a bare packet only from the
 * overlay.
 */
export class HiddenLookups {
  readonly #deps: LookupDeps
  readonly #byCircuit = new WeakMap<ServedCircuit, Allowance>()
  /** In the order of last use. */
  readonly #byAddress = new Map<string, Allowance>()
  #running = 0

  constructor(deps: LookupDeps) {
    this.#deps = deps
  }

  /** peers-request came over `circuit`. Throws DecodeError. */
  overCircuit(circuit: ServedCircuit, text: Uint8Array): void {
    const { identifier, infoHash } = decodeCellMessage(peersRequest, text)
    const { counts, clock } = this.#deps
    const allowance =
      this.#byCircuit.get(circuit) ?? new Allowance(LOOKUPS_OF_CIRCUIT.burst, LOOKUPS_OF_CIRCUIT.refillMs)
    this.#byCircuit.set(circuit, allowance)
    if (!allowance.take(clock.now())) {
      counts.refused++
      return
    }
    const lookup = Uint8Array.from(infoHash)
    const own = this.#deps.ownPoints(lookup)
    const answer = (points: readonly IntroductionPointName[], source: number): void => {
      circuit.send(encodeCellMessage(peersResponse, this.#response(identifier, lookup, points, source)))
    }
    if (own !== null) answer(own, PEER_SOURCE.pex)
    else void this.#askDht(lookup, points => answer(points, PEER_SOURCE.dht))
  }

  /** peers-request came as a packet. Throws DecodeError. */
  overSocket(packet: Uint8Array, from: PeerAddress): void {
    const { circuitId, values } = decodeUnwrapped(peersRequest, packet)
    const { counts, prefix, send } = this.#deps
    const own = this.#deps.ownPoints(values.infoHash)
    if (own === null) counts.unknown++
    else if (!this.#takeOf(from)) counts.refused++
    else {
      const response = this.#response(values.identifier, values.infoHash, own, PEER_SOURCE.pex)
      send(encodeUnwrapped(prefix, peersResponse, circuitId, response), from)
    }
  }

  #takeOf(from: PeerAddress): boolean {
    const key = addressKey(from)
    const own = this.#byAddress.get(key) ?? new Allowance(ANSWERS_OF_ADDRESS.burst, ANSWERS_OF_ADDRESS.refillMs)
    this.#byAddress.delete(key)
    this.#byAddress.set(key, own)
    for (const oldest of this.#byAddress.keys()) {
      if (this.#byAddress.size <= MAX_ANSWERED_ADDRESSES) break
      this.#byAddress.delete(oldest)
    }
    return own.take(this.#deps.clock.now())
  }

  async #askDht(lookup: Uint8Array, answer: (points: readonly IntroductionPointName[]) => void): Promise<void> {
    if (this.#running >= MAX_LOOKUPS_SERVED) {
      this.#deps.counts.refused++
      return
    }
    this.#running++
    try {
      answer(pointsOf((await this.#deps.dht.find(lookup)).map(({ data }) => data)))
    } finally {
      this.#running--
    }
  }

  #response(
    identifier: number,
    lookup: Uint8Array,
    points: readonly IntroductionPointName[],
    source: number,
  ): PayloadOf<typeof peersResponse> {
    const left = [...points]
    const chosen: IntroductionPointName[] = []
    while (left.length > 0 && chosen.length < POINTS_IN_RESPONSE)
      chosen.push(...left.splice(this.#deps.random.below(left.length), 1))
    return { identifier, infoHash: lookup, peers: chosen.map(point => ({ ...point, source })) }
  }
}

/** The introduction points among values of the DHT, the newest value of each; what is none is left out. */
function pointsOf(values: readonly Uint8Array[]): readonly IntroductionPointName[] {
  const newest = new Map<string, IntroductionPointName & { readonly lastSeenS: number }>()
  for (const value of values) {
    const point = readPoint(value)
    if (point === null || !isSomewhere(point.address)) continue
    const known = newest.get(pointKey(point))
    if (known === undefined || known.lastSeenS < point.lastSeenS) newest.set(pointKey(point), point)
  }
  return [...newest.values()]
}

function readPoint(value: Uint8Array): (IntroductionPointName & { readonly lastSeenS: number }) | null {
  try {
    return decodeIntroductionPoint(value)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
