// Requests of the benchmark itself, over node:http with kept connections: fetch loads too much on its first call to be
// timed, and hides when the first byte came.

import { Agent, type IncomingMessage, request as open } from 'node:http'

/** One request, as wrk and the benchmark send it. */
export interface HttpRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

function answerTo(what: HttpRequest, limitMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { ...what.headers, ...(what.body && { 'content-length': String(Buffer.byteLength(what.body)) }) }
    const sent = open(what.url, { agent, method: what.method ?? 'GET', headers }, resolve)
    sent.setTimeout(limitMs, () => sent.destroy(new Error(`${what.url}: silent for ${limitMs} ms`)))
    sent.on('error', reject)
    sent.end(what.body)
  })
}

/** Sends a request; the whole answer. */
export async function call(what: HttpRequest, limitMs = 60_000): Promise<HttpAnswer> {
  const answer = await answerTo(what, limitMs)
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }
}

/** Sends a request and expects status 200 and JSON. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it expects
export async function callJson<T>(what: HttpRequest, limitMs?: number): Promise<T> {
  const answer = await call(what, limitMs)
  if (answer.status !== 200) throw new Error(`${what.url}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
  return JSON.parse(answer.body.toString()) as T
}

/**
 * Asks every two milliseconds until the server answers anything at all. `stillRunning` throws when its process has
 * ended.
 */
export async function untilAnswers(url: string, stillRunning: () => void, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs
  for (;;) {
    const there = await call({ url }, 10_000).then(
      () => true,
      () => false,
    )
    if (there) return
    stillRunning()
    if (performance.now() > end) throw new Error(`${url} never answered`)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

/** The beginning of a body. */
export interface BodyStart {
  readonly status: number
  /** performance.now() when the first byte of the body was here. */
  readonly firstAt: number
  /** ... and when `length` bytes were. */
  readonly lastAt: number
  readonly bytes: Buffer
}

/** Reads the first `length` bytes of the body and drops the connection. */
export async function bodyStart(what: HttpRequest, length: number, limitMs = 60_000): Promise<BodyStart> {
  const answer = await answerTo(what, limitMs)
  const chunks: Buffer[] = []
  let received = 0
  let firstAt = 0
  for await (const chunk of answer) {
    if (received === 0) firstAt = performance.now()
    chunks.push(chunk as Buffer)
    received += (chunk as Buffer).length
    if (received >= length) break
  }
  const lastAt = performance.now()
  answer.destroy()
  return { status: answer.statusCode ?? 0, firstAt, lastAt, bytes: Buffer.concat(chunks).subarray(0, length) }
}

/** Passes the chunks of a body to `use`, one after the other; the number of bytes. */
export async function readBody(what: HttpRequest, use: (chunk: Buffer, at: number) => unknown): Promise<number> {
  const answer = await answerTo(what, 60_000)
  if (answer.statusCode !== 200 && answer.statusCode !== 206) throw new Error(`${what.url}: ${answer.statusCode}`)
  let at = 0
  for await (const chunk of answer) {
    await use(chunk as Buffer, at)
    at += (chunk as Buffer).length
  }
  return at
}
