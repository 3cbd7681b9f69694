// An HTTP client on one socket that counts a request as answered as soon as it has read the status line, as the most
// impatient client may: what it was told by then must be true after kill -9.

import { connect, type Socket } from 'node:net'

/** The server went away before it answered. */
export class Unanswered extends Error {}

/** One connection; one request at a time. */
export class StatusClient {
  readonly #socket: Socket
  readonly #key: string
  #text = ''
  #status: { resolve: (status: number) => void; reject: (error: Error) => void } | null = null
  /** Resolves when the answer of the request before is read to its end. */
  #idle: Promise<void> = Promise.resolve()
  #readIdle: () => void = () => undefined
  /** The server has closed the connection, or died. */
  gone = false

  constructor(port: number, key: string) {
    this.#key = key
    this.#socket = connect(port, '127.0.0.1').setNoDelay()
    this.#socket.setEncoding('latin1').on('data', (text: string) => {
      this.#text += text
      this.#look()
    })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
      this.gone = true
      this.#status?.reject(new Unanswered())
      this.#readIdle()
    })
  }

  /** Sends JSON; the status, as soon as its line is there. Rejects with Unanswered. */
  async request(method: string, path: string, body: object = {}): Promise<number> {
    await this.#idle
    if (this.gone) throw new Unanswered()
    const text = JSON.stringify(body)
    this.#idle = new Promise(resolve => {
      this.#readIdle = resolve
    })
    const answered = new Promise<number>((resolve, reject) => {
      this.#status = { resolve, reject }
    })
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${this.#key}\r\n`
    this.#socket.write(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    return answered
  }

  close(): void {
    this.#socket.destroy()
  }

  #look(): void {
    const status = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n/.exec(this.#text)?.[1]
    if (status === undefined) return
    this.#status?.resolve(Number(status))
    this.#status = null
    const head = this.#text.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1] ?? '0')
    if (this.#text.length < head + 4 + length) return
    this.#text = this.#text.slice(head + 4 + length)
    this.#readIdle()
  }
}
