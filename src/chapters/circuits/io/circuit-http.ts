// GET over HTTP by way of circuits: the exit looks the name up and makes the connection, this node none. Exits carry no
// TLS, so an https address, also one that a redirect names, is refused here with that reason. Follows up to five
// redirects. Invariant: nothing leaves but through lane.exchange(), and no address of a local network is named to an
// exit.

import { gunzip, inflate } from 'node:zlib'
import { AppError } from '../../../base/errors.ts'
import type { CircuitLane } from '../ports/circuits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { HttpAnswer, HttpClient, HttpGet } from '../../../ports/http-get.ts'
import { canonicalIp } from '../../../wire/net/compact-address.ts'
import { isLocalName } from '../../../wire/net/local-address.ts'
import type { AddressPolicy } from '../../../io/net/address-policy.ts'
import { readWholeAnswer, type WholeAnswer } from '../../../io/net/whole-answer.ts'

const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Room for the head and the framing of a body. */
const HEAD_ROOM_BYTES = 64 * 1024

/** What it works with. */
export interface CircuitHttpDeps {
  readonly lane: Pick<CircuitLane, 'exchange'>
  readonly policy: AddressPolicy
  readonly clock: Clock
}

/** One request over a circuit. */
export interface CircuitGet {
  readonly url: URL
  readonly fields: Readonly<Record<string, string>>
  /** Most bytes of the body as sent. */
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Name and password of the url are sent: not after a redirect. */
  readonly withCredentials: boolean
  readonly signal?: AbortSignal
}

/** What one GET ended at: an answer, or a redirect out of HTTP (to a magnet link). */
export type CircuitResult = HttpAnswer & { readonly movedTo: string | null }

/** The url, if an exit may be asked for it. AppErrors SourceFailed, BadScheme, AddressRefused. */
export function urlForExit(href: string, policy: AddressPolicy, base?: URL): URL {
  const url = URL.parse(href, base?.href)
  if (url === null) throw new AppError('SourceFailed', 'the address cannot be read')
  if (url.protocol === 'https:') {
    const text = 'circuits carry no https: exits speak plain http only, and nothing is asked beside the circuits'
    throw new AppError(base === undefined ? 'BadScheme' : 'SourceFailed', text)
  }
  if (url.protocol !== 'http:') {
    throw new AppError('BadScheme', `'${url.protocol.slice(0, 20)}' addresses cannot be fetched`)
  }
  const host = hostOf(url)
  const open = canonicalIp(host) === null ? !isLocalName(host) : policy.classify(host) === 'public'
  if (!open) throw new AppError('AddressRefused')
  return url
}

/** HttpClient over a lane. */
export class CircuitHttp implements HttpClient {
  readonly #deps: CircuitHttpDeps

  constructor(deps: CircuitHttpDeps) {
    this.#deps = deps
  }

  async get(order: HttpGet): Promise<HttpAnswer> {
    const { status, body, remoteIp } = await this.follow(order, () => false)
    return { status, body, remoteIp }
  }

  /** As get(); a redirect whose target `isEnd` accepts is not followed but told as `movedTo`. */
  async follow(order: HttpGet, isEnd: (location: string) => boolean): Promise<CircuitResult> {
    const { clock, policy } = this.#deps
    const untilMs = clock.now() + order.timeoutMs
    const seen = new Set<string>()
    let url = urlForExit(order.url, policy)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (seen.has(url.href)) throw new AppError('SourceFailed', 'the redirects go round in a circle')
      seen.add(url.href)
      const answer = await this.ask({
        url,
        maxBytes: order.maxBytes,
        timeoutMs: untilMs - clock.now(),
        // Exits look at the answer of a tracker: what is packed they drop (protocol 10.2).
        fields: { 'accept-encoding': 'identity' },
        withCredentials: redirects === 0,
        ...(order.signal === undefined ? {} : { signal: order.signal }),
      })
      const { status, fields } = answer.head
      const { location = '' } = fields
      if (!REDIRECTS.has(status) || location === '') {
        return { status, body: await unpacked(answer, order.maxBytes), remoteIp: null, movedTo: null }
      }
      if (isEnd(location)) return { status, body: new Uint8Array(0), remoteIp: null, movedTo: location }
      url = urlForExit(location, policy, url)
    }
    throw new AppError('SourceFailed', `more than ${MAX_REDIRECTS} redirects`)
  }

  /** One request and its answer, whatever it says. AppErrors SourceFailed, Aborted. */
  async ask({ url, fields, maxBytes, timeoutMs, withCredentials, signal }: CircuitGet): Promise<WholeAnswer> {
    if (timeoutMs <= 0) throw new AppError('SourceFailed', 'no answer in time')
    const bytes = await this.#deps.lane.exchange({
      host: hostOf(url),
      port: Number(url.port || 80),
      timeoutMs,
      request: requestBytes(url, fields, withCredentials),
      maxBytes: maxBytes + HEAD_ROOM_BYTES,
      ...(signal === undefined ? {} : { signal }),
    })
    const answer = readWholeAnswer(bytes)
    if (answer === null) throw new AppError('SourceFailed', 'the answer cannot be read, or was cut')
    if (answer.body.length > maxBytes) throw tooLong(maxBytes)
    return answer
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/**
 * The request as it is sent; nothing in it tells who asks. What the url gives has no spaces and no line ends (WHATWG
 * url).
 */
function requestBytes(url: URL, fields: Readonly<Record<string, string>>, withCredentials: boolean): Uint8Array {
  const { username, password } = url
  const login = withCredentials && (username !== '' || password !== '')
  const pair = login ? Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64') : ''
  const all = { host: url.host, connection: 'close', ...fields, ...(login ? { authorization: `Basic ${pair}` } : {}) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
}

/** Percent-decoded; as it is when the escapes are broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function tooLong(maxBytes: number): AppError {
  return new AppError('SourceFailed', `the answer is longer than ${maxBytes} bytes`)
}

/** The body, unpacked, of at most `maxBytes`. */
async function unpacked({ head, body }: WholeAnswer, maxBytes: number): Promise<Uint8Array> {
  const coding = (head.fields['content-encoding'] ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return body
  if (coding !== 'gzip' && coding !== 'x-gzip' && coding !== 'deflate') {
    throw new AppError('SourceFailed', 'the answer is packed in a way that is not supported')
  }
  const unpack = coding === 'deflate' ? inflate : gunzip
  return new Promise((resolve, reject) => {
    unpack(body, { maxOutputLength: maxBytes }, (error, bytes) => {
      if (error === null) return resolve(bytes)
      const long = 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      reject(long ? tooLong(maxBytes) : new AppError('SourceFailed', 'the answer cannot be unpacked'))
    })
  })
}
