// Keys of this node in channels: a seed for each own channel, and the author's key, under which it writes in channels
// of others and votes. Seeds never leave this thread; the file has mode 0600.

import { channelIdOf } from '../wire/ids.ts'
import type { Sign } from '../wire/record-codec.ts'
import type { ChannelId } from '../wire/types.ts'
import type { CatalogueContext } from './catalogue-context.ts'

const SEED_BYTES = 32
const AUTHOR = 'author-seed'

/** Who signs. */
export interface Signer {
  readonly publicKey: Uint8Array
  readonly sign: Sign
}

/** All own keys. */
export class OwnKeys {
  readonly #context: CatalogueContext
  readonly #signers = new Map<string, Signer>()

  constructor(context: CatalogueContext) {
    this.#context = context
  }

  /** Makes the key of a new channel. */
  newChannel(): ChannelId {
    const seed = this.#context.random(SEED_BYTES)
    const cid = channelIdOf(this.#context.ed25519.publicKey(seed))
    this.#context.sql.run('INSERT INTO own_keys (cid, seed) VALUES (?, ?)', cid, seed)
    return cid
  }

  /** The key of an own channel; null: it is not ours. */
  ofChannel(cid: ChannelId): Signer | null {
    return this.#signer(cid, () => this.#context.sql.value<Uint8Array>('SELECT seed FROM own_keys WHERE cid = ?', cid))
  }

  /** The author's key; made when it is first asked for. */
  author(): Signer {
    const { sql } = this.#context
    const signer = this.#signer(AUTHOR, () => {
      const found = sql.value<Uint8Array>('SELECT value FROM node WHERE key = ?', AUTHOR)
      if (found !== undefined) return found
      const seed = this.#context.random(SEED_BYTES)
      sql.run('INSERT INTO node (key, value) VALUES (?, ?)', AUTHOR, seed)
      return seed
    })
    if (signer === null) throw new Error('the author has a key')
    return signer
  }

  /** What a job has made is gone when it failed. */
  forget(): void {
    this.#signers.clear()
  }

  #signer(name: string, seedOf: () => Uint8Array | undefined): Signer | null {
    const known = this.#signers.get(name)
    if (known !== undefined) return known
    const seed = seedOf()
    if (seed === undefined) return null
    const { ed25519 } = this.#context
    const signer = { publicKey: ed25519.publicKey(seed), sign: (bytes: Uint8Array) => ed25519.sign(bytes, seed) }
    this.#signers.set(name, signer)
    return signer
  }
}
