// Requests as an attacker writes them: paths are sent as they are (fetch would take `..` out), bodies and headers are
// anything, and what never ends is cut.

import { request } from 'node:http'
import { connect } from 'node:net'

/** An answer; status 0: there was none within the limit, or the connection ended. */
export interface RawAnswer {
  readonly status: number
  /** At most the first 256 KiB. */
  readonly body: string
  readonly bytes: Buffer
}

/** What is sent beside method and path. */
export interface RawRequest {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Milliseconds; default 4,000. */
  readonly limitMs?: number
  /** Bytes of the answer that are kept; default 256 KiB. */
  readonly maxBytes?: number
}

/** Sends one request to 127.0.0.1; never rejects. */
export function ask(port: number, method: string, path: string, sent: RawRequest = {}): Promise<RawAnswer> {
  const { headers = {}, body, limitMs = 4000, maxBytes = 262_144 } = sent
  return new Promise(resolve => {
    const parts: Buffer[] = []
    let [status, size] = [0, 0]
    // Characters that HTTP itself forbids in a target; all others go as they are.
    const target = path.replace(/[^\x21-\x7e]/g, character => encodeURIComponent(character))
    // Said always: without it DELETE would send its body as if it were the next request.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const asked = request({
      host: '127.0.0.1',
      port,
      method,
      path: target,
      headers: { ...length, ...headers },
      agent: false,
    })
    const late = setTimeout(() => asked.destroy(), limitMs)
    const end = () => {
      clearTimeout(late)
      const bytes = Buffer.concat(parts)
      resolve({ status, bytes, body: bytes.toString() })
      asked.destroy()
    }
    asked.on('error', end).on('close', end)
    asked.on('response', answer => {
      status = answer.statusCode ?? 0
      answer.on('end', end).on('error', end)
      answer.on('data', (chunk: Buffer) => {
        parts.push(chunk)
        size += chunk.length
        if (size >= maxBytes) end()
      })
    })
    asked.end(body)
  })
}

/** Sends bytes over a connection of their own and answers what came back within `limitMs`; never rejects. */
export function sendBytes(port: number, bytes: Uint8Array, limitMs: number, host = '127.0.0.1'): Promise<Buffer> {
  return new Promise(resolve => {
    const parts: Buffer[] = []
    const socket = connect({ port, host, noDelay: true })
    const late = setTimeout(() => socket.destroy(), limitMs)
    socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined)
    socket.on('connect', () => socket.write(bytes))
    socket.on('close', () => {
      clearTimeout(late)
      resolve(Buffer.concat(parts))
    })
  })
}
