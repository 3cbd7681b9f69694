// Small proxies on loopback for tests, written against the RFCs and not against our client: SOCKS5 with CONNECT and UDP
// ASSOCIATE, SOCKS4a, and HTTP CONNECT. They count what they carried and can be told to misbehave. They resolve names
// by a table, so a test sees whether a name came unresolved.

import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface ProxyOptions {
  readonly user?: string
  readonly password?: string
  /** Names the proxy knows, with their addresses. */
  readonly names?: Readonly<Record<string, string>>
  /** Accepts connections and says nothing. */
  readonly mute?: boolean
}

export interface TestProxy {
  readonly port: number
  /** Every target asked for, `host:port`, as the client spelled it. */
  readonly targets: string[]
  /** Connections of clients that live. */
  readonly clients: Set<Socket>
  /** Local address and port of every client that came. */
  readonly cameFrom: string[]
  stop(): Promise<void>
}

/** Bytes of a client in the order they come, asked for by count. */
class ByteQueue {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)
  #wake: () => void = () => undefined
  #ended = false

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', this.#add)
    socket.on('close', () => {
      this.#ended = true
      this.#wake()
    })
  }

  readonly #add = (chunk: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    this.#wake()
  }

  async take(count: number): Promise<Buffer> {
    await this.#until(() => this.#bytes.length >= count)
    const taken = this.#bytes.subarray(0, count)
    this.#bytes = this.#bytes.subarray(count)
    return taken
  }

  async takeUntil(end: string): Promise<Buffer> {
    await this.#until(() => this.#bytes.includes(end))
    return this.take(this.#bytes.indexOf(end) + end.length)
  }

  /** Everything further goes to `other`. */
  leadTo(other: Socket): void {
    this.#socket.off('data', this.#add)
    if (this.#bytes.length > 0) other.write(this.#bytes)
    this.#socket.pipe(other)
    other.pipe(this.#socket)
  }

  async #until(there: () => boolean): Promise<void> {
    while (!there()) {
      if (this.#ended) throw new Error('the client went')
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }
}

async function start(
  serve: (client: Socket, bytes: ByteQueue, proxy: TestProxy) => Promise<void>,
  mute: boolean,
  alsoStop: () => void = () => undefined,
): Promise<TestProxy> {
  const clients = new Set<Socket>()
  const cameFrom: string[] = []
  const server: Server = createServer(client => {
    clients.add(client)
    cameFrom.push(`${client.remoteAddress ?? ''}:${client.remotePort ?? 0}`)
    client.on('error', () => undefined)
    client.on('close', () => clients.delete(client))
    if (mute) client.resume()
    else serve(client, new ByteQueue(client), proxy).catch(() => client.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const proxy: TestProxy = {
    port: (server.address() as AddressInfo).port,
    targets: [],
    clients,
    cameFrom,
    stop: async () => {
      alsoStop()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const client of clients) client.destroy()
      await closed
    },
  }
  return proxy
}

/** Connects to a target of a client; null when it cannot be reached. */
async function reach(host: string, port: number, options: ProxyOptions): Promise<Socket | null> {
  const ip = options.names?.[host] ?? host
  if (!/^[\d.]+$|:/.test(ip)) return null
  const socket = connect({ host: ip, port })
  try {
    await once(socket, 'connect')
  } catch {
    return null
  }
  socket.on('error', () => undefined)
  return socket
}

function join(client: Socket, bytes: ByteQueue, target: Socket): void {
  client.on('close', () => target.destroy())
  target.on('close', () => client.destroy())
  bytes.leadTo(target)
}

async function readSocksAddress(bytes: ByteQueue): Promise<{ host: string; port: number }> {
  const [kind = 0] = await bytes.take(1)
  let host: string
  if (kind === 1) host = [...(await bytes.take(4))].join('.')
  else if (kind === 3) host = (await bytes.take((await bytes.take(1))[0] ?? 0)).toString('latin1')
  else if (kind === 4) host = ((await bytes.take(16)).toString('hex').match(/.{4}/g) ?? []).join(':')
  else throw new Error('bad kind of address')
  return { host, port: (await bytes.take(2)).readUInt16BE() }
}

async function letIn(client: Socket, bytes: ByteQueue, { user, password = '' }: ProxyOptions): Promise<boolean> {
  const [version, count = 0] = await bytes.take(2)
  if (version !== 5) throw new Error('no SOCKS5')
  const methods = await bytes.take(count)
  const method = user === undefined ? 0 : 2
  client.write(Buffer.from([5, methods.includes(method) ? method : 255]))
  if (!methods.includes(method)) return false
  if (user === undefined) return true
  const [, userBytes = 0] = await bytes.take(2)
  const given = (await bytes.take(userBytes)).toString()
  const [passwordBytes = 0] = await bytes.take(1)
  const fits = given === user && (await bytes.take(passwordBytes)).toString() === password
  client.write(Buffer.from([1, fits ? 0 : 1]))
  return fits
}

/** The relay of one association: the first sender is its client. */
async function openRelay(proxy: TestProxy, options: ProxyOptions): Promise<UdpSocket> {
  const relay = createSocket('udp4')
  let client: { address: string; port: number } | null = null
  relay.on('message', (bytes, from) => {
    client ??= from
    if (from.port !== client.port) {
      const head = Buffer.from([0, 0, 0, 1, ...from.address.split('.').map(Number), from.port >> 8, from.port & 255])
      relay.send(Buffer.concat([head, bytes]), client.port, client.address)
      return
    }
    const isName = bytes[3] === 3
    const end = isName ? 5 + (bytes[4] ?? 0) : 8
    const host = isName ? bytes.subarray(5, end).toString('latin1') : [...bytes.subarray(4, 8)].join('.')
    const port = bytes.readUInt16BE(end)
    proxy.targets.push(`udp ${host}:${port}`)
    relay.send(bytes.subarray(end + 2), port, options.names?.[host] ?? host)
  })
  relay.bind(0, '127.0.0.1')
  await once(relay, 'listening')
  return relay
}

/** A SOCKS5 proxy: CONNECT and UDP ASSOCIATE (its relays end with their control connections). */
export function startSocks5(options: ProxyOptions = {}): Promise<TestProxy> {
  const relays = new Set<UdpSocket>()
  const serve = async (client: Socket, bytes: ByteQueue, proxy: TestProxy): Promise<void> => {
    if (!(await letIn(client, bytes, options))) return void client.end()
    const [, command] = await bytes.take(3)
    const { host, port } = await readSocksAddress(bytes)
    if (command === 3) {
      const relay = await openRelay(proxy, options)
      relays.add(relay)
      client.on('close', () => {
        if (relays.delete(relay)) relay.close()
      })
      const at = relay.address().port
      // An unspecified address: many proxies answer so.
      client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, at >> 8, at & 255]))
      return
    }
    proxy.targets.push(`${host}:${port}`)
    const target = await reach(host, port, options)
    if (target === null) return void client.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]))
    client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 1]))
    join(client, bytes, target)
  }
  return start(serve, options.mute ?? false, () => {
    for (const relay of relays) relay.close()
    relays.clear()
  })
}

/** A SOCKS4a proxy. */
export function startSocks4(options: ProxyOptions = {}): Promise<TestProxy> {
  const serve = async (client: Socket, bytes: ByteQueue, proxy: TestProxy): Promise<void> => {
    const head = await bytes.take(8)
    await bytes.takeUntil('\0')
    const named = head.subarray(4, 7).every(byte => byte === 0)
    const host = named ? (await bytes.takeUntil('\0')).toString().slice(0, -1) : [...head.subarray(4)].join('.')
    const port = head.readUInt16BE(2)
    proxy.targets.push(`${host}:${port}`)
    const target = await reach(host, port, options)
    client.write(Buffer.from([0, target === null ? 91 : 90, 0, 0, 0, 0, 0, 0]))
    if (target === null) client.end()
    else join(client, bytes, target)
  }
  return start(serve, options.mute ?? false)
}

/** An HTTP proxy that knows CONNECT alone. */
export function startHttpProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const serve = async (client: Socket, bytes: ByteQueue, proxy: TestProxy): Promise<void> => {
    const head = (await bytes.takeUntil('\r\n\r\n')).toString('latin1')
    const [, host = '', digits = '0'] = /^CONNECT (\S+):(\d+) HTTP\/1\.1\r\n/.exec(head) ?? []
    const wanted = Buffer.from(`${options.user ?? ''}:${options.password ?? ''}`).toString('base64')
    if (options.user !== undefined && !head.includes(`Proxy-Authorization: Basic ${wanted}\r\n`)) {
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
    }
    proxy.targets.push(`${host}:${digits}`)
    const target = await reach(host.replace(/^\[|\]$/g, ''), Number(digits), options)
    if (target === null) return void client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
    client.write('HTTP/1.1 200 Connection established\r\nProxy-Agent: test\r\n\r\n')
    join(client, bytes, target)
  }
  return start(serve, options.mute ?? false)
}
