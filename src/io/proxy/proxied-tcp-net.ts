// TCP through a proxy: each connection is one to the proxy that leads on. When the proxy fails the connection fails;
// nothing goes round it. Peers cannot connect to this node through a proxy: listening is pretended, unless the owner
// allows direct incoming connections. States of a stream: naming (the proxy's address) -> greeting -> open -> closed.

import { AppError, DecodeError, errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { NameResolver } from '../../ports/name-resolver.ts'
import type { TcpListener, TcpNetwork, TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'
import { connectThrough, type ProxyConfig } from './proxy-config.ts'
import { type HandshakeStep, type ProxyHandshake, type ProxyTarget, TurnedAway } from './proxy-handshake.ts'

/** Port announced where there is none: trackers refuse 0, and no peer has a reason to connect to 1. */
export const PORT_OF_NOBODY = 1
/** Most bytes kept for a stream that is not open yet: a handshake and some messages. */
const MAX_EARLY_BYTES = 64 * 1024

/** Connections in a row that the proxy itself kept from coming about, after which it counts as failing. */
const FAILING_AFTER = 3

/** How peers are reached. */
export interface ProxiedTcpOptions {
  readonly proxy: ProxyConfig
  /** True: listen directly, beside the proxy. */
  readonly allowIncoming: boolean
}

/** What proxied TCP goes through. */
export interface ProxiedTcpDeps {
  /** Reaches the proxy. */
  readonly tcp: TcpNetwork
  /** Resolves the proxy; its addresses are not judged, as the owner chose it. */
  readonly resolver: NameResolver
  readonly clock: Clock
}

type ConnectOptions = { localIp: string | null; timeoutMs: number }

/** TcpNetwork whose connections go through a proxy. */
export class ProxiedTcpNetwork implements TcpNetwork {
  readonly #options: ProxiedTcpOptions
  readonly #deps: ProxiedTcpDeps
  #failures = 0

  constructor(options: ProxiedTcpOptions, deps: ProxiedTcpDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** True while the proxy is not there, says nothing, nothing of use, or lets this node not in. */
  get failing(): boolean {
    return this.#failures >= FAILING_AFTER
  }

  connect(remote: PeerAddress, options: ConnectOptions, handlers: TcpStreamHandlers): TcpStream {
    const stream = new ProxiedStream(remote, handlers, works => {
      this.#failures = works ? 0 : this.#failures + 1
    })
    stream.start(this.#options.proxy, { host: remote.ip, port: remote.port }, options, this.#deps)
    return stream
  }

  /** Resolves with a listener that accepts nothing, unless incoming connections are allowed. */
  listen(at: PeerAddress, accept: (stream: TcpStream) => TcpStreamHandlers | null): Promise<TcpListener> {
    if (this.#options.allowIncoming) return this.#deps.tcp.listen(at, accept)
    return Promise.resolve({ address: { ip: at.ip, port: PORT_OF_NOBODY }, close: () => Promise.resolve() })
  }
}

/** The address of the proxy itself. Rejects with AppError SourceFailed. */
export async function proxyAddress(proxy: ProxyConfig, resolver: NameResolver): Promise<PeerAddress> {
  const found = await resolver.resolve(proxy.host)
  // IPv4 first: of a name with both families a local proxy often serves that one only.
  const chosen = found.find(address => address.family === 4) ?? found[0]
  if (chosen === undefined) throw new AppError('SourceFailed', 'the proxy has no address')
  return { ip: chosen.ip, port: proxy.port }
}

/** One stream to a peer, over one to the proxy. */
class ProxiedStream implements TcpStream {
  readonly remote: PeerAddress
  readonly incoming = false
  readonly #handlers: TcpStreamHandlers
  readonly #judge: (works: boolean) => void
  /** The proxy took the connection; and it said something of use. */
  #taken = false
  #answered = false
  #isHttp = false
  #timedOut = false
  #inner: TcpStream | null = null
  #handshake: ProxyHandshake | null = null
  #timer: Timer | null = null
  #open = false
  #closed = false
  /** Ended by this side. */
  #destroyed = false
  #error: Error | null = null
  #paused = false
  /** Written before the stream was open. */
  #early: { readonly bytes: Uint8Array; readonly sent: (() => void) | undefined }[] = []
  #earlyBytes = 0
  /** Came behind the handshake while the reader had paused. */
  #held: Uint8Array | null = null

  /** `judge`: whether the proxy works, once it is known; a target it cannot reach is not its fault. */
  constructor(remote: PeerAddress, handlers: TcpStreamHandlers, judge: (works: boolean) => void) {
    this.remote = remote
    this.#handlers = handlers
    this.#judge = judge
  }

  get bufferedBytes(): number {
    return this.#earlyBytes + (this.#inner?.bufferedBytes ?? 0)
  }

  /** Begins; everything together, names too, may take `options.timeoutMs`. */
  start(proxy: ProxyConfig, target: ProxyTarget, options: ConnectOptions, deps: ProxiedTcpDeps): void {
    this.#isHttp = proxy.kind === 'http'
    this.#timer = deps.clock.after(options.timeoutMs, () => this.#late())
    proxyAddress(proxy, deps.resolver)
      .then(address => {
        if (this.#closed) return
        this.#handshake = connectThrough(proxy, target)
        this.#inner = deps.tcp.connect(address, options, {
          open: () => this.#greet(),
          data: chunk => this.#received(chunk),
          drain: () => {
            if (this.#open) this.#handlers.drain()
          },
          close: error => {
            // An end by the proxy before the stream was open is a failure, however orderly.
            const orderly = this.#open || this.#destroyed
            this.#end(this.#error ?? error ?? (orderly ? null : new Error('the proxy closed the connection')))
          },
        })
      })
      .catch((error: unknown) => this.#fail(error instanceof Error ? error : new Error(errorText(error))))
  }

  write(bytes: Uint8Array, sent?: () => void): boolean {
    if (this.#open && this.#inner !== null) return this.#inner.write(bytes, sent)
    if (this.#closed) {
      if (sent !== undefined) process.nextTick(sent)
      return true
    }
    this.#early.push({ bytes, sent })
    this.#earlyBytes += bytes.length
    if (this.#earlyBytes > MAX_EARLY_BYTES) this.#fail(new Error('too much was written before the proxy answered'))
    return true
  }

  cork(): void {
    if (this.#open) this.#inner?.cork()
  }

  uncork(): void {
    if (this.#open) this.#inner?.uncork()
  }

  pause(): void {
    this.#paused = true
    if (this.#open) this.#inner?.pause()
  }

  resume(): void {
    this.#paused = false
    if (!this.#open) return
    const held = this.#held
    if (held === null) return this.#inner?.resume()
    // In a tick of its own: resume() may be called from inside a data callback.
    process.nextTick(() => {
      if (this.#paused || this.#closed || this.#held !== held) return
      this.#held = null
      this.#handlers.data(held)
      if (!this.#paused) this.#inner?.resume()
    })
  }

  destroy(): void {
    if (this.#closed) return
    this.#destroyed = true
    if (this.#inner === null) this.#end(this.#error)
    else this.#inner.destroy()
  }

  #greet(): void {
    this.#taken = true
    try {
      if (this.#handshake !== null) this.#inner?.write(this.#handshake.begin())
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #received(chunk: Uint8Array): void {
    if (this.#closed || this.#error !== null) return
    if (this.#handshake === null) return this.#handlers.data(chunk)
    let step: HandshakeStep
    try {
      step = this.#handshake.receive(chunk)
    } catch (error) {
      this.#answered = !(error instanceof DecodeError) && !(error instanceof TurnedAway)
      return this.#fail(error as Error)
    }
    this.#answered = true
    if (step.done) this.#opened(step.rest)
    else if (step.send !== null) this.#inner?.write(step.send)
  }

  #opened(rest: Uint8Array): void {
    this.#handshake = null
    this.#open = true
    this.#judge(true)
    this.#timer?.cancel()
    const early = this.#early
    this.#early = []
    this.#earlyBytes = 0
    for (const { bytes, sent } of early) this.#inner?.write(bytes, sent)
    this.#handlers.open?.()
    if (rest.length > 0 && !this.#closed) {
      if (this.#paused) this.#held = rest
      else this.#handlers.data(rest)
    }
    if (this.#paused) this.#inner?.pause()
  }

  #late(): void {
    this.#timedOut = true
    this.#fail(new Error('connect timed out'))
  }

  #fail(error: Error): void {
    this.#error ??= error
    this.destroy()
  }

  /** Tells the end, once, in a tick of its own: never inside a call of the owner. */
  #end(error: Error | null): void {
    if (this.#closed) return
    this.#closed = true
    this.#timer?.cancel()
    // SOCKS answers at once, HTTP only when it knows of the target. Of what this side gave up nothing is known.
    if (this.#answered && !this.#open) this.#judge(true)
    else if (!this.#open && error !== null && !(this.#isHttp && this.#taken && this.#timedOut)) this.#judge(false)
    const early = this.#early
    this.#early = []
    this.#earlyBytes = 0
    process.nextTick(() => {
      for (const { sent } of early) sent?.()
      this.#handlers.close(error)
    })
  }
}
