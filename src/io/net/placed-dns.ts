// Name look-ups from a NetworkPlace only: questions to the system's name servers over the place's own sockets. The
// system's resolver would ask from any address, and so leak the names of trackers past the tunnel; c-ares can be bound
// to an address, but to no device (decision 0301). Names of hosts files are not known here; a name server on this
// machine forwards from any address, which this node cannot change.

import { Resolver } from 'node:dns'
import { AppError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { NetworkPlace } from '../../ports/network-place.ts'
import type { Random } from '../../ports/random.ts'
import type { UdpNetwork } from '../../ports/udp.ts'
import { canonicalIp, isLoopbackIp } from '../../wire/net/compact-address.ts'
import { type DnsAnswer, DNS_CODES } from '../../wire/net/dns-message.ts'
import { askNameServer, type DnsExchangeDeps } from './dns-exchange.ts'
import type { LookupAll } from './system-lookup.ts'

/** Time of the first round of questions, ms, a server; it doubles with each round. */
const ROUND_MS = 3_000
const ROUNDS = 3
const DNS_PORT = 53
/** Servers that are asked; a system has three at most. */
const MAX_SERVERS = 8

/** What look-ups go through. */
export interface PlacedDnsDeps extends DnsExchangeDeps {
  readonly place: NetworkPlace
  readonly random: Random
  /** UDP of no place, for name servers on this machine: what is sent to them never leaves it, by whatever device. */
  readonly here: UdpNetwork
}

/**
 * A name server as Resolver.getServers() spells it: `1.2.3.4`, `1.2.3.4:5353`, `[::1]:5353`, `::1`. Null for what is
 * none.
 */
function readServer(text: string): PeerAddress | null {
  const bare = canonicalIp(text)
  if (bare !== null) return { ip: bare, port: DNS_PORT }
  const [, bracketed, plain = '', port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const ip = canonicalIp(bracketed ?? plain)
  return ip === null ? null : { ip, port: Number(port) }
}

/** Look-ups for DnsResolver that leave from the place. `servers`: other name servers than the system's, for tests. */
export function placedLookup(deps: PlacedDnsDeps, servers: readonly string[] | null = null): LookupAll {
  return (host, done) => {
    const ended = new AbortController()
    // What waits is given up when the addresses change.
    const unwatch = deps.place.watch(() => ended.abort(new AppError('SourceFailed', 'the local address has gone')))
    // The system's list is read each time: a VPN brings its own.
    const all = (servers ?? new Resolver().getServers()).map(readServer).filter(server => server !== null)
    const usable = all.slice(0, MAX_SERVERS)
    const families = [4, 6] as const
    Promise.allSettled(families.map(family => askAll(host, family, usable, deps, ended.signal)))
      .then(outcomes => {
        unwatch()
        const found = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? outcome.value : []))
        const failed = outcomes.find(outcome => outcome.status === 'rejected')
        done(found.length > 0 ? null : ((failed?.reason as Error | undefined) ?? null), found)
      })
      .catch(() => undefined)
  }
}

/** Asks server after server, round after round, until one knows; empty: there is no such address. */
async function askAll(
  host: string,
  family: 4 | 6,
  servers: readonly PeerAddress[],
  deps: PlacedDnsDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let failure: unknown = new AppError('SourceFailed', 'no local address to ask a name server from')
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const server of servers) {
      const localIp = deps.place.localIp(server.ip.includes(':') ? 6 : 4)
      if (localIp === null) continue
      try {
        const { code, ips } = await askOne({ host, family }, server, localIp, ROUND_MS * 2 ** round, deps, signal)
        if (code === DNS_CODES.fine || code === DNS_CODES.noSuchName) return ips
        failure = new AppError('SourceFailed', `the name server refuses (${code})`)
      } catch (error) {
        failure = error
      }
      if (signal.aborted) throw signal.reason as Error
    }
  }
  throw failure
}

function askOne(
  about: { readonly host: string; readonly family: 4 | 6 },
  server: PeerAddress,
  localIp: string,
  timeoutMs: number,
  deps: PlacedDnsDeps,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  const question = { id: deps.random.below(65_536), ...about }
  // Over the place's device a name server of this machine could not be reached.
  const isHere = isLoopbackIp(server.ip) && !isLoopbackIp(localIp)
  const order = { server, localIp: isHere ? server.ip : null, timeoutMs, signal }
  return askNameServer(question, order, isHere ? { ...deps, udp: deps.here } : deps)
}
