// A running HTTP server before a service double, and a plain client: what all tests of the HTTP front start from.

import { randomBytes, randomInt } from 'node:crypto'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { Secret } from '../../../src/base/secret.ts'
import type { Arena, Slot } from '../../../src/ports/arena.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Log } from '../../../src/ports/log.ts'
import { routes } from '../../kit/all-routes.ts'
import { type FurtherListening, type HttpOptions, createHttpServer } from '../../../src/http/index.ts'
import { PackageFiles } from '../../../src/io/files/package-files.ts'
import type { RouteTable } from '../../../src/http/route.ts'
import type { Services } from '../../../src/services/api.ts'
import { ServiceDouble } from './service-double.ts'

export const KEY = 'k'.repeat(64)

/** Real time. */
export const realClock: Clock = {
  now: () => performance.now(),
  wallMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref()
    return { cancel: () => clearTimeout(timer) }
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs).unref()
    return { cancel: () => clearInterval(timer) }
  },
}

/** Keeps every line that is logged. */
export class LogLines implements Log {
  readonly lines: string[] = []
  debug(message: string, fields?: Record<string, unknown>): void {
    this.lines.push(JSON.stringify({ message, ...fields }))
  }
  info(message: string, fields?: Record<string, unknown>): void {
    this.debug(message, fields)
  }
  warn(message: string, fields?: Record<string, unknown>): void {
    this.debug(message, fields)
  }
  error(message: string, fields?: Record<string, unknown>): void {
    this.debug(message, fields)
  }
  part(): Log {
    return this
  }
}

/** A small arena that knows what is lent and what was the most. */
export class CountingArena implements Arena {
  readonly id = 'range'
  readonly slotBytes = 256 * 1024
  readonly slotCount: number
  readonly buffer: SharedArrayBuffer
  readonly #free: Slot[] = []
  readonly #lent = new Set<Slot>()
  readonly #waiting: ((slot: Slot) => void)[] = []
  mostLent = 0

  constructor(slotCount: number) {
    this.slotCount = slotCount
    this.buffer = new SharedArrayBuffer(slotCount * this.slotBytes)
    for (let index = 0; index < slotCount; index++) {
      const offset = index * this.slotBytes
      this.#free.push({ index, generation: 0, offset, bytes: new Uint8Array(this.buffer, offset, this.slotBytes) })
    }
  }

  get freeCount(): number {
    return this.#free.length
  }

  lease(): Slot | null {
    const slot = this.#free.pop()
    if (slot === undefined) return null
    this.#lent.add(slot)
    this.mostLent = Math.max(this.mostLent, this.#lent.size)
    return slot
  }

  freeRun(): number {
    return -1
  }

  leaseLater(): Promise<Slot> {
    const slot = this.lease()
    if (slot !== null) return Promise.resolve(slot)
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  release(slot: Slot): void {
    if (!this.#lent.delete(slot)) throw new Error('released a slot that is not lent')
    this.#free.push(slot)
    const next = this.#waiting.shift()
    const lent = next === undefined ? null : this.lease()
    if (lent !== null) next?.(lent)
  }
}

/** The dashboard, as far as these tests look at it. */
const DASHBOARD: Readonly<Record<string, Uint8Array>> = {
  'index.html': Buffer.from('<!doctype html><title>Tributary</title>'),
  'dashboard/picture.png': Buffer.alloc(20_000, 'picture'),
  'dashboard/worker-film-abc.js': Buffer.from('postMessage(1)'),
  'dashboard/film-worker-abc.js': Buffer.from('1'),
  'dashboard/icon.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
}

export interface Running {
  readonly port: number
  readonly httpsPort: number
  readonly double: ServiceDouble
  readonly arena: CountingArena
  readonly log: LogLines
  readonly exceptions: unknown[]
  /** Opens listeners beside it. */
  readonly listening: FurtherListening
  stop(deadlineMs?: number): Promise<void>
}

/** What takes the place of a part of the double or of the time. */
export interface OtherParts {
  readonly services?: Partial<Services>
  readonly clock?: Clock
  readonly routes?: RouteTable
}

/** Starts a server on a free loopback port. */
export async function startServer(
  options: Partial<HttpOptions> = {},
  slots = 8,
  other: OtherParts = {},
): Promise<Running> {
  const double = Object.assign(new ServiceDouble(), other.services)
  const arena = new CountingArena(slots)
  const log = new LogLines()
  const exceptions: unknown[] = []
  const server = createHttpServer(
    {
      host: '127.0.0.1',
      port: 0,
      apiKey: new Secret(KEY),
      hostNames: ['node.example'],
      origins: ['http://app.example:8080'],
      version: '1.2.3',
      linkSecret: Buffer.alloc(32, 7),
      givenLinks: double.links,
      ...options,
    },
    double,
    {
      routes: other.routes ?? routes,
      rangeArena: arena,
      clock: other.clock ?? realClock,
      log,
      random: { bytes: count => randomBytes(count), below: below => randomInt(below) },
      docsFiles: new PackageFiles('swagger-ui-dist'),
      dashboardFiles: { read: name => Promise.resolve(DASHBOARD[name] ?? null) },
      setEnvironment: (name, value) => {
        process.env[name] = value
      },
      onException: error => exceptions.push(error),
    },
  )
  const ports = await server.start()
  const port = ports.http ?? 0
  return {
    port,
    httpsPort: ports.https ?? 0,
    double,
    arena,
    log,
    exceptions,
    listening: server,
    stop: (deadlineMs = 1000) => server.stop(deadlineMs),
  }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  json(): unknown
}

export interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
  /** Default true: send the right key. */
  readonly key?: boolean
  readonly agent?: import('node:http').Agent
}

/** One request and its whole answer. */
export function ask(port: number, path: string, options: Ask = {}): Promise<Answer> {
  const key: Record<string, string> = options.key === false ? {} : { 'X-Api-Key': KEY }
  const length: Record<string, string> =
    options.body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(options.body)) }
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method: options.method ?? 'GET',
        agent: options.agent ?? false,
        headers: { ...key, ...length, ...options.headers },
      },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const body = Buffer.concat(chunks)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body,
            json: () => JSON.parse(body.toString('utf8')) as unknown,
          })
        })
      },
    )
    request.on('error', reject)
    request.end(options.body)
  })
}

/** The envelope of an error answer; throws when it is none. */
export function envelope(answer: Answer): { handled: boolean; code: string; message: string } {
  const { error } = answer.json() as { error: { handled: boolean; code: string; message: string } }
  if (typeof error.handled !== 'boolean' || typeof error.code !== 'string' || typeof error.message !== 'string') {
    throw new Error(`not an error envelope: ${answer.body.toString()}`)
  }
  if (answer.headers['content-type'] !== 'application/json') throw new Error('an error must be JSON')
  return error
}

/** Waits until `holds` is true; rejects after `limitMs`. */
export async function until(holds: () => boolean, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!holds()) {
    if (performance.now() > end) throw new Error('the condition did not come true in time')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
