// What tests and benchmarks both know of aria2: its arguments for a closed network and its JSON-RPC.

import { fetchRpc, type RpcRequest, type SendRpc } from './transmission-rpc.ts'

export const ARIA2_PEER_PORT = 16881
const RPC_PORT = 16800

/** Arguments: bound to one address, TCP without encryption, peers from the tracker only, seeding without end. */
export function aria2Arguments(ip: string, dir: string): string[] {
  return [
    ...['--no-conf', '--quiet', '--enable-rpc', '--rpc-listen-all', `--rpc-listen-port=${RPC_PORT}`],
    ...['--rpc-max-request-size=64M', `--listen-port=${ARIA2_PEER_PORT}`, `--interface=${ip}`, '--disable-ipv6'],
    ...['--enable-dht=false', '--enable-dht6=false', '--bt-enable-lpd=false', '--enable-peer-exchange=false'],
    ...['--seed-ratio=0.0', '--file-allocation=none', `--dir=${dir}`],
    ...['--bt-min-crypto-level=plain', '--bt-require-crypto=false', '--allow-overwrite=true'],
  ]
}

/** What `aria2.tellStatus` answers, as far as anybody here asks. */
export interface Aria2Status {
  readonly status: string
  readonly seeder?: string
  readonly verifiedLength?: string
  readonly followedBy?: readonly string[]
  readonly errorMessage?: string
}

const STATUS_KEYS = ['status', 'seeder', 'verifiedLength', 'followedBy', 'errorMessage']

/** The JSON-RPC of the aria2c at `ip`. */
export class Aria2Rpc {
  readonly url: string
  readonly #send: SendRpc

  constructor(ip: string, send: SendRpc = fetchRpc) {
    this.url = `http://${ip}:${RPC_PORT}/jsonrpc`
    this.#send = send
  }

  request(method: string, ...params: unknown[]): RpcRequest {
    return {
      url: this.url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
    }
  }

  /** The result. Rejects when nobody answers and when the answer is an error. */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const reply = await this.#send(this.request(method, ...params))
    const answer = JSON.parse(reply.body.toString()) as { result?: unknown; error?: { message: string } }
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  /** How a torrent stands. Rejects when aria2 has given it up. */
  async status(gid: string): Promise<Aria2Status> {
    const now = (await this.call('aria2.tellStatus', gid, STATUS_KEYS)) as Aria2Status
    if (now.status === 'error') throw new Error(now.errorMessage ?? 'aria2: error')
    return now
  }

  /** Everything is here and checked. */
  async seeds(gid: string): Promise<boolean> {
    const now = await this.status(gid)
    return now.seeder === 'true' && now.verifiedLength === undefined
  }
}
