// A TCP relay between two peers that keeps what each said, and reads it as peer messages where it is not encrypted:
// what two programs of different projects really sent each other. And a tracker that names only given addresses, so
// that announcing clients connect to the relay.

import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { decodeBencode } from '../../../src/wire/bencode.ts'

/** Bytes of each direction of a connection that are kept. */
const KEPT_BYTES = 8 * 1024 * 1024
const HANDSHAKE_BYTES = 68
const PLAIN_HEAD = Buffer.from('\x13BitTorrent protocol')

/** One direction of one connection. */
export class TappedWords {
  #bytes = Buffer.alloc(0)
  #said = 0

  push(chunk: Buffer): void {
    this.#said += chunk.length
    if (this.#bytes.length < KEPT_BYTES) this.#bytes = Buffer.concat([this.#bytes, chunk])
  }

  /** Bytes that were said, kept or not. */
  get said(): number {
    return this.#said
  }

  /** It begins as an unencrypted connection does. */
  get plain(): boolean {
    return this.#bytes.subarray(0, PLAIN_HEAD.length).equals(PLAIN_HEAD)
  }

  /** The eight reserved bytes of the handshake. */
  get reserved(): Buffer {
    return this.#bytes.subarray(20, 28)
  }

  /** Whole messages that were said: number and payload; keep-alives are left out. */
  messages(): { id: number; payload: Buffer }[] {
    const found: { id: number; payload: Buffer }[] = []
    let at = HANDSHAKE_BYTES
    while (at + 4 <= this.#bytes.length) {
      const length = this.#bytes.readUInt32BE(at)
      if (at + 4 + length > this.#bytes.length) break
      if (length > 0)
        found.push({ id: this.#bytes[at + 4] ?? 0, payload: this.#bytes.subarray(at + 5, at + 4 + length) })
      at += 4 + length
    }
    return found
  }

  /** Numbers of the messages that were said. */
  ids(): Set<number> {
    return new Set(this.messages().map(message => message.id))
  }

  /** The extension handshakes (BEP 10), oldest first. */
  extensionHandshakes(): ReadonlyMap<string, unknown>[] {
    return this.messages()
      .filter(({ id, payload }) => id === 20 && payload[0] === 0)
      .map(({ payload }) => decodeBencode(payload.subarray(1)) as unknown as ReadonlyMap<string, unknown>)
  }
}

/** One connection through the relay. */
export interface TappedConnection {
  /** What the one who connected said. */
  readonly caller: TappedWords
  /** What the one behind the relay said. */
  readonly called: TappedWords
}

export interface WireTap {
  readonly ip: string
  readonly port: number
  readonly connections: readonly TappedConnection[]
  stop: () => Promise<void>
}

function relay(from: Socket, to: Socket, words: TappedWords): void {
  from.on('data', chunk => {
    words.push(chunk)
    if (!to.write(chunk)) from.pause()
  })
  to.on('drain', () => from.resume())
  from.on('end', () => to.end())
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}

function listen(server: Server, port: number, ip: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, ip, resolve)
  })
}

/**
 * Starts a relay at `ip` to the peer at `target`, at the same port where it is free: peers say theirs, and are
 * believed.
 */
export async function startTap(ip: string, target: { readonly ip: string; readonly port: number }): Promise<WireTap> {
  const connections: TappedConnection[] = []
  const open = new Set<Socket>()
  const server = createServer(caller => {
    const called = connect(target.port, target.ip)
    const connection = { caller: new TappedWords(), called: new TappedWords() }
    connections.push(connection)
    for (const socket of [caller, called]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    }
    relay(caller, called, connection.caller)
    relay(called, caller, connection.called)
  })
  await listen(server, target.port, ip).catch(() => listen(server, 0, ip))
  return {
    ip,
    port: (server.address() as AddressInfo).port,
    connections,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

export interface NamingTracker {
  /** The announce URL. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts an HTTP tracker at `ip` that answers every announce with `peers`. */
export async function startNamingTracker(
  ip: string,
  peers: readonly { readonly ip: string; readonly port: number }[],
): Promise<NamingTracker> {
  const compact = Buffer.from(
    peers.flatMap(peer => [...peer.ip.split('.').map(Number), peer.port >> 8, peer.port & 255]),
  )
  const head = `d8:completei1e10:incompletei1e8:intervali5e12:min intervali1e5:peers${compact.length}:`
  const answer = Buffer.concat([Buffer.from(head), compact, Buffer.from('e')])
  const server = createHttpServer((_request, reply) => reply.end(answer))
  await new Promise<void>(resolve => server.listen(0, ip, resolve))
  return {
    url: `http://${ip}:${(server.address() as AddressInfo).port}/announce`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
