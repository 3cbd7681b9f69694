// All ways into the network, put together from the settings: where sockets are bound, which proxy carries what, who
// looks up names (decision 0252). What it does not hand out cannot leave. Makes adapters and holds no state of its own.

import type { Clock } from '../../ports/clock.ts'
import type { GatewayHttp } from '../../ports/gateway-http.ts'
import type { Gateways } from '../../ports/gateway.ts'
import type { Log } from '../../ports/log.ts'
import type { MulticastNetwork } from '../../ports/multicast.ts'
import type { NameResolver } from '../../ports/name-resolver.ts'
import type { NetworkPlace } from '../../ports/network-place.ts'
import type { Random } from '../../ports/random.ts'
import type { TcpNetwork } from '../../ports/tcp.ts'
import type { UdpNetwork } from '../../ports/udp.ts'
import type { ListenEntry } from '../../wire/net/listen-list.ts'
import type { AddressPolicy } from './address-policy.ts'
import { BoundInterface, isAtPlace, type ReadDevices } from './bound-interface.ts'
import { callsForDevices, DeviceSockets } from './device-sockets.ts'
import { DnsResolver } from './dns-resolver.ts'
import { GatewayHttpClient } from './gateway-http-client.ts'
import { KeptUdpNetwork } from './kept-udp.ts'
import { LiteralResolver } from './literal-resolver.ts'
import { DgramMulticast, localInterfaces } from './multicast.ts'
import { placedLookup } from './placed-dns.ts'
import { PlacedTcpNetwork } from './placed-tcp.ts'
import { PlacedUdpNetwork } from './placed-udp.ts'
import { ProcGateways } from './proc-gateways.ts'
import { ProxiedTcpNetwork } from '../proxy/proxied-tcp-net.ts'
import { ProxiedUdpNetwork } from '../proxy/proxied-udp.ts'
import type { ProxyConfig } from '../proxy/proxy-config.ts'
import type { OutgoingRoute } from './routed-connector.ts'
import type { SocketCalls } from './socket-calls.ts'
import { NetTcpNetwork } from './tcp-net.ts'
import { ChosenNetwork } from './udp-choice.ts'
import { DgramNetwork } from './udp-dgram.ts'

/** What the settings say about the network. */
export interface NetworkStackOptions {
  /** Addresses and devices to be bound to; empty = any. */
  readonly bindTo: readonly ListenEntry[]
  readonly proxy: ProxyConfig | null
  /** Peers, uTP, DHT and web seeds go through the proxy (setting proxy_peer_connections). */
  readonly proxyPeers: boolean
  /** Trackers and torrent sources go through the proxy (setting proxy_tracker_connections). */
  readonly proxyTrackers: boolean
  /** No peer may connect to this node except through the proxy (setting force_proxy). */
  readonly forceProxy: boolean
}

/** What the stack is made with. */
export interface NetworkStackDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly policy: AddressPolicy
  /** The machine's devices; tests replace them. */
  readonly devices?: ReadDevices
  /** System calls that bind sockets to devices; tests replace them. Throws when there are none. */
  readonly loadCalls?: () => SocketCalls
}

/** TCP, UDP and names of one purpose. */
export interface NetworkLane {
  readonly tcp: TcpNetwork
  readonly udp: UdpNetwork
  /** Looks up names; only judges literal addresses where names are left to the proxy. */
  readonly resolver: NameResolver
  /** For GuardedHttp and GuardedFetch; null = direct. */
  readonly route: OutgoingRoute | null
  /** True where the proxy resolves names: UDP sockets have sendToName then. */
  readonly namesToProxy: boolean
  /** True while the proxy is not there, or lets this node not in. */
  failing(): boolean
}

/** What speaks to the local network and its routers: local discovery and port mapping. */
export interface LocalLane {
  readonly multicast: MulticastNetwork
  readonly gateways: Gateways
  /** Binds at the address that is asked for, if it is one of the place's. */
  readonly udp: UdpNetwork
  readonly http: GatewayHttp
}

/** The ways into the network. */
export interface NetworkStack {
  /** For peers: TCP, and the one UDP port of uTP and DHT; web seeds take its route. */
  readonly peers: NetworkLane
  /** For trackers and torrent sources. */
  readonly trackers: NetworkLane
  /** Where the node is bound; null = anywhere. */
  readonly place: NetworkPlace | null
  /** Sockets at the addresses of a device keep to it; false: to the addresses alone. */
  readonly keepsToDevices: boolean
  /** Null where nothing may be sent to the local network: no local discovery, no port mapping. */
  readonly local: LocalLane | null
  stop(): void
}

/** Makes the stack; the watch of devices runs from here on. */
export function makeNetworkStack(options: NetworkStackOptions, deps: NetworkStackDeps): NetworkStack {
  const { bindTo, proxy } = options
  const { clock, random, log, policy } = deps
  const { place, devices } = boundPlace(bindTo, deps)
  const net = { tcp: new NetTcpNetwork(devices), udp: new ChosenNetwork(devices, log) }
  const placedTcp = place === null ? null : new PlacedTcpNetwork({ tcp: net.tcp, place, clock, random, log })
  const tcp = placedTcp ?? net.tcp
  const udp = place === null ? net.udp : new PlacedUdpNetwork({ udp: net.udp, place, clock, log })
  const lookup = place === null ? null : placedLookup({ place, udp, tcp, here: new ChosenNetwork(), clock, random })
  const resolver = new DnsResolver(lookup === null ? { policy } : { policy, lookup })
  const placed = place === null ? null : { place, devices, proxy: null, proxyResolver: resolver }
  const direct: NetworkLane = { tcp, udp, resolver, route: placed, namesToProxy: false, failing: () => false }
  const proxied =
    proxy === null ? null : proxiedLane(proxy, options.forceProxy, direct, { ...deps, place, bound: devices })
  return {
    peers: proxied !== null && options.proxyPeers ? proxied : direct,
    trackers: proxied !== null && options.proxyTrackers ? proxied : direct,
    place,
    keepsToDevices: devices !== null,
    local: proxied === null || !options.proxyPeers ? localLane(place, devices) : null,
    stop() {
      placedTcp?.close()
      place?.stop()
    },
  }
}

/** The place, watched from here on, and what makes its sockets where it has devices. */
function boundPlace(
  bindTo: readonly ListenEntry[],
  { clock, log, devices, loadCalls }: NetworkStackDeps,
): { place: BoundInterface | null; devices: DeviceSockets | null } {
  if (bindTo.length === 0) return { place: null, devices: null }
  const calls = bindTo.some(entry => entry.kind === 'device') ? callsForDevices(log, loadCalls) : null
  const place = new BoundInterface(bindTo, {
    clock,
    ...(devices === undefined ? {} : { devices }),
    ...(calls === null ? {} : { indexOf: name => calls.indexOf(name) }),
  })
  place.start()
  return { place, devices: calls === null ? null : new DeviceSockets({ place, calls }) }
}

function localLane(place: NetworkPlace | null, devices: DeviceSockets | null): LocalLane {
  const mayUse = (ip: string): boolean => place === null || isAtPlace(place, ip)
  return {
    multicast: new DgramMulticast({ interfaces: family => localInterfaces(family, mayUse), devices }),
    gateways: new ProcGateways(mayUse),
    // Routers have addresses with a zone (`fe80::1%eth0`), for which the batches of src/native have no place.
    udp: new KeptUdpNetwork({ udp: new DgramNetwork(devices), mayUse }),
    http: new GatewayHttpClient(mayUse, devices),
  }
}

function proxiedLane(
  proxy: ProxyConfig,
  forceProxy: boolean,
  direct: NetworkLane,
  {
    place,
    bound,
    clock,
    log,
    policy,
  }: NetworkStackDeps & {
    readonly place: NetworkPlace | null
    readonly bound: DeviceSockets | null
  },
): NetworkLane {
  const { tcp, udp, resolver } = direct
  const here = bound === null ? null : new ChosenNetwork()
  const proxied = new ProxiedTcpNetwork({ proxy, allowIncoming: !forceProxy }, { tcp, resolver, clock })
  return {
    tcp: proxied,
    udp: new ProxiedUdpNetwork(proxy, { tcp, udp, here, resolver, clock, log: log.part('proxy') }),
    resolver: proxy.hostnames ? new LiteralResolver(policy) : resolver,
    route: { place, devices: bound, proxy, proxyResolver: resolver },
    namesToProxy: proxy.hostnames,
    failing: () => proxied.failing,
  }
}
