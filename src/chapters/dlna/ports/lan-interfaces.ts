// The interfaces of this machine to networks of its own.

/** An IPv4 address of an interface. */
export interface LanInterface {
  /** As the system names it: `eth0`. */
  readonly name: string
  /** Canonical literal. */
  readonly ip: string
  /** Bits of `ip` that name its network. */
  readonly bits: number
}
