// GET requests without TLS to addresses that were judged, on the sockets of the engine (plain-connection.ts), with kept
// connections. What it cannot read (bodies in chunks or without a length) it leaves to node:http, and remembers where.
// Invariant: a kept connection leads to the address and the port it is kept under.

import type { TcpNetwork } from '../../ports/tcp.ts'
import type { BodySource } from './body-source.ts'
import { PlainConnection } from './plain-connection.ts'

/** Servers remembered that node:http must be used for. */
const MAX_OTHERS = 64

/** Bounds of all connections. */
export interface PlainHttpOptions {
  readonly localIp: string | null
  readonly connectTimeoutMs: number
  readonly keepAliveMs: number
  /** Idle connections kept to one server. */
  readonly kept: number
}

/** One request. */
export interface PlainRequest {
  /** Judged. */
  readonly ip: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

interface Kept {
  readonly connection: PlainConnection
  readonly timer: NodeJS.Timeout
}

/**
 * GET requests without TLS to addresses that were judged, on the sockets of the engine (plain-connection.ts), with kept
 * connections.
 */
export class PlainHttp {
  readonly #tcp: TcpNetwork
  readonly #options: PlainHttpOptions
  readonly #kept = new Map<string, Kept[]>()
  readonly #live = new Set<PlainConnection>()
  readonly #others = new Set<string>()

  constructor(tcp: TcpNetwork, options: PlainHttpOptions) {
    this.#tcp = tcp
    this.#options = options
  }

  /**
   * Sends one GET; the answer with its head, or null when node:http has to send it (again). A kept connection that
   * turns out to be dead is replaced once. `signal` ends the connection at any time until the body was read.
   */
  async get(request: PlainRequest, signal: AbortSignal): Promise<BodySource | null> {
    const key = `${request.ip} ${request.url.port || 80}`
    if (this.#others.has(key)) return null
    const kept = this.#take(key)
    if (kept !== null) {
      const answer = await this.#ask(kept, key, request, signal).catch((error: unknown) => {
        if (signal.aborted || kept.answered) throw error
        return undefined
      })
      if (answer !== undefined) return answer
    }
    const fresh = this.#connect(key, request)
    try {
      return await this.#ask(fresh, key, request, signal)
    } catch (error) {
      // The name may have other addresses: node:http tries them side by side.
      if (!fresh.opened && !signal.aborted) return this.#leave(key)
      throw error
    }
  }

  /** Ends all connections. */
  close(): void {
    for (const connection of this.#live) connection.destroy()
  }

  async #ask(
    connection: PlainConnection,
    key: string,
    request: PlainRequest,
    signal: AbortSignal,
  ): Promise<BodySource | null> {
    const end = (): void => connection.destroy()
    signal.addEventListener('abort', end, { once: true })
    connection.whenFree = () => signal.removeEventListener('abort', end)
    const { status, bodyBytes } = await connection.ask(requestBytes(request))
    const hasBody = status === 200 || status === 206
    if (status >= 200 && (!hasBody || bodyBytes !== null)) return connection
    connection.destroy()
    return this.#leave(key)
  }

  /** From now on node:http asks there. */
  #leave(key: string): null {
    if (this.#others.size >= MAX_OTHERS) this.#others.clear()
    this.#others.add(key)
    return null
  }

  #connect(key: string, { ip, url }: PlainRequest): PlainConnection {
    const { localIp, connectTimeoutMs: timeoutMs } = this.#options
    const to = { ip, port: Number(url.port || 80), localIp, timeoutMs }
    const connection: PlainConnection = new PlainConnection(this.#tcp, to, usable => {
      if (usable) this.#keep(key, connection)
      else this.#forget(key, connection)
    })
    this.#live.add(connection)
    return connection
  }

  #take(key: string): PlainConnection | null {
    const last = this.#kept.get(key)?.at(-1)
    if (last === undefined) return null
    this.#remove(key, last.connection)
    return last.connection
  }

  #keep(key: string, connection: PlainConnection): void {
    const list = this.#kept.get(key) ?? []
    if (list.length >= this.#options.kept) return connection.destroy()
    const timer = setTimeout(() => connection.destroy(), this.#options.keepAliveMs)
    this.#kept.set(key, [...list, { connection, timer }])
  }

  #forget(key: string, connection: PlainConnection): void {
    this.#live.delete(connection)
    this.#remove(key, connection)
  }

  #remove(key: string, connection: PlainConnection): void {
    const list = this.#kept.get(key) ?? []
    for (const kept of list) if (kept.connection === connection) clearTimeout(kept.timer)
    const left = list.filter(kept => kept.connection !== connection)
    if (left.length > 0) this.#kept.set(key, left)
    else this.#kept.delete(key)
  }
}

/** The request as it is sent. What the url gives has no spaces and no line ends (WHATWG url). */
function requestBytes({ url, headers }: PlainRequest): Uint8Array {
  const fields = Object.entries({ host: url.host, connection: 'keep-alive', ...headers })
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
}
