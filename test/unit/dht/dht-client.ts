// A client that queries DHT nodes by hand: sends one query, waits a little virtual time, gives what came back.

import assert from 'node:assert/strict'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { decodeKrpc, type DhtQuery, type DhtReply, encodeKrpc, type KrpcMessage } from '../../../src/wire/dht/krpc.ts'
import type { DhtNetwork } from '../../kit/sim/dht-network.ts'
import type { HubSocket } from '../../kit/sim/datagram-hub.ts'

/** More than any round trip of the network. */
const PATIENCE_MS = 300

/** A socket and an id. Read-only, so that nobody asks it anything (BEP 43). */
export class DhtClient {
  readonly address: PeerAddress
  readonly id: Uint8Array
  /** Everything that came, the newest last. */
  readonly received: KrpcMessage[] = []
  /** Size of the last datagram. */
  lastBytes = 0
  readonly #network: DhtNetwork
  readonly #socket: HubSocket
  #count = 0

  constructor(network: DhtNetwork, address: PeerAddress) {
    this.#network = network
    this.address = address
    this.id = network.random.bytes(20)
    this.#socket = network.hub.attach(address, bytes => {
      const message = decodeKrpc(bytes)
      assert.ok(message.kind !== 'invalid')
      this.lastBytes = bytes.length
      this.received.push(message)
    })
  }

  /** Sends bytes as they are and waits: what came back, or null. */
  async sendRaw(to: PeerAddress, bytes: Uint8Array): Promise<KrpcMessage | null> {
    const before = this.received.length
    this.#socket.send(bytes, to)
    await this.#network.clock.advance(PATIENCE_MS)
    return this.received[before] ?? null
  }

  /** Sends a query and waits: what came back, or null. */
  async ask(to: PeerAddress, query: DhtQuery): Promise<KrpcMessage | null> {
    const transactionId = Uint8Array.of(this.#count++ & 0xff, 1)
    const bytes = encodeKrpc({ kind: 'query', transactionId, version: null, id: this.id, readOnly: true, query })
    const answer = await this.sendRaw(to, bytes)
    if (answer !== null) assert.deepEqual(answer.transactionId, transactionId)
    return answer
  }

  /** As ask; fails the test unless a reply came. */
  async reply(to: PeerAddress, query: DhtQuery): Promise<DhtReply> {
    const answer = await this.ask(to, query)
    assert.ok(answer?.kind === 'reply', `${query.method}: ${answer?.kind ?? 'nothing'}`)
    assert.deepEqual(answer.seenAs, this.address, 'every answer says where it went (BEP 42)')
    return answer.reply
  }

  /** As ask; the code of the error that must have come. */
  async errorCode(to: PeerAddress, query: DhtQuery): Promise<number> {
    const answer = await this.ask(to, query)
    assert.ok(answer?.kind === 'error', `${query.method}: ${answer?.kind ?? 'nothing'}`)
    return answer.code
  }
}
