// The routers between this machine and the internet, as port mapping sees them.

/** A default route. */
export interface GatewayRoute {
  readonly family: 4 | 6
  /** Literal address of the router; a link-local IPv6 one has its zone behind it (`fe80::1%eth0`). */
  readonly ip: string
  /** Address of this machine on the way there: packets to the gateway come from it, mappings lead to it. */
  readonly localIp: string
  /** Bits of the network that both are in; 0 = not known. */
  readonly prefixBits: number
}

/** Finds routers. */
export interface Gateways {
  /** The default routes now, best first; empty when there is none. Never rejects. */
  routes(): Promise<readonly GatewayRoute[]>
}
