// The server on uWebSockets.js: loads it, listens, hands every request to the dispatch, stops.
// One native route catches everything; the route table does the rest (the decision note on routing has the figures).

import { AppError } from '../../base/errors.ts'
import type { Services } from '../../services/api.ts'
import { LinkSigner } from '../links.ts'
import type { HttpDeps, HttpOptions, HttpServer } from '../options.ts'
import { RequestMeter } from '../request-meter.ts'
import { routeTable } from '../table.ts'
import { Dispatch } from './dispatch.ts'
import { type ListenSocket, type NativeApp, type NativeServer, loadNative } from './native.ts'

const MAX_PORT = 65_535

class UwsServer implements HttpServer {
  readonly #options: HttpOptions
  readonly #deps: HttpDeps
  readonly #dispatch: Dispatch
  #native: NativeServer | null = null
  #app: NativeApp | null = null
  #socket: ListenSocket | null = null

  constructor(options: HttpOptions, services: Services, deps: HttpDeps) {
    this.#options = options
    this.#deps = deps
    const links = new LinkSigner(options.linkSecret, deps.clock, options.linkLifetimeMs)
    const meter = new RequestMeter(deps.clock)
    const { version } = options
    const context = { services, links, docsFiles: deps.docsFiles, version, meter, routes: routeTable }
    this.#dispatch = new Dispatch(options, context, deps)
  }

  async start(): Promise<number> {
    const native = await loadNative((name, value) => this.#deps.setEnvironment(name, value))
    const app = native.App()
    app.any('/*', (res, req) => this.#dispatch.handle(res, req))
    const socket = await this.#listenSomewhere(native, app)
    this.#native = native
    this.#app = app
    this.#socket = socket
    return native.us_socket_local_port(socket)
  }

  /** At the port, or at the first after it that is free. */
  async #listenSomewhere(native: NativeServer, app: NativeApp): Promise<ListenSocket> {
    const { port, morePorts = 0 } = this.#options
    const last = port <= 0 ? port : Math.min(port + morePorts, MAX_PORT)
    for (let tried = port; tried < last; tried++) {
      const socket = await this.#listen(native, app, tried).catch(() => null)
      if (socket !== null) return socket
    }
    return this.#listen(native, app, last)
  }

  #listen(native: NativeServer, app: NativeApp, port: number): Promise<ListenSocket> {
    const { host } = this.#options
    // Without the exclusive flag two nodes could share one port, and each would get half of the requests.
    return new Promise((resolve, reject) => {
      app.listen(host, Math.max(0, port), native.LIBUS_LISTEN_EXCLUSIVE_PORT, socket => {
        if (socket !== false) resolve(socket)
        else reject(new AppError('PortTaken', `Cannot listen on ${host} port ${port}: it is taken or not allowed.`))
      })
    })
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#dispatch.stopping = true
    if (this.#socket !== null) this.#native?.us_listen_socket_close(this.#socket)
    this.#socket = null
    this.#dispatch.cutEndless()
    await this.#untilIdle(deadlineMs)
    this.#app?.close()
    this.#app = null
  }

  #untilIdle(deadlineMs: number): Promise<void> {
    const { share } = this.#dispatch
    if (share.openReplies === 0) return Promise.resolve()
    return new Promise(resolve => {
      const timer = this.#deps.clock.after(deadlineMs, resolve)
      share.onIdle = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}

/** Makes the HTTP front of the node; nothing listens before start(). */
export function createHttpServer(options: HttpOptions, services: Services, deps: HttpDeps): HttpServer {
  return new UwsServer(options, services, deps)
}
