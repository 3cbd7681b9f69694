// Host names to judged addresses, through the system's resolver (so hosts files and local names work). Answers are kept
// for a short time; one look-up a name at once; the number of look-ups at once is bounded, because a dead name server
// holds each for many seconds.

import { AppError } from '../../base/errors.ts'
import type { NameResolver, ResolvedAddress } from '../../ports/name-resolver.ts'
import { canonicalIp, parseIp } from '../../wire/net/compact-address.ts'
import type { AddressPolicy } from './address-policy.ts'
import { type LookupAll, systemLookup } from './system-lookup.ts'

/** How long an answer is used again, ms. Rebinding within it is harmless: the connection is judged by its address. */
const KEEP_MS = 30_000
const MAX_KEPT = 1_000
const MAX_LOOKUPS = 256
/** Most addresses used of one name. */
const MAX_ADDRESSES = 16

interface Kept {
  readonly untilMs: number
  readonly ips: readonly string[]
}

/** NameResolver over the system's look-up and an AddressPolicy. */
export class DnsResolver implements NameResolver {
  readonly #policy: AddressPolicy
  readonly #lookup: LookupAll
  readonly #kept = new Map<string, Kept>()
  readonly #running = new Map<string, Promise<readonly string[]>>()

  constructor(deps: { readonly policy: AddressPolicy; readonly lookup?: LookupAll }) {
    this.#policy = deps.policy
    this.#lookup = deps.lookup ?? systemLookup()
  }

  async resolve(host: string): Promise<readonly ResolvedAddress[]> {
    const ips = await this.#ips(host)
    // Judged as it was spelled: the canonical text of a mapped address no longer shows that it was one.
    return ips.map(spelled => {
      const ip = canonicalIp(spelled) ?? spelled
      return { ip, family: ip.includes(':') ? 6 : 4, class: this.#policy.classify(spelled) }
    })
  }

  async #ips(host: string): Promise<readonly string[]> {
    if (parseIp(host) !== null) return [host]
    const kept = this.#kept.get(host)
    if (kept !== undefined && kept.untilMs > performance.now()) return kept.ips
    const running = this.#running.get(host)
    if (running !== undefined) return running
    if (this.#running.size >= MAX_LOOKUPS) throw new AppError('SourceFailed', 'too many names are being looked up')
    const fresh = this.#ask(host).finally(() => this.#running.delete(host))
    this.#running.set(host, fresh)
    return fresh
  }

  #ask(host: string): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      this.#lookup(host, (error, found) => {
        const ips = found.filter(ip => parseIp(ip) !== null).slice(0, MAX_ADDRESSES)
        if (error !== null || ips.length === 0) {
          reject(new AppError('SourceFailed', 'the host name is not known', { cause: error ?? undefined }))
          return
        }
        this.#keep(host, ips)
        resolve(ips)
      })
    })
  }

  #keep(host: string, ips: readonly string[]): void {
    this.#kept.delete(host)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MAX_KEPT) break
      this.#kept.delete(oldest)
    }
    this.#kept.set(host, { untilMs: performance.now() + KEEP_MS, ips })
  }
}

/** True when a socket bound to `localIp` (null: any) can reach an address of `family`. */
export function familyFits(localIp: string | null, family: 4 | 6): boolean {
  const local = localIp === null ? null : parseIp(localIp)
  return local === null || local.length === (family === 4 ? 4 : 16)
}
