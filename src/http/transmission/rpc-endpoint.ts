// The RPC endpoint for clients of Transmission: one request, and the answer. What a caller can cause or cure is said in
// `result`, as the real program does; what must be tried again later stays an HTTP error.

import { AppError } from '../../base/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Caller } from '../../services/callers-api.ts'
import type { Services } from '../../services/api.ts'
import { ListedJson } from '../route.ts'
import { type RpcContext, LongRpcResult, type RpcResult } from './rpc-context.ts'
import { rpcMethods } from './methods.ts'
import { RpcArguments } from './rpc-arguments.ts'
import { TorrentIds } from './torrent-ids.ts'

/** The answer to a request. */
export interface RpcAnswer {
  arguments: RpcResult
  /** `success`, or what went wrong. */
  result: string
  /** As the request had it. */
  tag?: number
}

const endpoints = new WeakMap<Services, TransmissionEndpoint>()

/**
 * The RPC endpoint for clients of Transmission: one request, and the answer. Its numbers of torrents hold as long as
 * the process runs.
 */
export class TransmissionEndpoint {
  readonly #context: Omit<RpcContext, 'caller'>

  constructor(facts: { readonly services: Services; readonly clock: Clock; readonly version: string }) {
    const { services, clock, version } = facts
    this.#context = { services, clock, version, ids: new TorrentIds() }
  }

  /** The endpoint of a node. */
  static of(facts: {
    readonly services: Services
    readonly clock: Clock
    readonly version: string
  }): TransmissionEndpoint {
    const endpoint = endpoints.get(facts.services) ?? new TransmissionEndpoint(facts)
    endpoints.set(facts.services, endpoint)
    return endpoint
  }

  /** Answers a request. Rejects with AppErrors NotReady and TooManyRequests, and with bugs. */
  async answer(request: Readonly<Record<string, unknown>>, caller: Caller): Promise<RpcAnswer | ListedJson> {
    const tag = typeof request['tag'] === 'number' ? { tag: request['tag'] } : {}
    try {
      const result = await this.#call(request, caller)
      if (result instanceof LongRpcResult) return longAnswer(result, tag)
      return { arguments: result, result: 'success', ...tag }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'NotReady' || error.code === 'TooManyRequests') throw error
      return { arguments: {}, result: error.message, ...tag }
    }
  }

  async #call(request: Readonly<Record<string, unknown>>, caller: Caller): Promise<RpcResult | LongRpcResult> {
    const name = request['method']
    if (typeof name !== 'string') throw new AppError('InvalidParameter', 'no method name')
    const method = rpcMethods.get(name)
    if (method === undefined) throw new AppError('InvalidParameter', 'method name not recognized')
    return method({ ...this.#context, caller }, new RpcArguments(request['arguments']))
  }
}

function longAnswer({ torrents, more }: LongRpcResult, tag: { tag?: number }): ListedJson {
  const end = JSON.stringify({ result: 'success', ...tag }).slice(1)
  const others = (): string =>
    Object.entries(more())
      .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
      .join('')
  return new ListedJson({ before: '{"arguments":{"torrents":', after: () => `${others()}},${end}` }, torrents)
}
