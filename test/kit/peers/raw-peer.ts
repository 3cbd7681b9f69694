// A hostile peer: a TCP listener that answers whatever the test tells it to, byte by byte.

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { InfoHash } from '../../../src/base/ids.ts'
import { encodeHandshake } from '../../../src/wire/peer/handshake.ts'

export interface RawPeer {
  readonly ip: string
  readonly port: number
  /** Connections the node has opened to it so far. */
  readonly connections: number
  /** Connections that are open now. */
  readonly open: number
  stop(): Promise<void>
}

/** Listens at `ip`; each connection is given to `behave`. */
export async function startRawPeer(ip: string, behave: (socket: Socket) => void): Promise<RawPeer> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server: Server = createServer(socket => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    // Unread bytes would keep the end of the connection from being seen.
    socket.on('data', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    behave(socket)
    // Read on, whatever comes: the end of the connection is only seen behind it.
    socket.resume()
  })
  await new Promise<void>(resolve => server.listen(0, ip, resolve))
  return {
    ip,
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    stop: () =>
      new Promise(resolve => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** A valid handshake of a peer that speaks the extension protocol. */
export function validHandshake(infoHash: string, peerId: string): Uint8Array {
  const extensions = { fast: false, extended: true, dht: false }
  const id = Buffer.alloc(20, '-')
  id.write(peerId.slice(0, 20))
  return encodeHandshake({ infoHash: infoHash as InfoHash, peerId: id, extensions })
}

/** A message with its length in front, of any id and payload. */
export function framed(id: number, payload: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length + 1)
  head[4] = id
  return Buffer.concat([head, payload])
}
