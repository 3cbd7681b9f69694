// Whether a tracker can be scraped, and under which host its questions are counted.

/** Longest tracker URL that is asked, characters. */
const MAX_URL = 1024

/**
 * Host and port of the tracker that announces at `url`, in one spelling; null when it cannot be scraped: neither
 * HTTP(S) nor UDP, or an HTTP path whose last part does not begin with `announce` (BEP 48).
 */
export function scrapeHost(url: string): string | null {
  const parsed = url.length > MAX_URL ? null : URL.parse(url)
  if (parsed === null || parsed.hostname === '') return null
  const { protocol, pathname, port } = parsed
  if (protocol === 'udp:') return port === '' ? null : `${parsed.hostname.toLowerCase()}:${port}`
  if (protocol !== 'http:' && protocol !== 'https:') return null
  if (!/\/announce[^/]*$/.test(pathname)) return null
  return `${parsed.hostname}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}`
}
