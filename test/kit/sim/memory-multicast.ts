// A local network for multicast in memory: each member of a group gets what is sent to it, the sender too, in memory
// that is spoilt after the call, as the port allows.

import type { PeerAddress } from '../../../src/base/ids.ts'
import type { MulticastGroup, MulticastNetwork, MulticastSocket } from '../../../src/ports/multicast.ts'

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

interface Member {
  readonly group: string
  readonly receive: Receive
}

/** One cable. */
export class MemoryCable {
  readonly #members = new Set<Member>()
  /** Datagrams sent so far, as text, with the group's address. */
  readonly sent: { readonly group: string; readonly text: string }[] = []

  /** Who has joined something. */
  get members(): number {
    return this.#members.size
  }

  /** A machine on the cable. `refuses`: families whose groups it cannot join. */
  host(addresses: Readonly<Record<4 | 6, string>>, refuses: readonly (4 | 6)[] = []): MulticastNetwork {
    return {
      join: async (group: MulticastGroup, receive: Receive): Promise<MulticastSocket> => {
        if (refuses.includes(group.family)) throw new Error('no such network')
        const member: Member = { group: group.ip, receive }
        this.#members.add(member)
        return {
          send: bytes => this.send(group.ip, bytes, { ip: addresses[group.family], port: 50_000 }),
          close: async () => {
            this.#members.delete(member)
          },
        }
      },
    }
  }

  /** Puts a datagram on the cable. */
  send(group: string, bytes: Uint8Array, from: PeerAddress): void {
    this.sent.push({ group, text: Buffer.from(bytes).toString('latin1') })
    for (const member of this.#members) {
      if (member.group !== group) continue
      const lent = Uint8Array.from(bytes)
      member.receive(lent, from)
      lent.fill(0xee)
    }
  }
}
