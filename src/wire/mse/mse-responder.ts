// The side that was connected to and learns in the handshake which torrent it is about. States, in order:
//   key -> secret (wants 2 exponentiations) -> sync -> torrent -> offer -> padding -> done
// The first payload of the initiator (IA) is not waited for: it is the beginning of what follows the handshake.

import { DecodeError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import { type MseCiphers, maskHash, MSE_HASH_BYTES, mseCiphers, syncHash } from './mse-hashes.ts'
import { chooseMethod, MAX_PADDING_BYTES, methodBits, type MseMethod, paddingBytes, VC_BYTES } from './mse-handshake.ts'
import { type KeyAgreement, makeExponent, type MseRandom } from './mse-keys.ts'
import { MseSteps } from './mse-steps.ts'
import { readUint32 } from '../peer/messages.ts'

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

type State = 'sync' | 'torrent' | 'offer' | 'padding'

/** VC, crypto_provide, length of PadC. */
const OFFER_BYTES = VC_BYTES + 4 + 2

/** What is agreed on with the initiator. */
interface Agreed {
  readonly infoHash: InfoHash
  /** What the initiator named it by. */
  readonly hash: Uint8Array
  readonly ciphers: MseCiphers
}

/** The responder's side of a handshake. */
export class MseResponder extends MseSteps<State> {
  readonly #options: MseResponderOptions
  #secret: Uint8Array = new Uint8Array(0)
  /** HASH('req1', S): the end of PadA. */
  #sync: Uint8Array = new Uint8Array(0)
  #agreed: Agreed | null = null
  #method: MseMethod = 'rc4'
  #padding = 0

  constructor(options: MseResponderOptions) {
    super('key', options.keys)
    if (options.methods.length === 0) throw new RangeError('no method of encryption to accept')
    this.#options = options
  }

  override get wanted(): number {
    return this.state === 'secret' ? 2 : 0
  }

  protected override makeKeys(): void {
    if (this.state === 'secret') this.#sendKey()
  }

  protected override step(): boolean {
    switch (this.state) {
      case 'key':
        return this.readKey()
      case 'sync':
        return this.passOver(this.#sync, 'torrent')
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

  /** Step 2. The secret comes first: a useless key is not worth the other power. */
  #sendKey(): void {
    const { random } = this.#options
    const exponent = makeExponent(random)
    this.#secret = this.keys.secret(exponent, this.otherKey)
    this.#sync = syncHash(this.#secret)
    const padding = random.bytes(random.below(MAX_PADDING_BYTES + 1))
    this.send(Buffer.concat([this.keys.publicKey(exponent), padding]))
    this.state = 'sync'
  }

  #readTorrent(): boolean {
    const hidden = this.input.take(MSE_HASH_BYTES)
    if (hidden === null) return false
    const hash = maskHash(hidden, this.#secret)
    const infoHash = this.#find(hash)
    this.#agreed = { infoHash, hash, ciphers: mseCiphers(this.#secret, infoHash, false) }
    this.state = 'offer'
    return true
  }

  #find(hash: Uint8Array): InfoHash {
    const infoHash = this.#options.find(hash)
    if (infoHash === null) throw new DecodeError('an encrypted handshake for no torrent of ours')
    return infoHash
  }

  #readOffer(): boolean {
    const offer = this.input.take(OFFER_BYTES)
    if (offer === null || this.#agreed === null) return false
    this.#agreed.ciphers.decrypt.apply(offer, offer)
    if (offer.subarray(0, VC_BYTES).some(byte => byte !== 0)) throw new DecodeError('a wrong verification constant')
    this.#method = chooseMethod(this.#options.methods, readUint32(offer, VC_BYTES))
    this.#padding = paddingBytes(offer[VC_BYTES + 4] as number, offer[VC_BYTES + 5] as number)
    this.state = 'padding'
    return true
  }

  /** PadC and the length of IA; then step 4. */
  #readPadding(): boolean {
    const padding = this.input.take(this.#padding + 2)
    if (padding === null || this.#agreed === null) return false
    const { infoHash, hash, ciphers } = this.#agreed
    // It may have been removed since: the answer would say that it was there.
    this.#find(hash)
    ciphers.decrypt.apply(padding, padding)
    const initialBytes = ((padding[this.#padding] as number) << 8) | (padding[this.#padding + 1] as number)
    this.send(this.#choice(ciphers))
    this.finish(infoHash, this.#method, ciphers, initialBytes)
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
}
