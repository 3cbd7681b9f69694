// Requests by the names of routes: what a route does not take, and what it does not answer, does not compile. How a
// request travels is a function that it is given.

import { type RequestParts, requestOf, type SentRequest } from './request.ts'
import type { AskedArguments, JsonRouteName, ReplyOf, RouteMap, RouteName } from './routes.ts'

/** Sends a request; the JSON that was answered. Rejects as its maker says. */
export type Send<Raw, Signal> = (request: SentRequest<Raw>, signal: Signal | undefined) => Promise<unknown>

/**
 * Requests to a node with these routes. `Raw`: bodies that are not JSON; `Signal`: what gives a request up; both are
 * handed on.
 */
export class Client<Routes extends RouteMap, Raw, Signal> {
  readonly #send: Send<Raw, Signal>

  constructor(send: Send<Raw, Signal>) {
    this.#send = send
  }

  /** The answer of a route that answers JSON. Rejects as the function that sends does. */
  async call<Name extends JsonRouteName<Routes>>(
    name: Name,
    ...[asked]: AskedArguments<Routes[Name], Raw, Signal>
  ): Promise<ReplyOf<Routes, Name>> {
    const answer = await this.#send(requestOf(name, (asked ?? {}) as RequestParts<Raw>), asked?.signal)
    // The schema of the route is what the node writes its answers by.
    return answer as ReplyOf<Routes, Name>
  }

  /** The request alone, for answers that are not JSON: bytes, streams, lines. */
  request<Name extends RouteName<Routes>>(
    name: Name,
    ...[asked]: AskedArguments<Routes[Name], Raw, Signal>
  ): SentRequest<Raw> {
    return requestOf(name, (asked ?? {}) as RequestParts<Raw>)
  }
}
