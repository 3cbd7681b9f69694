// The side that was connected to and learns in the handshake which torrent it is about. States, in order:
//   key -> secret (wants 2 exponentiations) -> sync -> torrent -> offer -> padding -> done
// The first payload of the initiator (IA) is not waited for: it is the beginning of what follows the handshake.

import { DecodeError } from '../base/errors.ts'
import type { InfoHash } from '../base/ids.ts'
import { type MseCiphers, maskHash, MSE_HASH_BYTES, mseCiphers, syncHash } from './mse-hashes.ts'
import {
  checkPushed,
  chooseMethod,
  MAX_PADDING_BYTES,
  methodBits,
  MseInput,
  type MseMethod,
  type MseResult,
  type MseSide,
  paddingBytes,
  VC_BYTES,
} from './mse-handshake.ts'
import { type KeyAgreement, makeExponent, type MseRandom, mseKeys, PUBLIC_KEY_BYTES } from './mse-keys.ts'
import { readUint32 } from './peer/messages.ts'

/** What a responder is made with. */
export interface MseResponderOptions {
  /** The torrent with this torrentHash (MseTorrents.find); null = none of ours. */
  readonly find: (hash: Uint8Array) => InfoHash | null
  /** Methods that are accepted, the one that is wanted most first; at least one. */
  readonly methods: readonly MseMethod[]
  readonly random: MseRandom
  /** Default: mseKeys. */
  readonly keys?: KeyAgreement
}

type State = 'key' | 'secret' | 'sync' | 'torrent' | 'offer' | 'padding' | 'done'

/** VC, crypto_provide, length of PadC. */
const OFFER_BYTES = VC_BYTES + 4 + 2

/** What is agreed on with the initiator. */
interface Agreed {
  readonly infoHash: InfoHash
  readonly ciphers: MseCiphers
}

/** The responder's side of a handshake. */
export class MseResponder implements MseSide {
  readonly #options: MseResponderOptions
  readonly #keys: KeyAgreement
  readonly #input = new MseInput()
  #state: State = 'key'
  #out: Uint8Array | null = null
  #otherKey: Uint8Array = new Uint8Array(0)
  #secret: Uint8Array = new Uint8Array(0)
  /** HASH('req1', S): the end of PadA. */
  #sync: Uint8Array = new Uint8Array(0)
  #agreed: Agreed | null = null
  #method: MseMethod = 'rc4'
  #padding = 0
  #result: MseResult | null = null

  constructor(options: MseResponderOptions) {
    if (options.methods.length === 0) throw new RangeError('no method of encryption to accept')
    this.#options = options
    this.#keys = options.keys ?? mseKeys
  }

  get wanted(): number {
    return this.#state === 'secret' ? 2 : 0
  }

  get result(): MseResult | null {
    return this.#result
  }

  push(chunk: Uint8Array): number {
    const count = this.#input.push(chunk)
    this.#advance()
    checkPushed(this, this.#input, count === chunk.length)
    return count
  }

  compute(): void {
    if (this.#state === 'secret') this.#sendKey()
    this.#advance()
  }

  takeOutput(): Uint8Array | null {
    const out = this.#out
    this.#out = null
    return out
  }

  rest(): Uint8Array {
    return this.#input.rest()
  }

  #advance(): void {
    while (this.#step()) {
      // Until more bytes or keys are needed.
    }
  }

  /** Reads the next part; false when it has not come, or is not to be read yet. */
  #step(): boolean {
    switch (this.#state) {
      case 'key':
        return this.#readKey()
      case 'sync':
        if (!this.#input.passOver(this.#sync)) return false
        this.#state = 'torrent'
        return true
      case 'torrent':
        return this.#readTorrent()
      case 'offer':
        return this.#readOffer()
      case 'padding':
        return this.#readPadding()
      default:
        return false
    }
  }

  #readKey(): boolean {
    const key = this.#input.take(PUBLIC_KEY_BYTES)
    if (key === null) return false
    this.#otherKey = key
    this.#state = 'secret'
    return true
  }

  /** Step 2. The secret comes first: a useless key is not worth the other power. */
  #sendKey(): void {
    const { random } = this.#options
    const exponent = makeExponent(random)
    this.#secret = this.#keys.secret(exponent, this.#otherKey)
    this.#sync = syncHash(this.#secret)
    const padding = random.bytes(random.below(MAX_PADDING_BYTES + 1))
    this.#send(Buffer.concat([this.#keys.publicKey(exponent), padding]))
    this.#state = 'sync'
  }

  #readTorrent(): boolean {
    const hidden = this.#input.take(MSE_HASH_BYTES)
    if (hidden === null) return false
    const infoHash = this.#options.find(maskHash(hidden, this.#secret))
    if (infoHash === null) throw new DecodeError('an encrypted handshake for no torrent of ours')
    this.#agreed = { infoHash, ciphers: mseCiphers(this.#secret, infoHash, false) }
    this.#state = 'offer'
    return true
  }

  #readOffer(): boolean {
    const offer = this.#input.take(OFFER_BYTES)
    if (offer === null || this.#agreed === null) return false
    this.#agreed.ciphers.decrypt.apply(offer, offer)
    if (offer.subarray(0, VC_BYTES).some(byte => byte !== 0)) throw new DecodeError('a wrong verification constant')
    this.#method = chooseMethod(this.#options.methods, readUint32(offer, VC_BYTES))
    this.#padding = paddingBytes(offer[VC_BYTES + 4] as number, offer[VC_BYTES + 5] as number)
    this.#state = 'padding'
    return true
  }

  /** PadC and the length of IA; then step 4. */
  #readPadding(): boolean {
    const padding = this.#input.take(this.#padding + 2)
    if (padding === null || this.#agreed === null) return false
    const { infoHash, ciphers } = this.#agreed
    ciphers.decrypt.apply(padding, padding)
    const initialBytes = ((padding[this.#padding] as number) << 8) | (padding[this.#padding + 1] as number)
    this.#send(this.#choice(ciphers))
    const rc4 = this.#method === 'rc4'
    this.#result = {
      infoHash,
      method: this.#method,
      encrypt: rc4 ? ciphers.encrypt : null,
      decrypt: ciphers.decrypt,
      encryptedBytes: rc4 ? Number.POSITIVE_INFINITY : initialBytes,
    }
    this.#state = 'done'
    return false
  }

  /** VC and PadD are zeros. */
  #choice({ encrypt }: MseCiphers): Uint8Array {
    const padding = this.#options.random.below(MAX_PADDING_BYTES + 1)
    const choice = Buffer.alloc(VC_BYTES + 4 + 2 + padding)
    choice.writeUInt32BE(methodBits([this.#method]), VC_BYTES)
    choice.writeUInt16BE(padding, VC_BYTES + 4)
    encrypt.apply(choice, choice)
    return choice
  }

  #send(bytes: Uint8Array): void {
    this.#out = this.#out === null ? bytes : Buffer.concat([this.#out, bytes])
  }
}
