// Trackers as torrents and magnets name them, cleaned: only urls an announcer can use, each once, bounded.

/** Most trackers of one torrent: real ones have up to about 100. */
export const MAX_TRACKERS = 200

/** Longest tracker url, characters. */
const MAX_URL_CHARS = 2048

/** The url as it was written, when it is an http, https or udp url with a host; else null. */
export function cleanTracker(text: string): string | null {
  const url = text.trim()
  // Control characters would pass URL parsing silently and end up in requests and logs.
  if (url.length > MAX_URL_CHARS || /[\p{Cc} ]/u.test(url)) return null
  if (!/^(https?|udp):\/\/[^/]/i.test(url)) return null
  return URL.canParse(url) ? url : null
}

/** The tiers (BEP 12) without what no announcer can use, without repeats, without empty tiers; at most MAX_TRACKERS. */
export function cleanTiers(tiers: Iterable<Iterable<string>>): string[][] {
  const seen = new Set<string>()
  const clean: string[][] = []
  for (const tier of tiers) {
    const urls: string[] = []
    for (const text of tier) {
      const url = seen.size < MAX_TRACKERS ? cleanTracker(text) : null
      if (url === null || seen.has(url)) continue
      seen.add(url)
      urls.push(url)
    }
    if (urls.length > 0) clean.push(urls)
  }
  return clean
}
