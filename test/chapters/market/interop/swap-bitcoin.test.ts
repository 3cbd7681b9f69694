// Contracts of swaps on a real chain of bcoin (regtest): an implementation of Bitcoin's rules that is not Bitcoin
// Core's.

import { startSwapBcoin } from '../kit/swap-utxo-chains.ts'
import { swapSuite } from '../kit/swap-utxo-suite.ts'

swapSuite({
  skip: false,
  start: startSwapBcoin,
  replaces: false,
  elsewhere: 'rltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kkh8u79',
})
