// The addresses and devices that the node is bound to, watched: a device is its addresses of both families. Looks once
// a second, and at a question when the last look is old, so no socket is bound to an address that has just gone. Knows
// no socket: its watchers close theirs when an address goes.

import { networkInterfaces } from 'node:os'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { LocalEndpoint, NetworkPlace } from '../../ports/network-place.ts'
import { canonicalIp, parseIp } from '../../wire/net/compact-address.ts'
import type { ListenEntry } from '../../wire/net/listen-list.ts'

/** Pause between two looks. From an IPv4 address that is gone the kernel sends nothing by itself. */
const LOOK_MS = 1_000
/**
 * The same while there is an IPv6 address: from one that is gone the kernel repeats what was not confirmed, after 200
 * ms at first.
 */
const LOOK6_MS = 100
/** An answer is from a look at most so long ago: a look costs some 50 microseconds, too much for each datagram. */
const FRESH_MS = 50
/**
 * An address that appears while the node runs counts after so long: tunnels get their addresses first and their routes
 * after that.
 */
const SETTLE_MS = 2_000

/** What the node needs to know of one address of a device. */
export interface DeviceAddress {
  readonly address: string
  /** The loopback device. */
  readonly internal: boolean
  /** `address/bits`; null when it is not known. */
  readonly cidr: string | null
}

/** All devices that are up, by name; tests replace it. */
export type ReadDevices = () => Readonly<Record<string, readonly DeviceAddress[] | undefined>>

/** What the watch goes through. */
export interface BoundInterfaceDeps {
  readonly clock: Clock
  /** Default: what the system says. */
  readonly devices?: ReadDevices
  /** The number of a device by its name; absent = they are not known, and sockets do not depend on them. */
  readonly indexOf?: (device: string) => number
}

/** An address that is there. */
interface Present {
  readonly endpoint: LocalEndpoint
  /**
   * Address and number of its device. Sockets keep to the number: a device made again under the old name is another
   * one.
   */
  readonly key: string
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function familyOf(ip: string): 4 | 6 {
  return ip.includes(':') ? 6 : 4
}

/** Link-local IPv6 says nothing without its device, and peers cannot be reached from it. */
function isLinkLocal(ip: string): boolean {
  return /^fe[89ab]/i.test(ip)
}

/** True when `ip` is in the block `cidr`. */
function isIn(ip: string, cidr: string): boolean {
  const [base = '', bits = ''] = cidr.split('/')
  const [network, bytes] = [parseIp(base), parseIp(ip)]
  if (network === null || bytes === null || network.length !== bytes.length) return false
  return bytes.every((byte, at) => {
    const rest = 0xff >> Math.min(8, Math.max(0, Number(bits) - at * 8))
    return (byte | rest) === ((network[at] ?? 0) | rest)
  })
}

/** Addresses of one entry that are there now. On the loopback device every address of its block can be bound. */
function presentOf(entry: ListenEntry, devices: ReturnType<ReadDevices>): string[] {
  if (entry.kind === 'device') {
    const found = (devices[entry.name] ?? []).map(device => canonicalIp(device.address.split('%')[0] ?? ''))
    return found.filter(ip => ip !== null).filter(ip => !isLinkLocal(ip))
  }
  if (WILDCARDS.has(entry.name)) return [entry.name]
  const all = Object.values(devices).flatMap(list => list ?? [])
  const here = all.some(
    device =>
      canonicalIp(device.address.split('%')[0] ?? '') === entry.name ||
      (device.internal && device.cidr !== null && isIn(entry.name, device.cidr)),
  )
  return here ? [entry.name] : []
}

/** NetworkPlace over the devices of the machine. */
export class BoundInterface implements NetworkPlace {
  readonly #entries: readonly ListenEntry[]
  readonly #clock: Clock
  readonly #devices: ReadDevices
  readonly #indexOf: (device: string) => number
  readonly #watchers = new Set<() => void>()
  #timer: Timer | null = null
  #running = false
  #lookedMs = Number.NEGATIVE_INFINITY
  /**
   * Since when each address is there, by it and the number of its device, in ms; long, if the very first look saw it.
   */
  #since: ReadonlyMap<string, number> = new Map()
  #endpoints: readonly LocalEndpoint[] = []
  /** The endpoints as one text, to see changes. */
  #shape = ''

  /** `entries`: at least one. The watch begins with start(), looks on demand at once. */
  constructor(entries: readonly ListenEntry[], deps: BoundInterfaceDeps) {
    this.#entries = entries
    this.#clock = deps.clock
    this.#devices = deps.devices ?? networkInterfaces
    this.#indexOf = deps.indexOf ?? (() => 0)
  }

  start(): void {
    this.#running = true
    this.#look()
    this.#plan()
  }

  stop(): void {
    this.#running = false
    this.#timer?.cancel()
    this.#timer = null
    this.#watchers.clear()
  }

  localIp(family: 4 | 6): string | null {
    return this.endpoints().find(endpoint => familyOf(endpoint.ip) === family)?.ip ?? null
  }

  endpoints(): readonly LocalEndpoint[] {
    if (this.#clock.now() - this.#lookedMs >= FRESH_MS) this.#look()
    return this.#endpoints
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /** The next look. */
  #plan(): void {
    if (!this.#running) return
    const hasIpv6 = this.#endpoints.some(({ ip }) => familyOf(ip) === 6)
    this.#timer?.cancel()
    this.#timer = this.#clock.after(hasIpv6 ? LOOK6_MS : LOOK_MS, () => {
      this.#look()
      this.#plan()
    })
  }

  #look(): void {
    const endpoints = this.#settled(this.#read())
    const shape = endpoints.map(endpoint => `${endpoint.ip} ${endpoint.port ?? ''}`).join(',')
    if (shape === this.#shape) return
    this.#shape = shape
    this.#endpoints = endpoints
    for (const changed of [...this.#watchers]) changed()
  }

  /** Endpoints whose address did not appear just now; what the very first look sees was there before. */
  #settled(present: readonly Present[]): LocalEndpoint[] {
    const now = this.#clock.now()
    const first = this.#lookedMs === Number.NEGATIVE_INFINITY
    this.#lookedMs = now
    const appeared = first ? now - SETTLE_MS : now
    this.#since = new Map(present.map(({ key }) => [key, this.#since.get(key) ?? appeared]))
    const settled = present.filter(({ key }) => now - (this.#since.get(key) ?? now) >= SETTLE_MS)
    return settled.map(({ endpoint }) => endpoint)
  }

  #read(): Present[] {
    let devices: ReturnType<ReadDevices>
    try {
      devices = this.#devices()
    } catch {
      // The system does not tell (out of descriptors): it cannot be known that the addresses are still there.
      return []
    }
    const found = new Map<string, Present>()
    for (const entry of this.#entries) {
      const { kind, name, port } = entry
      const ips = presentOf(entry, devices)
      const index = kind === 'device' && ips.length > 0 ? this.#indexOf(name) : 0
      for (const ip of ips) {
        const endpoint = kind === 'device' ? { ip, port, device: name } : { ip, port }
        const at = `${ip} ${port ?? ''}`
        // Named twice, by its device and by itself, it keeps to the device.
        if (found.get(at)?.endpoint.device === undefined) found.set(at, { endpoint, key: `${ip} ${index}` })
      }
    }
    return [...found.values()]
  }
}

/** True when `ip` is one of the place's addresses now; a wildcard is every address of its family. */
export function isAtPlace(place: NetworkPlace, ip: string): boolean {
  const wildcard = familyOf(ip) === 4 ? '0.0.0.0' : '::'
  return place.endpoints().some(endpoint => endpoint.ip === ip || endpoint.ip === wildcard)
}
