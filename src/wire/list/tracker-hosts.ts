// The hosts of trackers, by which lists are narrowed: addresses hold keys of users, hosts do not. Pure.

const HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:]*)/i
/** Hosts of one download that are looked at, and the characters of one: longer ones are no names. */
const [MAX_HOSTS, MAX_CHARS] = [64, 253]

/** Each host once, in lower case, in the order of the addresses. What is no address has none. */
export function trackerHosts(urls: Iterable<string>): readonly string[] {
  const hosts: string[] = []
  for (const url of urls) {
    const host = HOST.exec(url)?.[1]?.toLowerCase() ?? ''
    if (host === '' || host.length > MAX_CHARS || hosts.includes(host)) continue
    hosts.push(host)
    if (hosts.length === MAX_HOSTS) break
  }
  return hosts
}
