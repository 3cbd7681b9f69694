// Finds the stream a datagram belongs to: by connection id, then by address and port. Ids are only unique for one
// address.

import type { PeerAddress } from '../base/ids.ts'
import { seqAdd } from './sequence.ts'
import type { UtpStream } from './stream.ts'

/** All streams of one socket. */
export class StreamTable {
  readonly #byId = new Map<number, UtpStream[]>()
  readonly #all = new Set<UtpStream>()
  /** Datagrams come in runs from one sender. */
  #last: UtpStream | null = null

  get size(): number {
    return this.#all.size
  }

  all(): IterableIterator<UtpStream> {
    return this.#all.values()
  }

  /** The stream that gets packets with this id from this address. */
  find(from: PeerAddress, receiveId: number): UtpStream | null {
    const last = this.#last
    if (last !== null && isFor(last, from, receiveId)) return last
    for (const stream of this.#byId.get(receiveId) ?? []) {
      if (!isFor(stream, from, receiveId)) continue
      this.#last = stream
      return stream
    }
    return null
  }

  /** The stream a RESET means: some name it by the id of the packet they got, which is the id we send with. */
  findForReset(from: PeerAddress, id: number): UtpStream | null {
    const direct = this.find(from, id)
    if (direct !== null) return direct
    for (const receiveId of [seqAdd(id, -1), seqAdd(id, 1)]) {
      const stream = this.find(from, receiveId)
      if (stream?.connection.sendId === id) return stream
    }
    return null
  }

  add(stream: UtpStream): void {
    const { receiveId } = stream.connection
    const same = this.#byId.get(receiveId)
    if (same === undefined) this.#byId.set(receiveId, [stream])
    else same.push(stream)
    this.#all.add(stream)
  }

  remove(stream: UtpStream): void {
    if (!this.#all.delete(stream)) return
    if (this.#last === stream) this.#last = null
    const { receiveId } = stream.connection
    const rest = (this.#byId.get(receiveId) ?? []).filter(other => other !== stream)
    if (rest.length === 0) this.#byId.delete(receiveId)
    else this.#byId.set(receiveId, rest)
  }
}

function isFor(stream: UtpStream, from: PeerAddress, receiveId: number): boolean {
  const { remote, connection } = stream
  return connection.receiveId === receiveId && remote.port === from.port && remote.ip === from.ip
}
