// What the node knows of its own place in the network, for those who show it. Reading it sends nothing.

/** A port that a router leads to this node. */
export interface PortMapping {
  /** The router's address. */
  readonly gateway: string
  readonly via: 'PCP' | 'NAT-PMP' | 'UPnP'
  readonly protocol: 'tcp' | 'udp'
  readonly internalPort: number
  readonly externalPort: number
  /** Null when the router does not tell. */
  readonly externalIp: string | null
}

/** Where the node is, as it is now. */
export interface NetworkFacts {
  /** The addresses it is bound to that are there now; empty: nothing leaves. Null = bound to none. */
  boundTo(): readonly string[] | null
  /** Sockets keep to the devices it is bound to by name, not to their addresses alone. */
  readonly keepsToDevices: boolean
  /** True when peers are reached through a proxy. */
  readonly proxied: boolean
  mappings(): readonly PortMapping[]
  /** Why routers map nothing, by router. */
  mappingProblems(): readonly { readonly gateway: string; readonly problem: string }[]
  /** The address at which others see this node; null = none has said. */
  externalIp(family: 4 | 6): string | null
}
