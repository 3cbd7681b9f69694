// Circuits and hidden services of one node, driven by a list of what happens and answering with a list of what they do.
// Live, the list comes from a network of py-ipv8 and is kept as transcript (test/chapters/circuits/live/record.ts);
// later it is played to the node again, which must do the same. Everything is loopback: addresses are ports.

import type { InfoHash, PeerAddress } from '../../../../src/base/ids.ts'
import { CircuitsForHidden } from '../../../../src/chapters/circuits/hidden/circuits-for-hidden.ts'
import { HiddenServices } from '../../../../src/chapters/circuits/hidden/hidden-services.ts'
import { CircuitLanes } from '../../../../src/chapters/circuits/core/lanes.ts'
import { Tunnels } from '../../../../src/chapters/circuits/core/tunnels.ts'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { NetTcpNetwork } from '../../../../src/io/net/tcp-net.ts'
import { type Community, type OverlayDht, Requests } from '../../../../src/chapters/overlay/core/index.ts'
import type { HopCount } from '../../../../src/chapters/circuits/ports/circuits.ts'
import type { OverlayKeyPair } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { UdpNetwork, UdpSocket } from '../../../../src/ports/udp.ts'
import { destroy } from '../../../../src/chapters/circuits/wire/circuit-messages.ts'
import { decodePayload } from '../../../../src/chapters/overlay/wire/message.ts'
import { encodePacket, messageIdOf, prefixOf, splitSigned } from '../../../../src/chapters/overlay/wire/packet.ts'
import type { DrawnRandom } from '../../../kit/sim/drawn-random.ts'
import { SessionExchanges } from './session-exchanges.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import type { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

/**
 * One thing that happens or is done: its kind, then ports, numbers and bytes in hexadecimal. What happens: `t`
 * milliseconds pass, `c` a command, `p` a peer tells its flags, `i` a packet of the tunnel overlay, `bound` an exit
 * socket is there, `x` it gets a datagram, `found` and `stored` the DHT answered, `e` an overlay of introduction points
 * heard a peer. What is done: `o` a packet goes out, `bind` and `xo` exit sockets, `find` and `store` the DHT is asked,
 * `open` and `close` overlays of introduction points, `r` data came out of circuits, `linked` a seeder was linked.
 */
export type Entry = readonly [kind: string, ...values: (string | number)[]]

/** Kinds that happen; the others are done. */
export const HAPPENS: ReadonlySet<string> = new Set(['t', 'c', 'p', 'i', 'bound', 'x', 'found', 'stored', 'e'])

/** How a session is made. */
export interface SessionParams {
  readonly community: string
  readonly privateKey: string
  readonly flags: number
  readonly ownPort: number
  readonly clock: VirtualClock
  readonly random: DrawnRandom
  /** Hears of what is done, in order. */
  readonly did: (entry: Entry) => void
}

type Receive = (bytes: Uint8Array, from: PeerAddress) => void
type Signed = (values: unknown, from: { readonly publicKey: Uint8Array }) => void

/**
 * Circuits and hidden services of one node, driven by a list of what happens and answering with a list of what they do.
 */
export class Session {
  readonly keys: OverlayKeyPair
  readonly tunnels: Tunnels
  readonly lanes: CircuitLanes
  readonly hidden: HiddenServices
  readonly exchanges: SessionExchanges
  /** What came out of circuits, and addresses that stand for linked ones. */
  readonly received: string[] = []
  readonly linked: PeerAddress[] = []
  readonly #params: SessionParams
  readonly #crypto: ReturnType<typeof makeOverlayCrypto>
  readonly #raw = new Map<number, Receive>()
  readonly #signed = new Map<number, Signed>()
  readonly #peers = new Map<
    string,
    { readonly publicKey: Uint8Array; readonly address: PeerAddress; readonly heardMs: number }
  >()
  readonly #sockets: { readonly receive: Receive; readonly bound: (socket: UdpSocket) => void }[] = []
  readonly #dht: ((values: string[]) => void)[] = []
  readonly #lane = new Map<HopCount, UdpSocket>()
  #tell: (peer: never, extra: Uint8Array) => void = () => undefined

  constructor(params: SessionParams) {
    this.#params = params
    const { clock, random } = params
    const crypto = makeOverlayCrypto(random)
    this.#crypto = crypto
    this.keys = crypto.fromPrivate(Buffer.from(params.privateKey, 'hex'))
    const community = this.#community()
    const udp = this.#udp()
    const resolver = { resolve: () => Promise.reject(new Error('no names here')) }
    const base = { clock, random, log: silentLog, crypto }
    this.tunnels = new Tunnels(
      { flags: params.flags, places: 200 },
      {
        ...base,
        community,
        udp,
        resolver,
        tcp: new NetTcpNetwork(),
        mayReach: () => true,
        refusedPorts: new Set(),
        respond: ephemeral => Promise.resolve(crypto.respond(this.keys, ephemeral)),
      },
    )
    const host = new CircuitsForHidden(this.tunnels)
    this.exchanges = new SessionExchanges(params.did)
    this.hidden = new HiddenServices({
      ...base,
      host,
      overlay: community.overlay,
      dht: this.#overlayDht(),
      communities: this.exchanges,
      ownAddress: () => at(params.ownPort),
    })
    host.listen(this.hidden)
    const join: HiddenServices['join'] = (hops, infoHash, found) => this.hidden.join(hops, infoHash, found)
    this.lanes = new CircuitLanes({
      tunnels: this.tunnels,
      hidden: host,
      clock,
      random,
      limits: () => ({ min: 1, max: 1 }),
      join,
    })
  }

  /** Something happens. */
  async apply([kind, ...values]: Entry): Promise<void> {
    const [first = 0, second = '', third = ''] = values
    if (kind === 't') await this.#params.clock.advance(Number(first))
    else if (kind === 'c') await this.#command(values.map(String))
    else if (kind === 'p') this.#peer(String(first), Number(second), String(third))
    else if (kind === 'i') this.#packet(Number(first), bytesOf(second))
    else if (kind === 'x') this.#sockets[Number(first)]?.receive(bytesOf(third), at(Number(second)))
    else if (kind === 'bound') this.#bound(Number(first), Number(second))
    else if (kind === 'e') this.exchanges.heard(Number(first), String(second), Number(third), String(values[3] ?? ''))
    else this.#dht[Number(first)]?.(values.slice(1).map(String))
    for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
  }

  /** Ends all without waiting. */
  stop(): void {
    this.hidden.close()
    this.lanes.stop()
    this.tunnels.stop()
  }

  async #command([name = '', hops = '1', value = '', more = '']: readonly string[]): Promise<void> {
    const lane = this.lanes.lane(Number(hops) as HopCount)
    if (name === 'demand') lane.setDemand(Number(value))
    else if (name === 'stop') this.stop()
    else if (name === 'send') this.#lane.get(lane.hops)?.send(bytesOf(more), addressOf(value))
    else if (name === 'seed' || name === 'seek') {
      const swarm = lane.join(value as InfoHash, ({ address }) => this.#foundPeer(address))
      swarm.setSeeding(name === 'seed')
    } else {
      const socket = await lane.udp.bind({ family: 4, ip: null, port: 0 }, (bytes, from) => {
        this.#received(bytes)
        if (name === 'echo') socket.send(bytes, from)
      })
      this.#lane.set(lane.hops, socket)
    }
  }

  #received(bytes: Uint8Array): void {
    this.received.push(hexOf(bytes))
    this.#params.did(['r', hexOf(bytes)])
  }

  #foundPeer(address: PeerAddress): void {
    this.linked.push(address)
    this.#params.did(['linked', `${address.ip}:${address.port}`])
  }

  #packet(port: number, packet: Uint8Array): void {
    const id = messageIdOf(packet)
    const signed = this.#signed.get(id)
    if (signed === undefined) return this.#raw.get(id)?.(packet, at(port))
    const { key, payload, signedPart, signature } = splitSigned(packet)
    if (this.#crypto.verify(key, signedPart, signature))
      signed(decodePayload(destroy, payload), { publicKey: key.form })
  }

  #peer(key: string, port: number, extra: string): void {
    const publicKey = bytesOf(key)
    const peer = this.#peers.get(key) ?? {
      publicKey,
      address: at(port),
      heardMs: 0,
      member: key,
      lanAddress: null,
      newStyle: false,
      rttMs: null,
    }
    this.#peers.set(key, peer)
    this.#tell(peer as never, bytesOf(extra))
  }

  #community(): Community {
    const { did, clock, random, community } = this.#params
    const { publicKey } = this.keys
    const prefix = prefixOf(bytesOf(community))
    const out = (packet: Uint8Array, to: PeerAddress): void => did(['o', to.port, hexOf(packet)])
    const overlay = {
      prefix,
      identity: { publicKey },
      requests: new Requests({ clock, random }),
      onRaw: (id: number, run: Receive) => void this.#raw.set(id, run),
      onSigned: (message: { id: number }, run: Signed) => void this.#signed.set(message.id, run),
      onPeerGone: () => () => undefined,
      peerOf: (key: Uint8Array) => this.#peers.get(hexOf(key)) ?? null,
      countDropped: () => undefined,
      sendBytes: out,
      send: (message: typeof destroy, values: { circuitId: number; reason: number }, to: PeerAddress) =>
        out(encodePacket(prefix, message, values, this.keys), to),
    }
    const introductions = {
      setExtra: () => undefined,
      onExtra: (run: (peer: never, extra: Uint8Array) => void) => {
        this.#tell = run
        return () => undefined
      },
    }
    return { overlay, introductions, close: () => undefined } as unknown as Community
  }

  #udp(): UdpNetwork {
    return {
      bind: ({ family }, receive) =>
        new Promise(bound => {
          this.#params.did(['bind', this.#sockets.length, family])
          this.#sockets.push({ receive, bound })
        }),
    }
  }

  #bound(number: number, port: number): void {
    this.#sockets[number]?.bound({
      address: at(port),
      send: (bytes, to) => this.#params.did(['xo', number, to.port, hexOf(bytes)]),
      close: () => Promise.resolve(),
    })
  }

  #overlayDht(): OverlayDht {
    const ask = (entry: Entry): Promise<string[]> =>
      new Promise(resolve => {
        this.#params.did([entry[0], this.#dht.length, ...entry.slice(1)])
        this.#dht.push(resolve)
      })
    return {
      find: async key => (await ask(['find', hexOf(key)])).map(value => ({ data: bytesOf(value), publicKey: null })),
      store: async (key, data) => Number((await ask(['store', hexOf(key), hexOf(data)]))[0]),
      connect: () => Promise.resolve(null),
    }
  }
}

const addresses = new Map<number, PeerAddress>()

/** A port of loopback, always as the same object, as sockets give senders. */
export function at(port: number): PeerAddress {
  let address = addresses.get(port)
  if (address === undefined) addresses.set(port, (address = { ip: '127.0.0.1', port }))
  return address
}

/** Bytes as transcripts have them. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function bytesOf(text: string | number): Uint8Array {
  return Uint8Array.from(Buffer.from(String(text), 'hex'))
}

function addressOf(text: string): PeerAddress {
  const [ip = '', port = ''] = text.split(':')
  return { ip, port: Number(port) }
}
