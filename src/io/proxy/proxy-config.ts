// Which proxy carries what, from the settings of section libtorrent, and the handshake it needs. There is no direct way
// round a proxy: what it cannot carry does not leave at all (decision 0252).

import { AppError } from '../../base/errors.ts'
import { parseIp } from '../../wire/net/compact-address.ts'
import { HttpConnectHandshake } from './http-connect.ts'
import type { ProxyAuth, ProxyHandshake, ProxyTarget } from './proxy-handshake.ts'
import { Socks4Handshake } from './socks4.ts'
import { Socks5Handshake } from './socks5.ts'

/** A proxy and how it is used. */
export interface ProxyConfig {
  readonly kind: 'socks4' | 'socks5' | 'http'
  /** Name or literal address of the proxy. */
  readonly host: string
  readonly port: number
  readonly auth: ProxyAuth | null
  /** Host names go to the proxy unresolved; false: looked up here, and the proxy gets addresses. */
  readonly hostnames: boolean
}

/** The settings that name a proxy, as section libtorrent has them. */
export interface ProxySettings {
  /** 0 none, 1 SOCKS4, 2 SOCKS5, 3 SOCKS5 with password, 4 HTTP, 5 HTTP with password. */
  readonly proxy_type: number
  /** `host:port` or `[v6]:port`. */
  readonly proxy_server: string
  /** `user:password`; the password may have colons, the user may not. */
  readonly proxy_auth: string
  readonly proxy_hostnames: boolean
}

const KINDS = ['socks4', 'socks5', 'socks5', 'http', 'http'] as const
const WITH_PASSWORD: ReadonlySet<number> = new Set([3, 5])
const NAME = /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_])?$/

function invalid(option: string, problem: string): AppError {
  return new AppError('InvalidSetting', `libtorrent.${option} ${problem}.`)
}

function decodeServer(text: string): ProxyTarget {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text.trim())
  const [, bracketed, plain = '', digits] = match ?? []
  const port = Number(digits)
  const host = bracketed ?? plain
  const fits = bracketed === undefined ? NAME.test(plain) : parseIp(bracketed)?.length === 16
  if (match === null || !fits || port < 1 || port > 65_535) throw invalid('proxy_server', 'must be host:port')
  return { host, port }
}

function decodeAuth(text: string): ProxyAuth {
  const colon = text.indexOf(':')
  const user = text.slice(0, colon)
  const password = text.slice(colon + 1)
  if (colon < 1 || password === '' || /\p{Cc}/u.test(text)) throw invalid('proxy_auth', 'must be user:password')
  return { user, password }
}

/** The proxy of the settings, null for none. Throws AppError InvalidSetting. */
export function proxyFromSettings(settings: ProxySettings): ProxyConfig | null {
  const { proxy_type: type } = settings
  if (type === 0) return null
  const kind = KINDS[type - 1]
  if (kind === undefined) throw invalid('proxy_type', 'must be from 0 to 5')
  const { host, port } = decodeServer(settings.proxy_server)
  const auth = WITH_PASSWORD.has(type) ? decodeAuth(settings.proxy_auth) : null
  return { kind, host, port, auth, hostnames: settings.proxy_hostnames }
}

/** The conversation that makes a connection to `proxy` one to `target`. */
export function connectThrough(proxy: ProxyConfig, target: ProxyTarget): ProxyHandshake {
  if (proxy.kind === 'http') return new HttpConnectHandshake(target, proxy.auth)
  if (proxy.kind === 'socks4') return new Socks4Handshake(target)
  return new Socks5Handshake({ command: 'connect', target, auth: proxy.auth })
}
