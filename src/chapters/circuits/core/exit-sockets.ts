// Where another node's circuit leaves the network: a socket of each family, opened when the first datagram wants to
// leave. What goes out and what comes back passes the policy (section 9); addresses of local networks are not reached
// from here.

import { errorText } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Log } from '../../../ports/log.ts'
import type { NameResolver } from '../../../ports/name-resolver.ts'
import type { UdpNetwork, UdpSocket } from '../../../ports/udp.ts'
import type { AnyAddress } from '../../overlay/wire/address.ts'
import { mayPassExit } from '../wire/exit-policy.ts'
import type { EndingCircuit } from './ending-circuit.ts'
import { KnownAddresses } from './known-addresses.ts'

/** Datagrams of one exit that wait for sockets or names. */
export const EXIT_QUEUE = 10

/** Payload of all exits of this node. */
export interface ExitCounts {
  up: number
  down: number
  /** Datagrams that the policy, the address or a full queue stopped. */
  refused: number
}

/** What exits work with. */
export interface ExitDeps {
  readonly udp: UdpNetwork
  readonly resolver: NameResolver
  readonly log: Log
  readonly prefix: Uint8Array
  readonly counts: ExitCounts
  flags(): number
  /** Whether strangers may have us send to this literal address. */
  mayReach(ip: string): boolean
}

type Family = 4 | 6

/** The sockets of one circuit; they go with it. */
export class ExitSockets {
  readonly #circuit: EndingCircuit
  readonly #deps: ExitDeps
  readonly #known = new KnownAddresses()
  readonly #sockets = new Map<Family, UdpSocket | 'opening' | 'failed'>()
  /** Families of addresses that may be reached; 0: it may not. */
  readonly #judged = new WeakMap<AnyAddress, Family | 0>()
  #queue: { readonly to: PeerAddress; readonly bytes: Uint8Array }[] = []
  #resolving = 0

  constructor(circuit: EndingCircuit, deps: ExitDeps) {
    this.#circuit = circuit
    this.#deps = deps
    circuit.onEnd(() => this.#close())
  }

  /** Sends a datagram, if it may leave. `payload` is valid only during the call. */
  send(to: AnyAddress, payload: Uint8Array): void {
    const { prefix, flags } = this.#deps
    if (!mayPassExit(payload, flags(), prefix)) this.#deps.counts.refused++
    else if ('host' in to) this.#sendToName(to.host, to.port, payload)
    else this.#sendTo(to, payload)
  }

  #sendTo(to: PeerAddress, payload: Uint8Array): void {
    const family = this.#familyOf(to)
    if (family === 0) {
      this.#deps.counts.refused++
      return
    }
    const socket = this.#sockets.get(family)
    if (typeof socket === 'object') {
      this.#deps.counts.up += payload.length
      socket.send(payload, to)
      return
    }
    if (socket === 'failed' || this.#queue.length + this.#resolving >= EXIT_QUEUE) {
      this.#deps.counts.refused++
      return
    }
    this.#queue.push({ to, bytes: Uint8Array.from(payload) })
    if (socket === undefined) void this.#open(family)
  }

  /** Names are looked up here, so that no name server sees who asks; IPv4 is preferred. */
  #sendToName(host: string, port: number, payload: Uint8Array): void {
    if (this.#queue.length + this.#resolving >= EXIT_QUEUE) {
      this.#deps.counts.refused++
      return
    }
    const bytes = Uint8Array.from(payload)
    this.#resolving++
    this.#deps.resolver.resolve(host).then(
      found => {
        this.#resolving--
        const usable = found.filter(({ ip }) => this.#deps.mayReach(ip))
        const chosen = usable.find(({ family }) => family === 4) ?? usable[0]
        if (chosen === undefined) this.#deps.counts.refused++
        else if (!this.#circuit.gone) this.#sendTo({ ip: chosen.ip, port }, bytes)
      },
      () => {
        this.#resolving--
        this.#deps.counts.refused++
      },
    )
  }

  #familyOf(to: PeerAddress): Family | 0 {
    let family = this.#judged.get(to)
    if (family === undefined) {
      const usable = to.port > 0 && this.#deps.mayReach(to.ip)
      family = usable ? (to.ip.includes(':') ? 6 : 4) : 0
      this.#judged.set(to, family)
    }
    return family
  }

  async #open(family: Family): Promise<void> {
    const { udp, log } = this.#deps
    this.#sockets.set(family, 'opening')
    try {
      const socket = await udp.bind({ family, ip: null, port: 0 }, (bytes, from) => this.#receive(bytes, from))
      if (this.#circuit.gone) return await socket.close()
      this.#sockets.set(family, socket)
    } catch (error) {
      this.#sockets.set(family, 'failed')
      log.debug('no socket for an exit', { family, error: errorText(error) })
    }
    const waiting = this.#queue
    this.#queue = []
    for (const { to, bytes } of waiting) this.#sendTo(to, bytes)
  }

  #receive(bytes: Uint8Array, from: PeerAddress): void {
    const { counts, flags, prefix } = this.#deps
    if (this.#circuit.gone) return
    if (!mayPassExit(bytes, flags(), prefix)) {
      counts.refused++
      return
    }
    counts.down += bytes.length
    this.#circuit.sendData(this.#known.encoded(from), bytes)
  }

  #close(): void {
    this.#queue = []
    for (const socket of this.#sockets.values()) if (typeof socket === 'object') void socket.close()
    this.#sockets.clear()
  }
}
