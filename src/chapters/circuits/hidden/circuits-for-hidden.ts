// What circuits do for hidden services: builds theirs, hands them texts, packets and ends, and links the circuits of
// others at a rendezvous point. Knows nothing of what the texts mean.

import { AppError } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import { encodedAddress } from '../core/known-addresses.ts'
import type { EndingCircuit, EndingRole } from '../core/ending-circuit.ts'
import type { EndToEnd, HiddenBuild, HiddenCircuit, HiddenHost, HiddenListener, ServedCircuit } from './hidden-seam.ts'
import type { OwnCircuit } from '../core/own-circuit.ts'
import { OpeningLayer } from '../core/opening-layer.ts'
import type { OwnCircuits } from '../core/own-circuits.ts'
import type { Tunnels } from '../core/tunnels.ts'

/** Numbers of the texts that are for hidden services: out of own circuits, and at the last hop. */
const OWN_TEXTS = [10, 12, 16, 18]
const SERVED_TEXTS = [9, 11, 15, 17]

/**
 * What circuits do for hidden services: builds theirs, hands them texts, packets and ends, and links the circuits of
 * others at a rendezvous point.
 */
export class CircuitsForHidden implements HiddenHost {
  readonly #tunnels: Tunnels
  readonly #own = new Map<OwnCircuit, OwnForHidden>()
  readonly #served = new WeakMap<EndingCircuit, ServedForHidden>()
  #listener: HiddenListener | null = null
  /** Called when a circuit got its innermost layer. */
  linked: (circuit: OwnCircuit) => void = () => undefined

  constructor(tunnels: Tunnels) {
    this.#tunnels = tunnels
    const { own, joined, servedHandlers } = tunnels
    for (const id of OWN_TEXTS) {
      own.handlers.onRaw(id, (circuit, cell, at, end) => {
        const known = this.#own.get(circuit)
        if (known === undefined) own.handlers.countDropped()
        else this.#listener?.ownText(known, cell.subarray(at, end))
      })
    }
    for (const id of SERVED_TEXTS) {
      servedHandlers.onRaw(id, (circuit, cell, at, end) =>
        this.#listener?.servedText(this.#servedOf(circuit), cell.subarray(at, end)),
      )
    }
    own.watch({ ready: () => undefined, removed: circuit => this.#removed(circuit) })
    joined.removed = circuit => {
      const known = this.#served.get(circuit)
      if (known !== undefined) this.#listener?.servedRemoved(known)
    }
  }

  /** The listener is called from here on. */
  listen(listener: HiddenListener): void {
    this.#listener = listener
  }

  /** A last hop does not do what it should. */
  doubt(publicKey: Uint8Array): void {
    this.#tunnels.doubt(publicKey)
  }

  /** Whether a circuit is one of theirs. */
  has(circuit: OwnCircuit): boolean {
    return this.#own.has(circuit)
  }

  /** A packet of the tunnel overlay came out of one of theirs. */
  packet(circuit: OwnCircuit, origin: PeerAddress, packet: Uint8Array): void {
    const known = this.#own.get(circuit)
    if (known !== undefined) this.#listener?.ownPacket(known, origin, packet)
  }

  build({ purpose, hops, last, except = [] }: HiddenBuild, signal: AbortSignal): Promise<HiddenCircuit> {
    const { own } = this.#tunnels
    if (signal.aborted) return Promise.reject(new AppError('SourceFailed', 'given up'))
    const [required, lastKind] = typeof last === 'string' ? [null, last] : [last, 'relay' as const]
    const circuit = own.build({ purpose, hops, required, lastKind, except })
    const known = new OwnForHidden(circuit, own, this)
    this.#own.set(circuit, known)
    return new Promise((resolve, reject) => {
      const aborted = (): void => own.remove(circuit, 'given up')
      const end = own.watch({
        ready: which => {
          if (which !== circuit) return
          settle()
          resolve(known)
        },
        removed: (which, reason) => {
          if (which !== circuit) return
          settle()
          reject(new AppError('SourceFailed', reason))
        },
      })
      const settle = (): void => {
        end()
        signal.removeEventListener('abort', aborted)
      }
      signal.addEventListener('abort', aborted)
    })
  }

  link(from: ServedCircuit, to: ServedCircuit, answer: Uint8Array): boolean {
    const [a, b] = [endingOf(from), endingOf(to)]
    if (!from.alive || !to.alive || from.exiting || to.exiting || a === b) return false
    a.send(answer)
    this.#tunnels.joined.link(a, b)
    return true
  }

  #servedOf(circuit: EndingCircuit): ServedForHidden {
    let known = this.#served.get(circuit)
    if (known === undefined) {
      known = new ServedForHidden(circuit, this.#tunnels)
      this.#served.set(circuit, known)
    }
    return known
  }

  #removed(circuit: OwnCircuit): void {
    const known = this.#own.get(circuit)
    if (known === undefined) return
    this.#own.delete(circuit)
    this.#listener?.ownRemoved(known)
  }
}

class OwnForHidden implements HiddenCircuit {
  readonly #circuit: OwnCircuit
  readonly #circuits: OwnCircuits
  readonly #host: CircuitsForHidden

  constructor(circuit: OwnCircuit, circuits: OwnCircuits, host: CircuitsForHidden) {
    this.#circuit = circuit
    this.#circuits = circuits
    this.#host = host
  }

  get id(): number {
    return this.#circuit.id
  }

  get purpose(): HiddenCircuit['purpose'] {
    return this.#circuit.purpose
  }

  get lastHop(): Uint8Array {
    return this.#circuit.hops.at(-1)?.publicKey ?? new Uint8Array()
  }

  get alive(): boolean {
    return this.#circuit.ready
  }

  get rttMs(): number | null {
    return this.#circuits.healthOf(this.#circuit)?.rttMs ?? null
  }

  send(text: Uint8Array): void {
    if (this.alive) this.#circuit.send(text)
  }

  sendData(destination: PeerAddress, packet: Uint8Array): void {
    if (this.alive) this.#circuit.sendData(encodedAddress(destination), packet)
  }

  setEndToEnd({ seal, open }: EndToEnd): void {
    if (!this.alive) {
      seal.wipe()
      open.wipe()
      return
    }
    this.#circuit.link({
      seal,
      open: new OpeningLayer(open),
      wipe() {
        seal.wipe()
        open.wipe()
      },
    })
    this.#host.linked(this.#circuit)
  }

  remove(reason: string): void {
    this.#circuits.remove(this.#circuit, reason)
  }

  fail(reason: string): void {
    this.#host.doubt(this.lastHop)
    this.remove(reason)
  }
}

class ServedForHidden implements ServedCircuit {
  readonly circuit: EndingCircuit
  readonly #tunnels: Tunnels

  constructor(circuit: EndingCircuit, tunnels: Tunnels) {
    this.circuit = circuit
    this.#tunnels = tunnels
  }

  get id(): number {
    return this.circuit.id
  }

  get alive(): boolean {
    return !this.circuit.closing && !this.circuit.gone
  }

  get exiting(): boolean {
    return this.#tunnels.served.isExiting(this.circuit)
  }

  send(text: Uint8Array): void {
    this.circuit.send(text)
  }

  sendData(origin: PeerAddress, packet: Uint8Array): void {
    this.circuit.sendData(encodedAddress(origin), packet)
  }

  serveAs(role: EndingRole): void {
    this.circuit.role = role
  }
}

function endingOf(served: ServedCircuit): EndingCircuit {
  if (!(served instanceof ServedForHidden)) throw new TypeError('a circuit of this host')
  return served.circuit
}
