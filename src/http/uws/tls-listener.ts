// HTTPS: the same handler behind a certificate that is read again when its files change. A new certificate gets a
// server of its own on the same port, beside the old one, which then takes no further connections: those it has go on
// to their ends.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorText } from '../../base/errors.ts'
import type { CertificateFiles } from '../../ports/certificate-files.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { type Handler, listenAt, type ListenPlace, listenSomewhere } from './listener.ts'
import type { ListenSocket, NativeApp, NativeServer } from './native.ts'

/** Pause between two looks at the files. */
const LOOK_MS = 10_000
/** Servers with an old certificate that may still have connections; older ones are cut. */
const MAX_OLD = 2
/** The port may be shared: by the servers of this listener alone, since it was seen to be free first. */
const SHARED = 0

/** What the listener needs. */
export interface TlsListenerDeps {
  readonly clock: Clock
  readonly log: Log
  readonly handle: Handler
  readonly limit: ConnectionLimit
}

/** HTTPS: the same handler behind a certificate that is read again when its files change. */
export class TlsListener {
  readonly #native: NativeServer
  readonly #place: ListenPlace
  readonly #files: CertificateFiles
  readonly #deps: TlsListenerDeps
  #socket: ListenSocket | null = null
  /** The newest last. */
  readonly #apps: NativeApp[] = []
  #port = 0
  #timer: Timer | null = null
  /** Of the certificate in use, and of the last look. */
  #stamp = ''
  #seen = ''
  #looking: Promise<void> = Promise.resolve()

  constructor(native: NativeServer, place: ListenPlace, files: CertificateFiles, deps: TlsListenerDeps) {
    this.#native = native
    this.#place = place
    this.#files = files
    this.#deps = deps
  }

  /** Listens; the port. AppErrors BadConfiguration (certificate or key), PortTaken. */
  async start(): Promise<number> {
    this.#stamp = this.#seen = await this.#files.stamp()
    await this.#files.check()
    this.#port = await this.#freePort()
    this.#socket = await this.#listen()
    this.#timer = this.#deps.clock.every(LOOK_MS, () => {
      this.#looking = this.#looking.then(() => this.#look())
    })
    return this.#port
  }

  /** Takes no further connections. */
  close(): void {
    this.#timer?.cancel()
    if (this.#socket !== null) this.#native.us_listen_socket_close(this.#socket)
    this.#socket = null
  }

  /** Cuts every connection. */
  cut(): void {
    this.close()
    for (const app of this.#apps.splice(0)) app.close()
  }

  /** A free port. */
  async #freePort(): Promise<number> {
    const probe = this.#native.App()
    const socket = await listenSomewhere(this.#native, probe, this.#place)
    const port = this.#native.us_socket_local_port(socket)
    this.#native.us_listen_socket_close(socket)
    probe.close()
    return port
  }

  /** A server with the certificate as its files are now. */
  async #listen(): Promise<ListenSocket> {
    const { certFile, keyFile } = this.#files
    const app = this.#native.SSLApp({ cert_file_name: certFile, key_file_name: keyFile })
    app.any('/*', this.#deps.handle)
    this.#deps.limit.watch(app)
    const socket = await listenAt(app, this.#place.host, this.#port, SHARED)
    this.#apps.push(app)
    return socket
  }

  /** Never rejects. Files that differ count when they were the same for two looks: both must be whole. */
  async #look(): Promise<void> {
    const { log } = this.#deps
    try {
      const before = this.#seen
      this.#seen = await this.#files.stamp()
      if (this.#seen === this.#stamp || this.#seen !== before || this.#socket === null) return
      // What cannot be used is said once, not with every look.
      this.#stamp = this.#seen
      await this.#files.check()
      const socket = await this.#listen()
      // Right after the loop has taken what waited: a connection that still waits at a socket when it closes is reset.
      await nextTurn()
      // It was stopped meanwhile.
      if (this.#socket === null) return this.#native.us_listen_socket_close(socket)
      this.#native.us_listen_socket_close(this.#socket)
      this.#socket = socket
      for (const old of this.#apps.splice(0, this.#apps.length - 1 - MAX_OLD)) old.close()
      log.info('the certificate was read again', { file: this.#files.certFile })
    } catch (error) {
      log.warn('the new certificate cannot be used; the old one stays', { error: errorText(error) })
    }
  }
}
