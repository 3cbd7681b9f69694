// The wallets of a node, asked over its interface.

import assert from 'node:assert/strict'
import type { NodeProcess, NodeReply } from '../../../kit/nodes/node-process.ts'

/** A wallet as it is listed. */
export interface ListedWallet {
  readonly identifier: string
  readonly created: boolean
  readonly unlocked: boolean
  readonly address: string
  readonly height: number
  readonly problem: string
  readonly balance: { readonly available_exact: string; readonly pending_exact: string; readonly available: number }
}

/** One line of a history. */
export interface HistoryRow {
  readonly id: string
  readonly outgoing: boolean
  readonly amount_exact: string
  readonly fee_exact: string
  readonly confirmations: number
  readonly to: string
}

/** The password of all wallets of tests. */
export const PASSWORD = 'correct horse battery staple'

/** The wallet of one coin of a node. */
export class WalletClient {
  readonly node: NodeProcess
  readonly id: string

  constructor(node: NodeProcess, id: string) {
    this.node = node
    this.id = id
  }

  /** Creates it; the words of the seed when this made it. */
  async create(more: Record<string, unknown> = {}): Promise<string | undefined> {
    const reply = await this.node.request('PUT', `/wallets/${this.id}`, { password: PASSWORD, ...more })
    assert.equal(reply.status, 200, reply.body.toString())
    return reply.json<{ seed_words?: string }>().seed_words
  }

  async record(): Promise<ListedWallet> {
    const { wallets } = await this.node.get<{ wallets: ListedWallet[] }>('/wallets')
    const found = wallets.find(({ identifier }) => identifier === this.id)
    assert.ok(found !== undefined)
    return found
  }

  /** Waits until its record is so. */
  async until(done: (record: ListedWallet) => boolean): Promise<ListedWallet> {
    const of = ({ wallets }: { wallets: ListedWallet[] }) => wallets.find(({ identifier }) => identifier === this.id)
    const answer = await this.node.until<{ wallets: ListedWallet[] }>('/wallets', all => {
      const found = of(all)
      return found !== undefined && done(found)
    })
    return of(answer) as ListedWallet
  }

  async history(): Promise<HistoryRow[]> {
    return (await this.node.get<{ transactions: HistoryRow[] }>(`/wallets/${this.id}/transactions`)).transactions
  }

  ask(method: string, path: string, body?: unknown): Promise<NodeReply> {
    return this.node.request(method, `/wallets/${this.id}${path}`, body)
  }

  /** A transfer that is made. */
  async transfer(order: Record<string, unknown>): Promise<{ txid: string; sent: boolean; fee_exact: string }> {
    const reply = await this.ask('POST', '/transfer', order)
    assert.equal(reply.status, 200, reply.body.toString())
    return reply.json()
  }

  /** The code of a transfer that is refused. */
  async refused(order: Record<string, unknown>, status: number): Promise<string> {
    return codeOf(await this.ask('POST', '/transfer', order), status)
  }
}

/** The code of a refusal with this status. */
export function codeOf(reply: NodeReply, status: number): string {
  assert.equal(reply.status, status, reply.body.toString())
  return reply.json<{ error: { code: string } }>().error.code
}

/** Decimal text of coins as smallest units. */
export function unitsOf(text: string, decimals = 8): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
