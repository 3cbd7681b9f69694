// The server on uWebSockets.js: loads it, listens, hands every request to the dispatch, stops.
// One native route catches everything; the route table does the rest (the decision note on routing has the figures).

import { AppError } from '../../base/errors.ts'
import type { Services } from '../../services/api.ts'
import type { FurtherListener, FurtherService } from '../further-listener.ts'
import { LinkSigner } from '../links.ts'
import type { HttpDeps, HttpOptions, HttpServer, HttpsOptions, ListeningPorts } from '../options.ts'
import { RequestMeter } from '../request-meter.ts'
import { ConnectionLimit } from './connection-limit.ts'
import { Dispatch } from './dispatch.ts'
import { type Handler, listenAgain, listenSomewhere } from './listener.ts'
import { type ListenSocket, type NativeApp, type NativeServer, loadNative } from './native.ts'
import type { TlsListener } from './tls-listener.ts'

class UwsServer implements HttpServer {
  readonly #options: HttpOptions
  readonly #deps: HttpDeps
  readonly #dispatch: Dispatch
  readonly #limit: ConnectionLimit
  #native: NativeServer | null = null
  #app: NativeApp | null = null
  #socket: ListenSocket | null = null
  #tls: TlsListener | null = null
  readonly #further = new Set<FurtherListener>()

  constructor(options: HttpOptions, services: Services, deps: HttpDeps) {
    this.#options = options
    this.#deps = deps
    this.#limit = new ConnectionLimit(options.maxConnections ?? Number.POSITIVE_INFINITY)
    const links = new LinkSigner(options.linkSecret, deps.clock, options.linkLifetimeMs, options.givenLinks)
    const meter = new RequestMeter(deps.clock)
    const { docsFiles, dashboardFiles, clock } = deps
    const { version } = options
    const context = { services, links, docsFiles, dashboardFiles, version, clock, meter, routes: deps.routes }
    this.#dispatch = new Dispatch(options, context, deps)
  }

  async start(nativeFile: string | null = null): Promise<ListeningPorts> {
    const native = await loadNative((name, value) => this.#deps.setEnvironment(name, value), nativeFile)
    this.#native = native
    const { https, plain = true } = this.#options
    try {
      return {
        http: plain ? await this.#startPlain(native) : null,
        https: https === undefined ? null : await this.#startTls(native, https),
      }
    } catch (error) {
      // One of two listeners may be up.
      await this.stop(0)
      throw error
    }
  }

  async #startPlain(native: NativeServer): Promise<number> {
    const { host, port, morePorts = 0 } = this.#options
    const app = native.App()
    app.any('/*', (res, req) => this.#dispatch.handle(res, req))
    this.#limit.watch(app)
    this.#app = app
    this.#socket = await listenSomewhere(native, app, { host, port, morePorts })
    return native.us_socket_local_port(this.#socket)
  }

  async #startTls(native: NativeServer, { host, port, certificate }: HttpsOptions): Promise<number> {
    const { clock, log } = this.#deps
    const { TlsListener: Listener } = await import('./tls-listener.ts')
    const handle: Handler = (res, req) => this.#dispatch.handle(res, req, true)
    const { morePorts = 0 } = this.#options
    this.#tls = new Listener(native, { host, port, morePorts }, certificate, { clock, log, handle, limit: this.#limit })
    return this.#tls.start()
  }

  async listenFor(place: { host: string; port: number }, service: FurtherService): Promise<FurtherListener> {
    const { FurtherFront } = await import('./further-front.ts')
    const native = this.#native
    if (native === null || this.#dispatch.stopping) throw new AppError('NotReady')
    const app = native.App()
    const { share, streams } = this.#dispatch
    new FurtherFront(service, {
      share,
      streams,
      reportBug: (path, thrown) => this.#dispatch.reportBug(path, thrown),
    }).attach(app)
    const socket = await listenAgain(native, app, place)
    const port = native.us_socket_local_port(socket)
    const listener = {
      port,
      close: () => {
        if (!this.#further.delete(listener)) return
        native.us_listen_socket_close(socket)
        app.close()
      },
    }
    this.#further.add(listener)
    return listener
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#dispatch.stopping = true
    if (this.#socket !== null) this.#native?.us_listen_socket_close(this.#socket)
    this.#socket = null
    this.#tls?.close()
    this.#dispatch.cutEndless()
    await this.#untilIdle(deadlineMs)
    this.#app?.close()
    this.#app = null
    for (const listener of [...this.#further]) listener.close()
    this.#tls?.cut()
    this.#dispatch.forgetKeys()
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
