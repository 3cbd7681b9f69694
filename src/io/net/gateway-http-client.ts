// GatewayHttp over node:http: one connection a request, no redirects, bounded in time and bytes.
// Invariant: only the address that the request names is connected to, whatever its url says.

import { type IncomingMessage, request as requestHttp } from 'node:http'
import { Socket } from 'node:net'
import { AppError, errorText } from '../../base/errors.ts'
import type { GatewayAnswer, GatewayHttp, GatewayRequest } from '../../ports/gateway-http.ts'
import { canonicalIp } from '../../wire/net/compact-address.ts'
import { readBoundedBody } from './bounded-body.ts'
import type { DeviceSockets } from './device-sockets.ts'

/** GatewayHttp with a connection for each request: there are a few an hour. */
export class GatewayHttpClient implements GatewayHttp {
  readonly #mayUse: (ip: string) => boolean
  readonly #devices: DeviceSockets | null

  /**
   * `mayUse`: whether this node may leave from an address of the machine, now; `devices`: makes the sockets of a place
   * whose addresses have devices.
   */
  constructor(mayUse: (ip: string) => boolean = () => true, devices: DeviceSockets | null = null) {
    this.#mayUse = mayUse
    this.#devices = devices
  }

  async send(order: GatewayRequest): Promise<GatewayAnswer> {
    const url = URL.parse(order.url)
    const ip = canonicalIp(order.ip)
    const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
    if (url === null || url.protocol !== 'http:' || ip === null || canonicalIp(host) !== ip) {
      throw new AppError('AddressRefused', 'the gateway names an address that is not its own')
    }
    if (!this.#mayUse(order.localIp)) throw new AppError('SourceFailed', 'not an address this node may use')
    const abort = new AbortController()
    const giveUp = (): void => abort.abort(new AppError('Aborted'))
    const late = setTimeout(
      () => abort.abort(new AppError('SourceFailed', 'the gateway does not answer')),
      order.timeoutMs,
    )
    order.signal.addEventListener('abort', giveUp, { once: true })
    if (order.signal.aborted) giveUp()
    try {
      abort.signal.throwIfAborted()
      const answer = await this.#ask(order, url, ip, abort.signal)
      const body = await readBoundedBody(answer, answer.headers['content-encoding'] ?? '', order.maxBytes)
      return { status: answer.statusCode ?? 0, body: Buffer.from(body).toString('utf8') }
    } catch (error) {
      if (abort.signal.aborted) throw abort.signal.reason as Error
      throw error instanceof AppError ? error : new AppError('SourceFailed', errorText(error), { cause: error })
    } finally {
      clearTimeout(late)
      order.signal.removeEventListener('abort', giveUp)
    }
  }

  #ask(order: GatewayRequest, url: URL, ip: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { localIp, method } = order
    const body = order.body ?? ''
    const port = Number(url.port || 80)
    return new Promise((resolve, reject) => {
      const sent = requestHttp({
        host: ip,
        port,
        path: `${url.pathname}${url.search}`,
        method,
        // Without an agent, which would keep what it has not made.
        createConnection: () => {
          const socket = this.#devices?.connecting(localIp, ip) ?? new Socket()
          return socket.connect({ host: ip, port, localAddress: localIp, autoSelectFamily: false })
        },
        signal,
        headers: { ...order.headers, ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }) },
      })
      sent.once('response', resolve)
      // Stays: an abort may come after the answer.
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
