// A session (test/chapters/circuits/kit/session.ts) that is live: real overlays and sockets of loopback in front of it,
// py-ipv8 behind them. Everything goes through one queue, and time passes in steps between its entries, so that the
// same list gives the same session again.

import { SystemClock } from '../../../../src/io/clock.ts'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { DgramNetwork } from '../../../../src/io/net/udp-dgram.ts'
import { type Community, Overlays } from '../../../../src/chapters/overlay/core/index.ts'
import type { UdpSocket } from '../../../../src/ports/udp.ts'
import { CELL_ID, destroy } from '../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { createE2e, peersRequest } from '../../../../src/chapters/circuits/wire/hidden-messages.ts'
import { encodePeerFlags } from '../../../../src/chapters/overlay/wire/peer-flags.ts'
import { DrawnRandom } from '../../../kit/sim/drawn-random.ts'
import { at, type Entry, hexOf, Session } from '../kit/session.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'
import { COMMUNITY } from './network.ts'

/** Virtual time between two looks at the queue. */
const STEP_MS = 5

/**
 * A session (test/chapters/circuits/kit/session.ts) that is live: real overlays and sockets of loopback in front of it,
 * py-ipv8 behind them.
 */
export class Recorder {
  readonly entries: Entry[] = []
  readonly random = new DrawnRandom({}, new SystemRandom())
  readonly wallMs = Date.now()
  readonly privateKey: string
  readonly session: Session
  readonly port: number
  readonly #overlays: Overlays
  readonly #community: Community
  readonly #queue: Entry[] = []
  readonly #sockets: (UdpSocket | null)[] = []
  readonly #exchanges: Community[] = []
  #running = true
  #pumping: Promise<void> = Promise.resolve()

  private constructor(flags: number, overlays: Overlays, community: Community, privateKey: string) {
    this.#overlays = overlays
    this.#community = community
    this.privateKey = privateKey
    this.port = overlays.lanAddress?.port ?? 0
    const clock = new VirtualClock(this.wallMs)
    const { random } = this
    const did = (entry: Entry): void => this.#did(entry)
    this.session = new Session({ community: COMMUNITY, privateKey, flags, ownPort: this.port, clock, random, did })
    const { overlay, introductions } = community
    for (const id of [CELL_ID, destroy.id, createE2e.id, peersRequest.id])
      overlay.onRaw(id, (packet, from) => this.#queue.push(['i', from.port, hexOf(packet)]))
    introductions.setExtra(() => encodePeerFlags(flags))
    introductions.onExtra(({ publicKey, address }, extra) =>
      this.#queue.push(['p', hexOf(publicKey), address.port, hexOf(extra)]),
    )
  }

  /** Starts one that greets `ports`. */
  static async start(flags: number, ports: readonly number[]): Promise<Recorder> {
    const random = new SystemRandom()
    const crypto = makeOverlayCrypto(random)
    const keys = crypto.generate()
    const { publicKey, mid } = keys
    const identity = { publicKey, mid, member: hexOf(mid), sign: (message: Uint8Array) => keys.sign(message) }
    const resolver = { resolve: () => Promise.reject(new Error('no names here')) }
    const overlays = new Overlays(
      { ip: '127.0.0.1', port: 0, bootstrap: [] },
      {
        clock: new SystemClock(),
        random,
        log: silentLog,
        udp: new DgramNetwork(),
        resolver,
        identity,
        check: crypto,
        localIps: () => [],
      },
    )
    const community = overlays.open({ communityId: Buffer.from(COMMUNITY, 'hex'), name: 'TunnelCommunity' })
    await overlays.start()
    const recorder = new Recorder(flags, overlays, community, hexOf(keys.privateForm()))
    overlays.askAgain(community.overlay.id, ports.map(at))
    recorder.#pumping = recorder.#pump()
    return recorder
  }

  /** Something that we do. */
  command(...values: (string | number)[]): void {
    this.#queue.push(['c', ...values])
  }

  /** Public key in hexadecimal. */
  get publicKey(): string {
    return hexOf(this.session.keys.publicKey)
  }

  /** Ends it; the last thing in its list is that it stops. */
  async stop(): Promise<void> {
    this.command('stop')
    this.#running = false
    await this.#pumping
    for (const socket of this.#sockets) await socket?.close()
    await this.#overlays.stop()
  }

  async #pump(): Promise<void> {
    while (this.#running || this.#queue.length > 0) {
      for (let entry = this.#queue.shift(); entry !== undefined; entry = this.#queue.shift()) await this.#apply(entry)
      await this.#apply(['t', STEP_MS])
      await new Promise(resolve => setTimeout(resolve, STEP_MS))
    }
  }

  async #apply(entry: Entry): Promise<void> {
    this.#write(entry)
    await this.session.apply(entry)
  }

  /** Time that passes without anything done is one entry. */
  #write(entry: Entry): void {
    const last = this.entries.at(-1)
    if (entry[0] === 't' && last?.[0] === 't')
      this.entries[this.entries.length - 1] = ['t', Number(last[1]) + Number(entry[1])]
    else this.entries.push(entry)
  }

  #did(entry: Entry): void {
    this.entries.push(entry)
    const [kind, first = 0, second = '', third = ''] = entry
    if (kind === 'o') this.#community.overlay.sendBytes(Buffer.from(String(second), 'hex'), at(Number(first)))
    else if (kind === 'bind') void this.#bind(Number(first), Number(second))
    else if (kind === 'xo') this.#sockets[Number(first)]?.send(Buffer.from(String(third), 'hex'), at(Number(second)))
    else if (kind === 'find') void this.#find(Number(first), String(second))
    else if (kind === 'store') void this.#store(Number(first), String(second), String(third))
    else if (kind === 'open') this.#open(Number(first), String(second))
    else if (kind === 'close') this.#exchanges[Number(first)]?.close()
  }

  async #bind(number: number, family: number): Promise<void> {
    this.#sockets[number] = null
    if (family !== 4) return
    const receive = (bytes: Uint8Array, from: { port: number }): void =>
      void this.#queue.push(['x', number, from.port, hexOf(bytes)])
    const socket = await new DgramNetwork().bind({ family: 4, ip: '127.0.0.1', port: 0 }, receive)
    this.#sockets[number] = socket
    this.#queue.push(['bound', number, socket.address.port])
  }

  async #find(number: number, key: string): Promise<void> {
    const values = await this.#overlays.dht.find(Buffer.from(key, 'hex'))
    this.#queue.push(['found', number, ...values.map(({ data }) => hexOf(data))])
  }

  async #store(number: number, key: string, data: string): Promise<void> {
    const count = await this.#overlays.dht.store(Buffer.from(key, 'hex'), Buffer.from(data, 'hex'))
    this.#queue.push(['stored', number, count])
  }

  #open(number: number, communityId: string): void {
    const exchange = this.#overlays.open({ communityId: Buffer.from(communityId, 'hex'), name: 'PexCommunity' })
    this.#exchanges[number] = exchange
    exchange.introductions.setExtra(() => this.session.exchanges.extra(number))
    exchange.introductions.onExtra(({ publicKey, address }, extra) =>
      this.#queue.push(['e', number, hexOf(publicKey), address.port, hexOf(extra)]),
    )
  }
}
