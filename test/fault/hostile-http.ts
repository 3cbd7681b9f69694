// HTTP servers on loopback that misbehave, one behaviour a path, and the guarded clients that meet them.
// 127.0.0.1 is allowed (so: public) and 127.0.0.2 is private in the worlds made here.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createGzip } from 'node:zlib'
import { AddressPolicy } from '../../src/io/net/address-policy.ts'
import { GuardedHttp } from '../../src/io/net/guarded-http.ts'
import { DnsResolver } from '../../src/io/net/dns-resolver.ts'
import type { LookupAll } from '../../src/io/net/system-lookup.ts'

export type Handler = (request: IncomingMessage, reply: ServerResponse) => void

export interface HostileServer {
  readonly port: number
  readonly requests: IncomingMessage[]
  readonly connections: Set<Socket>
  opened: number
  url(path: string, host?: string): string
  stop(): Promise<void>
}

/** Serves `handler` at `ip`. */
export async function serve(handler: Handler, ip = '127.0.0.1'): Promise<HostileServer> {
  const requests: IncomingMessage[] = []
  const connections = new Set<Socket>()
  const server: Server = createServer((request, reply) => {
    requests.push(request)
    handler(request, reply)
  })
  server.on('connection', socket => {
    hostile.opened++
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, ip, resolve))
  const { port } = server.address() as AddressInfo
  const hostile: HostileServer = {
    port,
    requests,
    connections,
    opened: 0,
    url: (path, host = ip) => `http://${host}:${port}${path}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return hostile
}

/** Serves raw bytes: what `handler` writes is all that is sent. */
export async function serveRaw(handler: (socket: Socket) => void): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    handler(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Sends zeroes for ever, as gzip: kilobytes on the wire, gigabytes in memory if nobody counts. */
export function gzipBomb(reply: ServerResponse): void {
  reply.writeHead(200, { 'content-encoding': 'gzip' })
  const gzip = createGzip({ level: 9 })
  const zeroes = Buffer.alloc(1024 * 1024)
  const pump = (): void => {
    while (!reply.destroyed && gzip.write(zeroes)) continue
  }
  gzip.on('drain', pump)
  reply.on('close', () => gzip.destroy())
  gzip.pipe(reply)
  pump()
}

/** Sends bytes for ever without a length. */
export function endless(reply: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 0x61)
  const pump = (): void => {
    while (!reply.destroyed && reply.write(chunk)) continue
  }
  reply.on('drain', pump)
  pump()
}

/** Names for tests: pub.test and the literal 127.0.0.1 are public, priv.test is 127.0.0.2 and private. */
const testNames: LookupAll = (host, done) => {
  const known: Record<string, string[]> = { 'pub.test': ['127.0.0.1'], 'priv.test': ['127.0.0.2'] }
  const found = known[host]
  done(found === undefined ? new Error('no such name') : null, found ?? [])
}

/** Policy and resolver of these worlds. */
export function loopbackWorld(allowed: readonly string[] = ['127.0.0.1']): {
  policy: AddressPolicy
  resolver: DnsResolver
} {
  const policy = new AddressPolicy(allowed)
  return { policy, resolver: new DnsResolver({ policy, lookup: testNames }) }
}

/** Resolves every name to a server here. */
function secureWorld(): ReturnType<typeof loopbackWorld> {
  const resolve = () => Promise.resolve([{ ip: '127.0.0.1', family: 4, class: 'public' } as const])
  return Object.assign(loopbackWorld(), { resolver: { resolve } })
}

/** One GET of /announce over TLS. */
export async function getSecure(host: string, port: number): Promise<string> {
  const http = new GuardedHttp({ userAgent: 'x', localIp: null }, secureWorld())
  const url = `https://${host}:${port}/announce`
  try {
    const answer = await http.get({ url, maxBytes: 1000, timeoutMs: 5000, privateRule: 'refuse' })
    return Buffer.from(answer.body).toString()
  } finally {
    await http.close()
  }
}
