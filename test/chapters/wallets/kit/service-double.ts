// A double of the wallets: complete records, every call noted.

import type {
  WalletBalance,
  WalletRecord,
  WalletsService,
} from '../../../../src/chapters/wallets/service/wallets-api.ts'
import { notedAnswers } from '../../../kit/doubles/noted-answers.ts'

const balance: WalletBalance = {
  available: 1.5,
  pending: 0,
  currency: 'TBTC',
  available_exact: '1.5',
  pending_exact: '0',
  reserved: 0,
  reserved_exact: '0',
}

const wallet: WalletRecord = {
  created: true,
  name: 'Testnet Bitcoin',
  address: 'tb1q',
  balance,
  identifier: 'TBTC',
  unlocked: false,
  network: 'testnet4',
  height: 7,
  behind: 0,
  has_server: true,
  problem: '',
}

const txid = 'ab'.repeat(32)
const made = { txid, sent: true, fee_exact: '0.00001' }

/** `note` is called with the name of the method and its arguments. */
function walletsDouble(note: (...call: unknown[]) => void): WalletsService {
  const answer = notedAnswers(note)
  const line = {
    currency: 'TBTC',
    to: 'tb1q',
    from: '',
    outgoing: false,
    description: 'Confirmations: 3',
    timestamp: '7',
    fee_amount: 0,
    amount: 1.5,
    id: txid,
    amount_exact: '1.5',
    fee_exact: '0',
    confirmations: 3,
  }
  const audited = {
    time: 7,
    action: 'transfer',
    wallet: 'TBTC',
    outcome: 'done',
    amount: '1',
    destination: 'tb1q',
    txid,
  }
  return {
    list: answer('wallets', [wallet]),
    create: answer('createWallet', { created: true as const, seed_words: 'abandon about' }),
    balance: answer('balance', balance),
    transactions: answer('transactions', [line]),
    transfer: answer('transfer', made),
    raiseFee: answer('raiseFee', made),
    fees: answer('fees', { fee_rate: 10, fee_exact: '0.00001', currency: 'TBTC' }),
    unlock: answer('unlock', { unlocked: true as const, until: 7 }),
    lock: answer('lock', { locked: true as const }),
    exportSeed: answer('exportSeed', { seed_words: 'abandon about' }),
    restoreSeed: answer('restoreSeed', { restored: true as const }),
    setSpendKey: answer('setSpendKey', { required: true }),
    audit: answer('audit', [{ ...audited, previous: '0'.repeat(64) }]),
  }
}

/** What the double of all services has for wallets. */
export function serviceDouble(note: (...call: unknown[]) => void): { readonly wallets: WalletsService } {
  return { wallets: walletsDouble(note) }
}
