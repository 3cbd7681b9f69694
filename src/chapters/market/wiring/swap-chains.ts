// The chains that swaps run on: one for each coin whose wallet is created, on the chain of that wallet and by the
// server that the wallet asks. Each is kept, since it shares the reading of blocks among all swaps; a changed server is
// asked from the next question on.

import { AppError } from '../../../base/errors.ts'
import type { JsonRpc, MakeJsonRpc } from '../../wallets/ports/json-rpc.ts'
import type { ChainNames } from '../../wallets/ports/market-funds.ts'
import type { SwapChain } from '../ports/swap-chain.ts'
import { EvmSwapChain } from '../chains/swap-evm-chain.ts'
import { SwapUtxoChain } from '../chains/swap-utxo-chain.ts'
import { COINS } from '../../wallets/core/coins.ts'
import { type Asset, chainTag, type CoinId } from '../../wallets/core/assets.ts'

/** What they are made from. */
export interface SwapChainsDeps {
  readonly wallets: ChainNames
  readonly makeRpc: MakeJsonRpc
  /** Address of the server of a coin, with credentials; '' = none. */
  server(coin: CoinId): string
}

/**
 * The chains that swaps run on: one for each coin whose wallet is created, on the chain of that wallet and by the
 * server that the wallet asks.
 */
export class SwapChains {
  readonly #deps: SwapChainsDeps
  readonly #chains = new Map<CoinId, { readonly name: string; readonly chain: SwapChain }>()
  readonly #servers = new Map<CoinId, { readonly url: string; readonly rpc: JsonRpc }>()
  #closed = false

  constructor(deps: SwapChainsDeps) {
    this.#deps = deps
  }

  /** The chain of a coin; null: its wallet is not created. */
  of(coin: CoinId): SwapChain | null {
    const name = this.#deps.wallets.chainName(coin)
    if (name === null) return null
    const known = this.#chains.get(coin)
    if (known?.name === name) return known.chain
    const chain = this.#make(coin, name)
    this.#chains.set(coin, { name, chain })
    return chain
  }

  /** The chain of an asset; null: no wallet of ours is on it. */
  ofAsset({ coin, chain: tag }: Asset): SwapChain | null {
    const found = this.of(coin)
    return found?.asset.chain === tag ? found : null
  }

  /** Throws AppErrors WalletNotCreated. */
  demand(coin: CoinId): SwapChain {
    const found = this.of(coin)
    if (found === null) throw new AppError('WalletNotCreated', `The wallet of ${coin} is not created.`)
    return found
  }

  /** Nothing is asked any more. */
  close(): void {
    this.#closed = true
    for (const { rpc } of this.#servers.values()) rpc.close()
    this.#servers.clear()
  }

  #make(id: CoinId, name: string): SwapChain {
    const coin = COINS[id]
    const deps = { rpc: () => this.#rpcOf(id) }
    if (coin.family === 'evm') {
      return new EvmSwapChain({ asset: { coin: id, chain: chainTag(id, name) }, chainId: BigInt(name) }, deps)
    }
    const network = coin.networks[name]
    if (network === undefined) throw new Error(`a wallet of ${id} on a chain ${name} that is not known`)
    return new SwapUtxoChain(coin, network, deps)
  }

  #rpcOf(coin: CoinId): JsonRpc {
    if (this.#closed) throw new AppError('Aborted')
    const url = this.#deps.server(coin)
    const known = this.#servers.get(coin)
    if (known?.url === url) return known.rpc
    known?.rpc.close()
    this.#servers.delete(coin)
    if (url === '') {
      throw new AppError(
        'NoWalletServer',
        `No server is set for ${coin}: the setting wallets.${coin.toLowerCase()}_server.`,
      )
    }
    const rpc = this.#deps.makeRpc(url)
    this.#servers.set(coin, { url, rpc })
    return rpc
  }
}
