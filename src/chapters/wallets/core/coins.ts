// The coins of the wallets and the chains they live on. Facts: SLIP-44 (coin types), SLIP-173 (bech32 prefixes), the
// genesis blocks and address versions of Bitcoin Core and Litecoin Core, EIP-155 (chain ids).

import { COIN_DECIMALS, COIN_IDS, type CoinId } from './assets.ts'

export { COIN_IDS, type CoinId }

/** A chain of Bitcoin's kind. */
export interface UtxoNetwork {
  readonly name: string
  /** Hash of its first block: which chain a server has. */
  readonly genesis: string
  readonly bech32: string
  readonly pubKeyHash: number
  readonly scriptHash: number
  readonly wif: number
  /** Of BIP44. */
  readonly coinType: number
  readonly work: 'sha256d' | 'scrypt'
  /** Blocks show work of at least this (compact target), which changes at most fourfold; null = a chain for tests. */
  readonly easiest: number | null
}

interface CoinBase {
  readonly id: CoinId
  readonly name: string
  readonly decimals: number
}

/** A coin of a chain of Bitcoin's kind. Rates are of the smallest unit for 1,000 virtual bytes. */
export interface UtxoCoin extends CoinBase {
  readonly family: 'utxo'
  readonly networks: Readonly<Record<string, UtxoNetwork>>
  /** Where a server cannot say. */
  readonly usualRate: bigint
  readonly highestRate: bigint
  /** An output that costs more than a third of itself to spend at this rate is not relayed. */
  readonly dustRate: bigint
}

/** A coin of a chain of Ethereum's kind. */
export interface EvmCoin extends CoinBase {
  readonly family: 'evm'
  /** Null: the settings say. */
  readonly chainId: bigint | null
}

/** Any coin. */
export type Coin = UtxoCoin | EvmCoin

const BITCOIN_TEST = { pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef, coinType: 1, work: 'sha256d' } as const
const LITECOIN_TEST = { pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef, coinType: 1, work: 'scrypt' } as const

const bitcoin: UtxoNetwork = {
  name: 'main',
  genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  bech32: 'bc',
  pubKeyHash: 0,
  scriptHash: 5,
  wif: 0x80,
  coinType: 0,
  work: 'sha256d',
  easiest: 0x1d00ffff,
}
const bitcoinTests: Readonly<Record<string, UtxoNetwork>> = {
  testnet: {
    ...BITCOIN_TEST,
    name: 'testnet',
    bech32: 'tb',
    easiest: null,
    genesis: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
  },
  testnet4: {
    ...BITCOIN_TEST,
    name: 'testnet4',
    bech32: 'tb',
    easiest: null,
    genesis: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
  },
  signet: {
    ...BITCOIN_TEST,
    name: 'signet',
    bech32: 'tb',
    easiest: null,
    genesis: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
  },
  regtest: {
    ...BITCOIN_TEST,
    name: 'regtest',
    bech32: 'bcrt',
    easiest: null,
    genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  },
}
// The old version of script addresses, 5 (of tests 0xc4), is Bitcoin's too: a payment to such an address may mean
// either, so it is refused.
const litecoin: UtxoNetwork = {
  name: 'main',
  genesis: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
  bech32: 'ltc',
  pubKeyHash: 0x30,
  scriptHash: 0x32,
  wif: 0xb0,
  coinType: 2,
  work: 'scrypt',
  easiest: 0x1e0ffff0,
}
const litecoinTests: Readonly<Record<string, UtxoNetwork>> = {
  testnet: {
    ...LITECOIN_TEST,
    name: 'testnet',
    bech32: 'tltc',
    easiest: null,
    genesis: '4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0',
  },
  regtest: {
    ...LITECOIN_TEST,
    name: 'regtest',
    bech32: 'rltc',
    easiest: null,
    genesis: '530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9',
  },
}

const BITCOIN_RATES = { usualRate: 10_000n, highestRate: 1_000_000n, dustRate: 3_000n } as const
const LITECOIN_RATES = { usualRate: 10_000n, highestRate: 1_000_000n, dustRate: 30_000n } as const
const utxo = { family: 'utxo', decimals: COIN_DECIMALS.BTC } as const
const evm = { family: 'evm', decimals: COIN_DECIMALS.ETH } as const

/** Every coin by its identifier, in the order of lists. */
export const COINS: Readonly<Record<CoinId, Coin>> = {
  BTC: { ...utxo, ...BITCOIN_RATES, id: 'BTC', name: 'Bitcoin', networks: { main: bitcoin } },
  TBTC: { ...utxo, ...BITCOIN_RATES, id: 'TBTC', name: 'Testnet Bitcoin', networks: bitcoinTests },
  LTC: { ...utxo, ...LITECOIN_RATES, id: 'LTC', name: 'Litecoin', networks: { main: litecoin } },
  TLTC: { ...utxo, ...LITECOIN_RATES, id: 'TLTC', name: 'Testnet Litecoin', networks: litecoinTests },
  ETH: { ...evm, id: 'ETH', name: 'Ether', chainId: 1n },
  TETH: { ...evm, id: 'TETH', name: 'Testnet Ether', chainId: null },
}

/** The coin of an identifier in any case; null: there is none. */
export function coinOf(identifier: string): Coin | null {
  const upper = identifier.toUpperCase()
  const id = COIN_IDS.find(each => each === upper)
  return id === undefined ? null : COINS[id]
}
