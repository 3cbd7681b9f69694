// What tests and benchmarks both know of transmission-daemon: its settings for a closed network, and its RPC with the
// session id that it demands. Who sends the requests is the caller's choice: benchmarks time theirs.

export const TRANSMISSION_PEER_PORT = 19413
const RPC_PORT = 19091

/** A request to a client's RPC, as any HTTP client can send it. */
export interface RpcRequest {
  readonly url: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came back; header names in lower case. */
export interface RpcReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: { toString(): string }
}

export type SendRpc = (request: RpcRequest) => Promise<RpcReply>

/** Sends with fetch. Rejects when nobody answers. */
export async function fetchRpc(request: RpcRequest): Promise<RpcReply> {
  const reply = await fetch(request.url, request)
  return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.text() }
}

/** settings.json: bound to one address, TCP without encryption, peers from the tracker only, no queues. */
export function transmissionSettings(ip: string): Record<string, unknown> {
  return {
    'rpc-bind-address': ip,
    'rpc-port': RPC_PORT,
    'rpc-whitelist-enabled': false,
    'rpc-host-whitelist-enabled': false,
    'rpc-authentication-required': false,
    'peer-port': TRANSMISSION_PEER_PORT,
    'bind-address-ipv4': ip,
    'dht-enabled': false,
    'lpd-enabled': false,
    'pex-enabled': false,
    'utp-enabled': false,
    'port-forwarding-enabled': false,
    encryption: 0,
    'download-queue-enabled': false,
    'seed-queue-enabled': false,
    'ratio-limit-enabled': false,
    preallocation: 1,
  }
}

/** The RPC of the daemon at `ip`. */
export class TransmissionRpc {
  readonly url: string
  readonly #send: SendRpc
  #session = ''

  constructor(ip: string, send: SendRpc = fetchRpc) {
    this.url = `http://${ip}:${RPC_PORT}/transmission/rpc`
    this.#send = send
  }

  /** The request as it is sent now; its session id is good once a call has been answered. */
  request(method: string, args: object): RpcRequest {
    return {
      url: this.url,
      method: 'POST',
      headers: { 'x-transmission-session-id': this.#session, 'content-type': 'application/json' },
      body: JSON.stringify({ method, arguments: args }),
    }
  }

  /** The answer's arguments. Rejects when the daemon does not answer or says no. */
  async call(method: string, args: object): Promise<Record<string, unknown>> {
    let reply = await this.#send(this.request(method, args))
    if (reply.status === 409) {
      this.#session = String(reply.headers['x-transmission-session-id'])
      reply = await this.#send(this.request(method, args))
    }
    const answer = JSON.parse(reply.body.toString()) as { result: string; arguments: Record<string, unknown> }
    if (answer.result !== 'success') throw new Error(`transmission ${method}: ${answer.result}`)
    return answer.arguments
  }
}
