// Sits before the server of a chain: passes requests on, until it must break off at one method.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** Where a request is broken off: before the server hears of it, or before its answer goes back. */
export type BreakPoint = 'before' | 'after'

/** Sits before the server of a chain: passes requests on, until it must break off at one method. */
export class RpcGate {
  /** Requests that reached the server, by method. */
  readonly passed = new Map<string, number>()
  readonly #target: URL
  readonly #server: Server
  #broken: { readonly method: string; readonly at: BreakPoint; readonly hit: () => void } | null = null

  private constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((request, reply) => {
      void this.#handle(request).then(
        answer => (answer === null ? request.socket.destroy() : reply.writeHead(answer.status).end(answer.body)),
        () => request.socket.destroy(),
      )
    })
  }

  /** Before the server at `target`, credentials within. */
  static async start(target: string): Promise<RpcGate> {
    const gate = new RpcGate(target)
    gate.#server.listen(0, '127.0.0.1')
    await once(gate.#server, 'listening')
    return gate
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    const { username, password } = this.#target
    return `http://${username === '' ? '' : `${username}:${password}@`}127.0.0.1:${port}`
  }

  /** Breaks off every request of a method; settles at the first one. */
  breakOff(method: string, at: BreakPoint): Promise<void> {
    return new Promise(resolve => {
      this.#broken = { method, at, hit: resolve }
    })
  }

  mend(): void {
    this.#broken = null
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Null: broken off. */
  async #handle(request: IncomingMessage): Promise<{ status: number; body: Buffer } | null> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { method } = JSON.parse(body.toString()) as { method: string }
    const broken = this.#broken?.method === method ? this.#broken : null
    if (broken?.at === 'before') {
      broken.hit()
      return null
    }
    const { authorization } = request.headers
    const reply = await fetch(this.#target.origin, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
      body,
    })
    this.passed.set(method, (this.passed.get(method) ?? 0) + 1)
    const answer = { status: reply.status, body: Buffer.from(await reply.arrayBuffer()) }
    if (broken === null) return answer
    broken.hit()
    return null
  }
}
