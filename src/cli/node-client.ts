// Requests of the command line to a node: JSON in and out, streams of lines, the errors of a node as sentences. Node's
// own HTTP client, because it is there without loading anything.

import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { Client } from '../client/client.ts'
import type { CoreRoutes } from '../client/core-routes.ts'
import type { SentRequest } from '../client/request.ts'
import type { AskedArguments, RouteMap, RouteName } from '../client/routes.ts'
import type { FoundNode } from '../node/state/find-node.ts'

/** How commands end. */
export const EXIT = { fine: 0, refused: 1, unreachable: 3, key: 4 } as const

/** What ends a command: a sentence and an exit code. */
export class CommandError extends Error {
  readonly exitCode: number
  /** Of the node's error envelope; '' = none. */
  readonly code: string

  constructor(message: string, exitCode: number = EXIT.refused, code = '') {
    super(message)
    this.exitCode = exitCode
    this.code = code
  }
}

/** A JSON object. */
export type JsonObject = Record<string, unknown>

/** How requests of commands travel. Every method rejects with CommandError. */
export class NodeConnection {
  readonly url: string
  readonly #key: string

  constructor({ url, key }: FoundNode) {
    this.url = url
    this.#key = key
  }

  /** The JSON answer. */
  async json(request: SentRequest<Buffer>): Promise<unknown> {
    const bytes = await this.bytes(request)
    try {
      return JSON.parse(bytes.toString()) as unknown
    } catch {
      throw new CommandError(`${this.url} answers, but not as a node does.`)
    }
  }

  /** The answer as bytes. */
  async bytes(request: SentRequest<Buffer>): Promise<Buffer> {
    const answer = await this.#open(request)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of answer) chunks.push(chunk as Buffer)
    } catch {
      throw new CommandError('The node broke the answer off.', EXIT.unreachable)
    }
    return Buffer.concat(chunks)
  }

  /** Lines of an answer without end, as they come. */
  async *lines(request: SentRequest<Buffer>): AsyncGenerator<string, void> {
    const answer = await this.#open(request)
    let rest = ''
    try {
      for await (const chunk of answer.setEncoding('utf8')) {
        const lines = (rest + String(chunk)).split('\n')
        rest = lines.pop() ?? ''
        yield* lines.filter(line => line !== '')
      }
    } catch {
      throw new CommandError('The connection to the node is lost.', EXIT.unreachable)
    }
  }

  #open({ method, path, body }: SentRequest<Buffer>): Promise<IncomingMessage> {
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const url = new URL(this.url + path)
    const headers = {
      ...(this.#key === '' ? {} : { 'X-Api-Key': this.#key }),
      ...(bytes === undefined ? {} : { 'Content-Length': bytes.length }),
    }
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? secureRequest : request
      const asked = send(url, { method, headers }, answer => {
        const status = answer.statusCode ?? 0
        if (status < 400) return resolve(answer)
        void failureOf(answer, status).then(reject)
      })
      asked.on('error', error => reject(this.#unreachable(error)))
      asked.end(bytes)
    })
  }

  #unreachable(error: Error): CommandError {
    const text = `No node answers at ${this.url} (${error.message}). Is it running? See tributary start, --url, --state-dir.`
    return new CommandError(text, EXIT.unreachable)
  }
}

/** The node of a command, asked by the names of its routes. Every method rejects with CommandError. */
export class NodeClient<Routes extends RouteMap = CoreRoutes> extends Client<Routes, Buffer, never> {
  readonly connection: NodeConnection

  constructor(connection: NodeConnection) {
    super(request => connection.json(request))
    this.connection = connection
  }

  /** The address of the node, without a `/` at its end. */
  get url(): string {
    return this.connection.url
  }

  /** An answer that is not JSON, as bytes. */
  bytes<Name extends RouteName<Routes>>(
    name: Name,
    ...asked: AskedArguments<Routes[Name], Buffer, never>
  ): Promise<Buffer> {
    return this.connection.bytes(this.request(name, ...asked))
  }

  /** Lines of an answer without end, as they come. */
  lines<Name extends RouteName<Routes>>(
    name: Name,
    ...asked: AskedArguments<Routes[Name], Buffer, never>
  ): AsyncGenerator<string, void> {
    return this.connection.lines(this.request(name, ...asked))
  }
}

async function failureOf(answer: IncomingMessage, status: number): Promise<CommandError> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    const { error } = JSON.parse(Buffer.concat(chunks).toString()) as { error: { code: string; message: string } }
    if (status === 401) return new CommandError('The node does not take the key; see --key-file.', EXIT.key, error.code)
    return new CommandError(error.message, EXIT.refused, error.code)
  } catch {
    return new CommandError(`The node answers ${status}.`)
  }
}
