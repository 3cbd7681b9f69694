// TCP for the engine over node:net. All sockets read into one shared buffer: the data callback is synchronous, so the
// buffer is free again when it returns, and a thousand idle peers cost no read buffers.
// Accepted sockets get the same treatment by moving their handle into a socket of our making.

import { once } from 'node:events'
import net from 'node:net'
import { AppError, errorText } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { TcpListener, TcpNetwork, TcpStream, TcpStreamHandlers } from '../../ports/tcp.ts'
import type { DeviceSockets } from './device-sockets.ts'
import { FailedStream } from './failed-stream.ts'

/** One read of the kernel at most; larger views gained nothing in measurements. */
const READ_BUFFER_BYTES = 256 * 1024
/**
 * Full reads of one socket in a turn of the loop. libuv alone makes 32 while each fills the buffer, which is 8 MiB and
 * up to 100 ms: the disk, the database and everybody else wait for the next turn (decision 0237).
 */
const MAX_FULL_READS = 4
/** Not yet accepted connections the kernel keeps. */
const LISTEN_BACKLOG = 128

/** What node:net does not declare: sockets can be made with `onread`, and a handle can be given to another socket. */
type HandleOwner = net.Socket & { _handle: object | null }
type SocketOptions = net.SocketConstructorOpts & { onread: net.OnReadOpts; handle?: object }

class NetStream implements TcpStream {
  readonly remote: PeerAddress
  readonly incoming: boolean
  #socket: net.Socket | null = null
  #handlers: TcpStreamHandlers | null = null
  #connectTimer: NodeJS.Timeout | null = null
  #error: Error | null = null
  #corked = 0
  #paused = false
  #fullReads = 0

  constructor(remote: PeerAddress, incoming: boolean) {
    this.remote = remote
    this.incoming = incoming
  }

  get bufferedBytes(): number {
    return this.#socket?.writableLength ?? 0
  }

  /** Ties socket and handlers together; from here on callbacks may come. */
  attach(socket: net.Socket, handlers: TcpStreamHandlers): void {
    this.#socket = socket
    this.#handlers = handlers
    socket.setNoDelay(true)
    socket.on('drain', () => this.#handlers?.drain())
    socket.on('end', () => socket.destroy())
    socket.on('error', error => {
      this.#error ??= error
    })
    socket.on('close', () => this.#closed())
  }

  /** Arms the connect timeout and reports the connection. */
  connecting(socket: net.Socket, timeoutMs: number): void {
    this.#connectTimer = setTimeout(() => socket.destroy(new Error('connect timed out')), timeoutMs)
    socket.once('connect', () => {
      this.#stopTimer()
      this.#handlers?.open?.()
    })
  }

  /** False when this turn has read enough of the socket: it reads again in the next. */
  received(chunk: Uint8Array): boolean {
    this.#handlers?.data(chunk)
    // A read that did not fill the buffer is the last of its turn.
    this.#fullReads = chunk.length < READ_BUFFER_BYTES ? 0 : this.#fullReads + 1
    if (this.#fullReads < MAX_FULL_READS) return true
    this.#fullReads = 0
    setImmediate(() => {
      if (!this.#paused) this.#socket?.resume()
    })
    return false
  }

  write(bytes: Uint8Array, sent?: () => void): boolean {
    const socket = this.#socket
    if (socket === null || socket.destroyed) {
      // Still asynchronous, so that callers never see their callback inside write().
      if (sent !== undefined) process.nextTick(sent)
      return true
    }
    return sent === undefined ? socket.write(bytes) : socket.write(bytes, sent)
  }

  cork(): void {
    this.#corked += 1
    this.#socket?.cork()
  }

  uncork(): void {
    if (this.#corked === 0) return
    this.#corked -= 1
    this.#socket?.uncork()
  }

  pause(): void {
    this.#paused = true
    this.#socket?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#socket?.resume()
  }

  destroy(): void {
    this.#socket?.destroy()
  }

  reset(): void {
    if (this.#socket !== null) resetSocket(this.#socket)
  }

  #stopTimer(): void {
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer)
    this.#connectTimer = null
  }

  #closed(): void {
    this.#stopTimer()
    const handlers = this.#handlers
    this.#handlers = null
    this.#socket = null
    handlers?.close(this.#error)
  }
}

/** The engine's TCP. One object serves any number of streams and listeners. */
export class NetTcpNetwork implements TcpNetwork {
  readonly #readBuffer = new Uint8Array(READ_BUFFER_BYTES)
  readonly #devices: DeviceSockets | null

  /** `devices`: makes the sockets of a place whose addresses have devices. */
  constructor(devices: DeviceSockets | null = null) {
    this.#devices = devices
  }

  connect(
    remote: PeerAddress,
    options: { localIp: string | null; timeoutMs: number },
    handlers: TcpStreamHandlers,
  ): TcpStream {
    const stream = new NetStream(remote, false)
    const socketOptions: SocketOptions = { onread: this.#onread(stream) }
    let socket: net.Socket
    try {
      socket = this.#devices?.connecting(options.localIp, remote.ip, socketOptions) ?? new net.Socket(socketOptions)
    } catch (error) {
      return new FailedStream(remote, error as Error, handlers)
    }
    stream.attach(socket, handlers)
    stream.connecting(socket, options.timeoutMs)
    // Numeric addresses only: no name lookup; a local address of the other family would fail, so it is left out.
    const sameFamily = options.localIp !== null && net.isIP(options.localIp) === net.isIP(remote.ip)
    process.nextTick(() => {
      if (socket.destroyed) return
      try {
        socket.connect({
          host: remote.ip,
          port: remote.port,
          autoSelectFamily: false,
          ...(sameFamily && options.localIp !== null ? { localAddress: options.localIp } : {}),
        })
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(errorText(error)))
      }
    })
    return stream
  }

  async listen(at: PeerAddress, accept: (stream: TcpStream) => TcpStreamHandlers | null): Promise<TcpListener> {
    const open = new Set<net.Socket>()
    const server = net.createServer({ pauseOnConnect: true }, shell => {
      const socket = this.#accepted(shell, accept)
      if (socket === null) return
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
    await listening(server, at, this.#devices)
    server.on('error', () => {
      // Failed accepts (out of descriptors) concern one connection, not the listener.
    })
    const bound = server.address()
    const address = bound !== null && typeof bound === 'object' ? { ip: bound.address, port: bound.port } : at
    const end = (one: (socket: net.Socket) => void): Promise<void> =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of open) one(socket)
      })
    return { address, close: () => end(socket => socket.destroy()), reset: () => end(resetSocket) }
  }

  /** Moves an accepted connection into a socket that reads into the shared buffer. */
  #accepted(shell: net.Socket, accept: (stream: TcpStream) => TcpStreamHandlers | null): net.Socket | null {
    const remote = { ip: plainIp(shell.remoteAddress ?? ''), port: shell.remotePort ?? 0 }
    const stream = new NetStream(remote, true)
    const handlers = remote.port === 0 ? null : accept(stream)
    const owner = shell as HandleOwner
    const handle = owner._handle
    if (handlers === null || handle === null) {
      shell.on('error', () => {})
      shell.destroy()
      return null
    }
    const options: SocketOptions = { handle, onread: this.#onread(stream) }
    // The shell lets go of the handle first: destroying it then only settles the server's connection count.
    owner._handle = null
    shell.destroy()
    const socket = new net.Socket(options)
    stream.attach(socket, handlers)
    socket.resume()
    return socket
  }

  #onread(stream: NetStream): net.OnReadOpts {
    const buffer = this.#readBuffer
    return {
      buffer,
      callback: (count: number) => stream.received(buffer.subarray(0, count)),
    }
  }
}

/**
 * Ends a connection without its orderly end, which the kernel would go on sending, with all that is queued, for a
 * minute and more. One packet may go, none over IPv4 when its local address is gone.
 */
export function resetSocket(socket: net.Socket): void {
  try {
    // One that is connecting would be connected first.
    if (!socket.connecting) socket.resetAndDestroy()
  } catch {
    // Another owner has its handle.
  }
  socket.destroy()
}

/** IPv4 addresses that came over a dual-stack socket lose their IPv6 coat. */
function plainIp(ip: string): string {
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice(7) : ip
}

async function listening(server: net.Server, at: PeerAddress, devices: DeviceSockets | null): Promise<void> {
  try {
    const fd = devices?.listening(at) ?? null
    const heard = once(server, 'listening')
    if (fd !== null) server.listen({ fd }, LISTEN_BACKLOG)
    else server.listen({ host: at.ip, port: at.port, exclusive: true, backlog: LISTEN_BACKLOG })
    await heard
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    const taken = code === 'EADDRINUSE' || code === 'EACCES'
    const text = `Cannot listen on ${at.ip} port ${at.port}: ${errorText(error)}`
    throw new AppError(taken ? 'PortTaken' : 'BadConfiguration', text, { cause: error })
  }
}
