// What the system's files say about host names: nsswitch.conf (who is asked, in which order), hosts, and the search
// list of resolv.conf. Pure readers of text, for system-lookup.ts.

/** Services of nsswitch.conf that the node does itself; `resolve` answers over DNS too, through resolv.conf. */
const OWN_SERVICES: ReadonlySet<string> = new Set(['files', 'dns', 'resolve'])

/** Who knows names. */
export interface NameServices {
  readonly files: boolean
  readonly dns: boolean
  /** Others (multicast DNS, names of containers, directories) come before DNS; after it. */
  readonly othersBefore: boolean
  readonly othersAfter: boolean
}

/** The line `hosts:` of nsswitch.conf; without one hosts files and DNS are meant. */
export function readNameServices(nsswitch: string): NameServices {
  const line = /^[ \t]*hosts:([^#\n]*)/m.exec(nsswitch)?.[1] ?? 'files dns'
  const named = line
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .trim()
    .split(/\s+/)
    .filter(Boolean)
  const dnsAt = named.findIndex(name => name === 'dns' || name === 'resolve')
  const others = named.map((name, at) => (OWN_SERVICES.has(name) ? -1 : at)).filter(at => at >= 0)
  return {
    files: named.includes('files'),
    dns: dnsAt >= 0,
    othersBefore: others.some(at => dnsAt < 0 || at < dnsAt),
    othersAfter: others.some(at => dnsAt >= 0 && at > dnsAt),
  }
}

/** Addresses of `host` in a hosts file, in its order. `hosts` is in lower case. */
export function findInHosts(hosts: string, host: string): string[] {
  const name = host.toLowerCase().replace(/\.$/, '')
  const found: string[] = []
  // Looked for as text: lists that block advertisements have a hundred thousand lines.
  for (let at = hosts.indexOf(name); at >= 0; at = hosts.indexOf(name, at + name.length)) {
    const from = hosts.lastIndexOf('\n', at) + 1
    const to = hosts.indexOf('\n', at)
    const [ip = '', ...names] = hosts
      .slice(from, to < 0 ? undefined : to)
      .replace(/#.*/, '')
      .trim()
      .split(/\s+/)
    if (names.includes(name) && !found.includes(ip)) found.push(ip)
  }
  return found
}

/** How names without a domain are completed. */
export interface SearchList {
  readonly domains: readonly string[]
  /** A name with so many dots is asked for as it is first. */
  readonly ndots: number
}

/** resolv.conf, with what LOCALDOMAIN and RES_OPTIONS of the environment say instead (resolv.conf(5)). */
export function readSearchList(resolvConf: string, env: Readonly<Record<string, string | undefined>>): SearchList {
  let domains: string[] = []
  let options = ''
  for (const line of resolvConf.split('\n')) {
    const [word = '', ...rest] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    // The last one of the two counts.
    if (word === 'search' || word === 'domain') domains = word === 'domain' ? rest.slice(0, 1) : rest
    if (word === 'options') options += ` ${rest.join(' ')}`
  }
  const local = env['LOCALDOMAIN']?.trim()
  if (local) domains = local.split(/\s+/)
  const ndots = [...`${options} ${env['RES_OPTIONS'] ?? ''}`.matchAll(/(?:^|\s)ndots:(\d+)/g)].at(-1)?.[1]
  return { domains: domains.map(domain => domain.replace(/\.$/, '')), ndots: Math.min(15, Number(ndots ?? 1)) }
}

/** The names that are asked for in turn, until one is known. */
export function searchedNames(host: string, { domains, ndots }: SearchList): string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)]
  const completed = domains.filter(Boolean).map(domain => `${host}.${domain}`)
  return host.split('.').length - 1 >= ndots ? [host, ...completed] : [...completed, host]
}
