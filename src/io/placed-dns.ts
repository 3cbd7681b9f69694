// Name look-ups from a NetworkPlace only: c-ares bound to the place's addresses, asking the system's name servers. The
// system's own resolver would ask from wherever it likes, and tell the names of trackers beside the tunnel. Names of hosts files
// are not known here; a name server on this machine asks on from where it likes, which this node cannot change.

import { Resolver } from 'node:dns'
import { AppError } from '../base/errors.ts'
import type { NetworkPlace } from '../ports/network-place.ts'
import type { LookupAll } from './dns-resolver.ts'

/** Time of one try of one name server, ms; c-ares doubles it with each try. */
const TRY_MS = 3_000
const TRIES = 3

/** The family of a name server as Resolver.getServers() spells it: `1.2.3.4`, `1.2.3.4:5353`, `[::1]:5353`, `::1`. */
function serverFamily(server: string): 4 | 6 {
  return server.startsWith('[') || server.split(':').length > 2 ? 6 : 4
}

/** A resolver bound to the place as it is now; null when no name server can be asked from there. */
function boundResolver(place: NetworkPlace, servers: readonly string[] | null): Resolver | null {
  const [v4, v6] = [place.localIp(4), place.localIp(6)]
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
  const usable = (servers ?? resolver.getServers()).filter(server => (serverFamily(server) === 4 ? v4 : v6) !== null)
  if (usable.length === 0) return null
  resolver.setServers(usable)
  // A family without an address is not asked: it has no server above.
  resolver.setLocalAddress(v4 ?? '0.0.0.0', v6 ?? '::')
  return resolver
}

/** Look-ups for DnsResolver that leave from `place`. `servers`: other name servers than the system's, for tests. */
export function placedLookup(place: NetworkPlace, servers: readonly string[] | null = null): LookupAll {
  return (host, done) => {
    const resolver = boundResolver(place, servers)
    if (resolver === null) {
      process.nextTick(() => done(new AppError('SourceFailed', 'no local address to ask a name server from'), []))
      return
    }
    // Sockets of c-ares cannot be closed one by one: what waits is given up when the address goes.
    const unwatch = place.watch(() => resolver.cancel())
    let waiting = 2
    const found: string[] = []
    let failure: Error | null = null
    const settle = (error: Error | null, ips: readonly string[] | undefined): void => {
      if (error === null) found.push(...(ips ?? []))
      else failure = error
      waiting -= 1
      if (waiting > 0) return
      unwatch()
      done(found.length > 0 ? null : failure, found)
    }
    resolver.resolve4(host, settle)
    resolver.resolve6(host, settle)
  }
}
