// The wallets that are created: their files, made and read; their servers; the round that has all look at their chains.

import type { HDKey } from '@scure/bip32'
import { AppError } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { JsonRpc, MakeJsonRpc } from '../ports/json-rpc.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { WalletFiles } from '../ports/wallet-files.ts'
import { type Coin, COIN_IDS, COINS, type CoinId, type UtxoCoin, type UtxoNetwork } from '../core/coins.ts'
import { evmAddressOf } from '../core/evm-signing.ts'
import { evmKey, utxoAccount } from '../core/seed-words.ts'
import { KeyedQueue } from '../../../services/keyed-queue.ts'
import type { CoinWallet } from './wallet-coin.ts'
import { EvmWallet, type StoredEvmWallet } from './wallet-evm.ts'
import { storeEvmFacts } from './wallet-evm-store.ts'
import { type StoredUtxoWallet, UtxoWallet } from './wallet-utxo.ts'

/** All look at their chains so often. */
const ROUND_MS = 30_000

/** Settings of the wallets; read at each use. */
export interface WalletSettings {
  /** Address of the server, with credentials; '' = none. */
  server(id: CoinId): string
  /** Name of the chain of TBTC and TLTC. */
  network(id: 'TBTC' | 'TLTC'): string
  /** Chain id of TETH. */
  chainId(): number
  /** `BTC=0.5`. */
  readonly transferLimits: readonly string[]
  readonly dayLimits: readonly string[]
}

/** What they are made with. */
export interface WalletSetDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly files: WalletFiles
  readonly makeRpc: MakeJsonRpc
  settings(): WalletSettings
}

/**
 * The wallets that are created: their files, made and read; their servers; the round that has all look at their chains.
 */
export class WalletSet {
  readonly #deps: WalletSetDeps
  readonly #wallets = new Map<CoinId, CoinWallet>()
  readonly #servers = new Map<CoinId, { readonly url: string; readonly rpc: JsonRpc }>()
  readonly #saves = new KeyedQueue<CoinId>()
  readonly #changed: (id: CoinId) => void
  #round: Timer | null = null

  /** `changed`: a wallet may be another than before. */
  constructor(deps: WalletSetDeps, changed: (id: CoinId) => void) {
    this.#deps = deps
    this.#changed = changed
  }

  /** Reads those that are created. AppError StateUnreadable. */
  async load(): Promise<void> {
    for (const id of COIN_IDS) {
      const text = await this.#deps.files.read(fileOf(id))
      if (text !== null) this.#wallets.set(id, this.#read(COINS[id], text))
    }
    this.#round = this.#deps.clock.every(ROUND_MS, () => void this.refreshAll())
  }

  get(id: CoinId): CoinWallet | null {
    return this.#wallets.get(id) ?? null
  }

  /** Never rejects. */
  async refreshAll(): Promise<void> {
    const look = async ([id, wallet]: [CoinId, CoinWallet]): Promise<void> => {
      await wallet.refresh()
      this.#changed(id)
    }
    await Promise.all([...this.#wallets].map(look))
  }

  /** Throws AppError NoWalletServer. */
  demandServer(id: CoinId): void {
    if (this.#deps.settings().server(id) === '') throw noServer(id)
  }

  /** Makes the wallet of a coin with a seed, and answers its key. AppErrors WalletExists, NoWalletServer. */
  async create(coin: Coin, seed: Uint8Array, from: number | null): Promise<HDKey> {
    if (this.#wallets.has(coin.id)) throw new AppError('WalletExists')
    this.demandServer(coin.id)
    const { key, stored } = this.#firstOf(coin, seed, from)
    const text = JSON.stringify(stored)
    try {
      await this.#save(coin.id, text)
    } catch (error) {
      key.wipePrivateData()
      throw error
    }
    this.#wallets.set(coin.id, this.#read(coin, text))
    this.#changed(coin.id)
    return key
  }

  /** The key of a wallet. AppErrors StateConflict: the seed is another one than it was made with. */
  keyOf(coin: Coin, seed: Uint8Array): HDKey {
    const wallet = this.#wallets.get(coin.id)
    if (wallet === undefined) throw new AppError('WalletNotCreated')
    if (coin.family === 'evm') return evmKey(seed)
    const network = coin.networks[wallet.facts().network]
    return utxoAccount(seed, network?.coinType ?? 1)
  }

  async stop(): Promise<void> {
    this.#round?.cancel()
    for (const { rpc } of this.#servers.values()) rpc.close()
    await Promise.all([...this.#wallets.values()].map(wallet => wallet.stop()))
    await this.#saves.drained()
  }

  #firstOf(
    coin: Coin,
    seed: Uint8Array,
    from: number | null,
  ): { key: HDKey; stored: StoredUtxoWallet | StoredEvmWallet } {
    const common = { version: 1, coin: coin.id, from, sent: [] } as const
    if (coin.family === 'evm') {
      const key = evmKey(seed)
      const facts = storeEvmFacts({ marks: [], lines: [], own: [] })
      return {
        key,
        stored: { ...common, network: String(this.#chainIdOf(coin.chainId)), address: evmAddressOf(key), facts },
      }
    }
    const network = this.#networkOf(coin)
    const key = utxoAccount(seed, network.coinType)
    const ledger = { blocks: [], transactions: [] }
    return { key, stored: { ...common, network: network.name, account: key.publicExtendedKey, ledger } }
  }

  #chainIdOf(fixed: bigint | null): bigint {
    return fixed ?? BigInt(this.#deps.settings().chainId())
  }

  #networkOf({ id, networks }: UtxoCoin): UtxoNetwork {
    const name = id === 'TBTC' || id === 'TLTC' ? this.#deps.settings().network(id) : 'main'
    const network = networks[name]
    if (network === undefined) throw new AppError('InvalidSetting', `There is no chain ${name} of ${id}.`)
    return network
  }

  #read(coin: Coin, text: string): CoinWallet {
    const { clock, random, log } = this.#deps
    const deps = {
      clock,
      random,
      log: log.part(`wallet-${coin.id.toLowerCase()}`),
      rpc: () => this.#rpcOf(coin.id),
      save: (changed: string) => this.#save(coin.id, changed),
    }
    try {
      const stored = JSON.parse(text) as StoredUtxoWallet | StoredEvmWallet
      if (stored.version !== 1 || stored.coin !== coin.id) throw new Error('it is of another kind')
      if (coin.family === 'evm') return new EvmWallet(coin, BigInt(stored.network), stored as StoredEvmWallet, deps)
      const network = coin.networks[stored.network]
      if (network === undefined) throw new Error(`there is no chain ${stored.network}`)
      return new UtxoWallet(coin, network, stored as StoredUtxoWallet, deps)
    } catch (error) {
      throw new AppError('StateUnreadable', `The file ${fileOf(coin.id)} of the wallets cannot be read.`, {
        cause: error,
      })
    }
  }

  #rpcOf(id: CoinId): JsonRpc {
    const url = this.#deps.settings().server(id)
    const known = this.#servers.get(id)
    if (known?.url === url) return known.rpc
    known?.rpc.close()
    this.#servers.delete(id)
    if (url === '') throw noServer(id)
    const rpc = this.#deps.makeRpc(url)
    this.#servers.set(id, { url, rpc })
    return rpc
  }

  #save(id: CoinId, text: string): Promise<void> {
    this.#changed(id)
    return this.#saves.run(id, () => this.#deps.files.write(fileOf(id), `${text}\n`))
  }
}

function fileOf(id: CoinId): string {
  return `${id.toLowerCase()}.json`
}

function noServer(id: CoinId): AppError {
  return new AppError('NoWalletServer', `No server is set for ${id}: the setting wallets.${id.toLowerCase()}_server.`)
}
