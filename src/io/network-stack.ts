// All ways into the network, put together from the settings: where sockets are bound, which proxy carries what, who looks up
// names (decision 0252). What it does not hand out cannot leave. Makes adapters and holds no state of its own.

import type { Clock } from '../ports/clock.ts'
import type { GatewayHttp } from '../ports/gateway-http.ts'
import type { Gateways } from '../ports/gateway.ts'
import type { Log } from '../ports/log.ts'
import type { MulticastNetwork } from '../ports/multicast.ts'
import type { NameResolver } from '../ports/name-resolver.ts'
import type { NetworkPlace } from '../ports/network-place.ts'
import type { Random } from '../ports/random.ts'
import type { TcpNetwork } from '../ports/tcp.ts'
import type { UdpNetwork } from '../ports/udp.ts'
import type { ListenEntry } from '../wire/listen-list.ts'
import type { AddressPolicy } from './address-policy.ts'
import { BoundInterface, isAtPlace, type ReadDevices } from './bound-interface.ts'
import { DnsResolver } from './dns-resolver.ts'
import { GatewayHttpClient } from './gateway-http-client.ts'
import { KeptUdpNetwork } from './kept-udp.ts'
import { LiteralResolver } from './literal-resolver.ts'
import { DgramMulticast, localInterfaces } from './multicast.ts'
import { placedLookup } from './placed-dns.ts'
import { PlacedTcpNetwork } from './placed-tcp.ts'
import { PlacedUdpNetwork } from './placed-udp.ts'
import { ProcGateways } from './proc-gateways.ts'
import { ProxiedTcpNetwork } from './proxied-tcp-net.ts'
import { ProxiedUdpNetwork } from './proxied-udp.ts'
import type { ProxyConfig } from './proxy-config.ts'
import type { OutgoingRoute } from './routed-connector.ts'
import { NetTcpNetwork } from './tcp-net.ts'
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
  /** Nobody may connect to this node beside the proxy (setting force_proxy). */
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
}

/** TCP, UDP and names of one purpose. */
export interface NetworkLane {
  readonly tcp: TcpNetwork
  readonly udp: UdpNetwork
  /** Looks up names; only judges literal addresses where names are left to the proxy. */
  readonly resolver: NameResolver
  /** For GuardedHttp and GuardedFetch; null = direct. */
  readonly route: OutgoingRoute | null
  /** True where names are told to the proxy: UDP sockets have sendToName then. */
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
  /** Null where nothing may be told to the local network: no local discovery, no port mapping. */
  readonly local: LocalLane | null
  stop(): void
}

/** Makes the stack; the watch of devices runs from here on. */
export function makeNetworkStack(options: NetworkStackOptions, deps: NetworkStackDeps): NetworkStack {
  const { bindTo, proxy } = options
  const { clock, random, log, policy, devices } = deps
  const place =
    bindTo.length === 0 ? null : new BoundInterface(bindTo, { clock, ...(devices === undefined ? {} : { devices }) })
  place?.start()
  const net = { tcp: new NetTcpNetwork(), udp: new DgramNetwork() }
  const placedTcp = place === null ? null : new PlacedTcpNetwork({ tcp: net.tcp, place, clock, random, log })
  const tcp = placedTcp ?? net.tcp
  const udp = place === null ? net.udp : new PlacedUdpNetwork({ udp: net.udp, place, clock, log })
  const resolver = new DnsResolver(place === null ? { policy } : { policy, lookup: placedLookup(place) })
  const placed = place === null ? null : { place, proxy: null, proxyResolver: resolver }
  const direct: NetworkLane = { tcp, udp, resolver, route: placed, namesToProxy: false, failing: () => false }
  const proxied = proxy === null ? null : proxiedLane(proxy, options.forceProxy, direct, { place, ...deps })
  return {
    peers: proxied !== null && options.proxyPeers ? proxied : direct,
    trackers: proxied !== null && options.proxyTrackers ? proxied : direct,
    place,
    local: proxied === null || !options.proxyPeers ? localLane(place) : null,
    stop() {
      placedTcp?.close()
      place?.stop()
    },
  }
}

function localLane(place: NetworkPlace | null): LocalLane {
  const mayUse = (ip: string): boolean => place === null || isAtPlace(place, ip)
  return {
    multicast: new DgramMulticast({ interfaces: family => localInterfaces(family, mayUse) }),
    gateways: new ProcGateways(mayUse),
    udp: new KeptUdpNetwork({ udp: new DgramNetwork(), mayUse }),
    http: new GatewayHttpClient(mayUse),
  }
}

function proxiedLane(
  proxy: ProxyConfig,
  forceProxy: boolean,
  direct: NetworkLane,
  { place, clock, log, policy }: NetworkStackDeps & { readonly place: NetworkPlace | null },
): NetworkLane {
  const { tcp, udp, resolver } = direct
  const proxied = new ProxiedTcpNetwork({ proxy, allowIncoming: !forceProxy }, { tcp, resolver, clock })
  return {
    tcp: proxied,
    udp: new ProxiedUdpNetwork(proxy, { tcp, udp, resolver, clock, log: log.part('proxy') }),
    resolver: proxy.hostnames ? new LiteralResolver(policy) : resolver,
    route: { place, proxy, proxyResolver: resolver },
    namesToProxy: proxy.hostnames,
    failing: () => proxied.failing,
  }
}
