// Which pages and names may reach the node (decisions part 1): the Host check against rebound names, and the check
// against pages of other origins. Pure.

const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/
const IPV6 = /^\[[0-9a-f:.]{2,45}\]$/

/**
 * Whether the Host header names this node: localhost, an IP literal (names can be rebound, literals cannot) or a
 * configured name.
 */
export function hostAllowed(host: string, hostNames: readonly string[]): boolean {
  const match = /^(\[[^\]]*\]|[^:]*)(?::[0-9]{0,5})?$/.exec(host.toLowerCase())
  const name = match?.[1]
  if (name === undefined || name === '') return false
  return name === 'localhost' || IPV4.test(name) || IPV6.test(name) || hostNames.includes(name)
}

/** What the origin check reads; empty texts when absent. */
export interface OriginHeaders {
  readonly method: string
  readonly host: string
  readonly origin: string
  readonly fetchSite: string
}

/**
 * Whether a foreign page made this request. GET and HEAD never count as foreign: their answers cannot be read without a
 * permission that is not given. A configured origin may, whatever Sec-Fetch-Site says of it.
 */
export function isForeignPage(headers: OriginHeaders, origins: readonly string[]): boolean {
  return headers.method !== 'GET' && headers.method !== 'HEAD' && comesFromPage(headers, origins)
}

/** Whether a page of another origin, and of none that is configured, made this request by whatever method. */
export function comesFromPage(headers: Omit<OriginHeaders, 'method'>, origins: readonly string[]): boolean {
  if (headers.origin !== '' && origins.includes(headers.origin)) return false
  if (headers.fetchSite === 'same-site' || headers.fetchSite === 'cross-site') return true
  return headers.origin !== '' && !isOwnOrigin(headers.origin, headers.host)
}

function isOwnOrigin(origin: string, host: string): boolean {
  const text = origin.toLowerCase()
  const own = host.toLowerCase()
  return text === `http://${own}` || text === `https://${own}`
}

const ALLOWED_HEADERS = 'X-Api-Key, Authorization, Content-Type, Range, If-Range, If-None-Match, Last-Event-ID'
const READABLE_HEADERS = 'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Retry-After'

/** Headers that let a page of a configured origin read the answer; none for every other origin. */
export function corsHeaders(origin: string, origins: readonly string[]): [string, string][] {
  if (origins.length === 0) return []
  const vary: [string, string] = ['Vary', 'Origin']
  if (!origins.includes(origin)) return [vary]
  return [vary, ['Access-Control-Allow-Origin', origin], ['Access-Control-Expose-Headers', READABLE_HEADERS]]
}

/** Headers of the answer to a preflight request of a configured origin. */
export function preflightHeaders(): [string, string][] {
  return [
    ['Access-Control-Allow-Methods', 'GET, HEAD, PUT, POST, PATCH, DELETE'],
    ['Access-Control-Allow-Headers', ALLOWED_HEADERS],
    ['Access-Control-Max-Age', '600'],
  ]
}
