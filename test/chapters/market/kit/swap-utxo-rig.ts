// Swaps on a test chain of Bitcoin's kind: keys, terms, deposits that are paid, and spends of contracts that our own
// code would not make.

import { createHash } from 'node:crypto'
import { Transaction } from '@scure/btc-signer'
import type { FoundFunding, DepositTrace, SignedTransaction } from '../../../../src/chapters/market/ports/swap-chain.ts'
import { AddressPolicy } from '../../../../src/io/net/address-policy.ts'
import { DnsResolver } from '../../../../src/io/net/dns-resolver.ts'
import { HttpJsonRpc } from '../../../../src/chapters/wallets/io/json-rpc-http.ts'
import { SwapUtxoChain } from '../../../../src/chapters/market/chains/swap-utxo-chain.ts'
import { addressOfScript } from '../../../../src/chapters/wallets/core/addresses.ts'
import { htlcOutput, htlcScript } from '../../../../src/chapters/market/chains/htlc-script.ts'
import { publicKeyOf, depositScript } from '../../../../src/chapters/market/chains/htlc-spend.ts'
import type { LegTerms } from '../../../../src/chapters/market/wire/types.ts'
import { drawnKey } from '../../../kit/sim/drawn-key.ts'
import type { SwapTestChain } from './swap-utxo-chains.ts'

/** One swap: all that both sides know. */
export interface TestSwap {
  readonly terms: LegTerms
  readonly secret: Buffer
  readonly claimer: Uint8Array
  readonly funder: Uint8Array
  /** Wallets of both. */
  readonly claimTo: string
  readonly refundTo: string
  /** Height before anything was paid. */
  readonly from: number
}

/** A spend of a contract with any witness and any lock. */
export interface OddSpend {
  readonly key: Uint8Array
  readonly lockTime?: number
  readonly sequence?: number
  readonly branch: readonly Uint8Array[]
}

const FEE = 5_000n

/**
 * Swaps on a test chain of Bitcoin's kind: keys, terms, deposits that are paid, and spends of contracts that our own
 * code would not make.
 */
export class SwapUtxoRig {
  readonly chain: SwapTestChain
  readonly #rpc: HttpJsonRpc
  #keys = 0

  constructor(chain: SwapTestChain) {
    this.chain = chain
    const policy = new AddressPolicy([])
    const resolver = new DnsResolver({ policy, lookup: (_host, done) => done(null, []) })
    this.#rpc = new HttpJsonRpc(chain.rpc.url, { policy, resolver })
  }

  /** As a node has it after a start. */
  fresh(): SwapUtxoChain {
    return new SwapUtxoChain(this.chain.coin, this.chain.network, { rpc: () => this.#rpc })
  }

  close(): void {
    this.#rpc.close()
  }

  /** An address that nothing was paid to. */
  address(): string {
    return addressOfScript(depositScript(this.#key()), this.chain.network)
  }

  #key(): Uint8Array {
    this.#keys += 1
    return drawnKey(this.#keys)
  }

  /** `lockIn`: seconds after the chain's clock. `secret`: of 32 bytes unless a test wants another. */
  async swap(change: { amount?: bigint; lockIn?: number; secret?: Buffer } = {}): Promise<TestSwap> {
    const [claimer, funder, secretKey] = [this.#key(), this.#key(), this.#key()]
    const secret = change.secret ?? Buffer.from(secretKey)
    const terms: LegTerms = {
      asset: this.fresh().asset,
      hash: createHash('sha256').update(secret).digest('hex'),
      amount: change.amount ?? 1_000_000n,
      lockS: (await this.chain.medianTime()) + (change.lockIn ?? 3_600),
      claimKey: Buffer.from(publicKeyOf(claimer)).toString('hex'),
      refundKey: Buffer.from(publicKeyOf(funder)).toString('hex'),
    }
    const [claimTo, refundTo] = [this.address(), this.address()]
    return { terms, secret, claimer, funder, claimTo, refundTo, from: await this.chain.height() }
  }

  /** Pays the deposit what it needs; it waits for a block. */
  async payDeposit(at: SwapUtxoChain, { terms, funder, from }: TestSwap): Promise<DepositTrace & { paid: bigint }> {
    const paid = await at.depositNeed('fund', terms.amount)
    return { fromHeight: from, paidBy: await this.chain.fund(at.depositAddress(funder), paid), paid }
  }

  /** Pays the deposit, mines that, funds the contract, mines so many blocks. */
  async funded(at: SwapUtxoChain, swap: TestSwap, blocks = 1) {
    const trace = await this.payDeposit(at, swap)
    await this.chain.mine(1)
    const made = await at.makeFunding(swap.terms, swap.funder, swap.refundTo, trace)
    for (const each of made.funding) await at.send(each)
    if (blocks > 0) await this.chain.mine(blocks)
    const [funding] = made.funding
    const found = await at.findFunding(swap.terms, swap.from, null)
    if (funding === undefined || found === null || made.refund === null) throw new Error('it is not funded')
    return { trace, funding, refund: made.refund, found }
  }

  /** A contract that is paid by the kit, without a deposit; in a block. */
  async paid({ terms }: TestSwap): Promise<FoundFunding> {
    const output = htlcOutput(terms)
    const txid = await this.chain.fund(output, terms.amount)
    await this.chain.mine(1)
    const index = await this.#indexOf(txid, output)
    return { place: `${txid}:${index}`, txid, confirmations: 1, height: await this.chain.height() }
  }

  async #indexOf(txid: string, output: Uint8Array): Promise<number> {
    const script = Buffer.from(output).toString('hex')
    for (const index of [0, 1]) {
      const found = await this.chain.rpc.call<{ scriptPubKey: { hex: string } } | null>('gettxout', txid, index, true)
      if (found?.scriptPubKey.hex === script) return index
    }
    throw new Error('the contract is not paid')
  }

  /** A spend that may be wrong. */
  odd({ terms, claimTo }: TestSwap, { place }: FoundFunding, odd: OddSpend): SignedTransaction {
    const [txid = '', index = ''] = place.split(':')
    const options = { allowUnknownInputs: true, allowUnknownOutputs: true, disableScriptCheck: true }
    const transaction = new Transaction({ ...options, lockTime: odd.lockTime ?? 0 })
    const witnessScript = htlcScript(terms)
    const witnessUtxo = { amount: terms.amount, script: htlcOutput(terms) }
    const sequence = odd.sequence ?? 0xfffffffd
    transaction.addInput({ txid, index: Number(index), witnessUtxo, witnessScript, sequence })
    const bech = { bech32: this.chain.network.bech32, pubKeyHash: 0, scriptHash: 0, wif: 0 }
    transaction.addOutputAddress(claimTo, terms.amount - FEE, bech)
    transaction.signIdx(odd.key, 0)
    const [, signature] = transaction.getInput(0).partialSig?.[0] ?? []
    if (signature === undefined) throw new Error('it was not signed')
    transaction.updateInput(0, { finalScriptWitness: [signature, ...odd.branch, witnessScript] })
    return { raw: Buffer.from(transaction.extract()).toString('hex'), txid: transaction.id, fee: FEE }
  }
}
