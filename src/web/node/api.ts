// Requests to the node this page came from: the key in a header, errors with the node's own code and text.

import { Client } from '../../client/client.ts'
import type { CoreRoutes } from '../../client/core-routes.ts'
import type { SentRequest } from '../../client/request.ts'
import type { AskedArguments, RouteMap, RouteName } from '../../client/routes.ts'
import { readable } from '../model/format.ts'
import { errorWords } from '../model/node-words.ts'
import { text } from '../texts/node/connection.ts'

/** An answer that is an error. `status` 0: no answer came. */
export class ApiError extends Error {
  readonly status: number
  /** The node's error code; `Unreachable` when no answer came. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
  }
}

/** How requests of the page travel, to one node with one key. */
export class NodeConnection {
  readonly #key: () => string
  readonly #refused: () => void
  readonly #changed: () => void

  /** `refused` is called when the node does not take the key, `changed` when it has done what may change anything. */
  constructor(key: () => string, refused: () => void, changed: () => void) {
    this.#key = key
    this.#refused = refused
    this.#changed = changed
  }

  /** The JSON of an answer. Rejects with ApiError. */
  async json(request: SentRequest<Blob>, signal?: AbortSignal): Promise<unknown> {
    const answer = await (await this.open(request, signal)).text()
    // Settings go back as they came, the log is text alone; what else comes may have names of strangers in it.
    return JSON.parse(/^\/(settings|debug)/.test(request.path) ? answer : readable(answer)) as unknown
  }

  /** Sends what the node is to know also when the page goes away at once; of what fails nothing is heard. */
  tell({ method, path, body }: SentRequest<Blob>): void {
    const headers = { 'X-Api-Key': this.#key(), 'Content-Type': 'application/json' }
    const init = { method, headers, body: JSON.stringify(body), keepalive: true }
    fetch(addressOf(path), init).catch(() => undefined)
  }

  /** An answer that is no error. Rejects with ApiError; with the signal's reason when it fires. */
  async open({ method, path, body }: SentRequest<Blob>, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { 'X-Api-Key': this.#key() }
    const init: RequestInit = { method, headers, ...(signal === undefined ? {} : { signal }) }
    if (body instanceof Blob) init.body = body
    else if (body !== undefined) {
      init.body = JSON.stringify(body)
      headers['Content-Type'] = 'application/json'
    }
    let answer: Response
    try {
      answer = await fetch(addressOf(path), init)
    } catch (error) {
      if (signal?.aborted === true) throw error
      throw new ApiError(0, 'Unreachable', text('unreachable'))
    }
    if (answer.ok) {
      if (method !== 'GET') this.#changed()
      return answer
    }
    if (answer.status === 401) this.#refused()
    throw await errorOf(answer)
  }
}

/** Asks a node by the names of its routes. Rejects with ApiError; with the signal's reason when it fires. */
export class NodeApi<Routes extends RouteMap = CoreRoutes> extends Client<Routes, Blob, AbortSignal> {
  readonly #connection: NodeConnection

  constructor(connection: NodeConnection) {
    super((request, signal) => connection.json(request, signal))
    this.#connection = connection
  }

  /** An answer that is not JSON, as it comes. */
  open<Name extends RouteName<Routes>>(
    name: Name,
    ...asked: AskedArguments<Routes[Name], Blob, AbortSignal>
  ): Promise<Response> {
    return this.#connection.open(this.request(name, ...asked), asked[0]?.signal)
  }
}

/** The address of a path of the interface, also where a proxy serves the node under a prefix. */
export function addressOf(path: string): string {
  return new URL(path.replace(/^\//, ''), document.baseURI.replace(/#.*/, '')).href
}

async function errorOf(answer: Response): Promise<ApiError> {
  try {
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    return new ApiError(answer.status, error.code, errorWords(error.code, error.message))
  } catch {
    return new ApiError(answer.status, 'NoEnvelope', text('strangeAnswer', { status: answer.status }))
  }
}

/** What to tell people of anything thrown. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
