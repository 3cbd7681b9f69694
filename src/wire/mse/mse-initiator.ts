// The side that opened the connection and knows which torrent it is about. States, in order:
//   own-key (wants 1 exponentiation) -> key -> secret (wants 1) -> sync -> choice -> padding -> done

import type { InfoHash } from '../../base/ids.ts'
import { type MseCiphers, maskHash, mseCiphers, syncHash, torrentHash } from './mse-hashes.ts'
import {
  chosenMethod,
  MAX_INITIAL_BYTES,
  MAX_PADDING_BYTES,
  methodBits,
  type MseMethod,
  paddingBytes,
  VC_BYTES,
} from './mse-handshake.ts'
import { type KeyAgreement, makeExponent, type MseRandom } from './mse-keys.ts'
import { MseSteps } from './mse-steps.ts'
import { readUint32 } from '../peer/messages.ts'

/** What an initiator is made with. */
export interface MseInitiatorOptions {
  readonly infoHash: InfoHash
  /** Methods that are offered; at least one. */
  readonly methods: readonly MseMethod[]
  readonly random: MseRandom
  /** Default: mseKeys. */
  readonly keys?: KeyAgreement
  /** The first payload, asked for once, when step 3 is written; at most MAX_INITIAL_BYTES. */
  readonly initial: () => Uint8Array
}

type State = 'own-key' | 'sync' | 'choice' | 'padding'

/** crypto_select and the length of PadD, behind VC. */
const CHOICE_BYTES = 4 + 2

/** The initiator's side of a handshake. */
export class MseInitiator extends MseSteps<State> {
  readonly #options: MseInitiatorOptions
  readonly #exponent: Uint8Array
  #ciphers: MseCiphers | null = null
  /** VC as the responder's cipher makes it: the end of PadB. */
  #vc: Uint8Array = new Uint8Array(0)
  #method: MseMethod = 'rc4'
  #padding = 0

  constructor(options: MseInitiatorOptions) {
    super('own-key', options.keys)
    if (options.methods.length === 0) throw new RangeError('no method of encryption to offer')
    this.#options = options
    this.#exponent = makeExponent(options.random)
  }

  override get wanted(): number {
    return this.state === 'own-key' || this.state === 'secret' ? 1 : 0
  }

  protected override makeKeys(): void {
    if (this.state === 'own-key') this.#sendKey()
    else if (this.state === 'secret') this.#sendOffer()
  }

  protected override step(): boolean {
    switch (this.state) {
      case 'key':
        return this.readKey()
      case 'sync':
        return this.passOver(this.#vc, 'choice')
      case 'choice':
        return this.#readChoice()
      case 'padding':
        return this.#readPadding()
      default:
        return false
    }
  }

  /** Step 1. */
  #sendKey(): void {
    const { random } = this.#options
    const padding = random.bytes(random.below(MAX_PADDING_BYTES + 1))
    this.send(Buffer.concat([this.keys.publicKey(this.#exponent), padding]))
    this.state = 'key'
  }

  /** Step 3. */
  #sendOffer(): void {
    const { infoHash, methods, random, initial } = this.#options
    const secret = this.keys.secret(this.#exponent, this.otherKey)
    const ciphers = mseCiphers(secret, infoHash, true)
    this.#ciphers = ciphers
    const first = initial()
    if (first.length > MAX_INITIAL_BYTES) throw new RangeError('too long a first payload')
    const padding = random.below(MAX_PADDING_BYTES + 1)
    // VC and PadC are zeros.
    const offer = Buffer.alloc(VC_BYTES + 4 + 2 + padding + 2 + first.length)
    offer.writeUInt32BE(methodBits(methods), VC_BYTES)
    offer.writeUInt16BE(padding, VC_BYTES + 4)
    offer.writeUInt16BE(first.length, VC_BYTES + 6 + padding)
    offer.set(first, VC_BYTES + 8 + padding)
    ciphers.encrypt.apply(offer, offer)
    this.send(Buffer.concat([syncHash(secret), maskHash(torrentHash(infoHash), secret), offer]))
    this.#vc = new Uint8Array(VC_BYTES)
    ciphers.decrypt.apply(this.#vc, this.#vc)
    this.state = 'sync'
  }

  #readChoice(): boolean {
    const choice = this.input.take(CHOICE_BYTES)
    if (choice === null || this.#ciphers === null) return false
    this.#ciphers.decrypt.apply(choice, choice)
    this.#method = chosenMethod(this.#options.methods, readUint32(choice, 0))
    this.#padding = paddingBytes(choice[4] as number, choice[5] as number)
    this.state = 'padding'
    return true
  }

  #readPadding(): boolean {
    const padding = this.input.take(this.#padding)
    if (padding === null || this.#ciphers === null) return false
    this.#ciphers.decrypt.apply(padding, padding)
    this.finish(this.#options.infoHash, this.#method, this.#ciphers, 0)
    return false
  }
}
