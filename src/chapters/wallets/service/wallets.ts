// The wallets of the interface: who may do what, and what is said of it (spec 2.9, 2.10, 4.8; decisions part 4).
// Requests of one wallet that spend run one after the other; whatever spends, unlocks or shows the seed is in the audit
// log, also when it is refused.

import type { HDKey } from '@scure/bip32'
import { AppError } from '../../../base/errors.ts'
import { formatAmount, parseAmount } from '../core/amounts.ts'
import { type Coin, COIN_IDS, COINS, coinOf, type CoinId } from '../core/coins.ts'
import { WalletAudit } from './wallet-audit.ts'
import { WalletChanges } from './wallet-changes.ts'
import type { CoinWallet, HistoryLine, MadeTransfer, TransferHooks } from './wallet-coin.ts'
import { OpenKeys } from './wallet-keys.ts'
import { WalletMarketFunds } from './wallet-market-funds.ts'
import { WalletReservations } from './wallet-reservations.ts'
import { MARKET_KEY } from './wallet-sent.ts'
import { WalletSet, type WalletSetDeps } from './wallet-set.ts'
import { type FoundWallet, type SpendFacts, WalletSpending } from './wallet-spending.ts'
import { SeedVault } from './wallet-vault.ts'
import type {
  AuditRecord,
  FeeRecord,
  TransferOrder,
  TransferRecord,
  WalletBalance,
  WalletRecord,
  WalletsService,
  WalletTransactionRecord,
} from './wallets-api.ts'

/** A wallet that was just made is open so long: its maker has just given the password. */
const FIRST_OPEN_S = 900

/** The wallets of the interface: who may do what, and what is said of it (spec 2.9, 2.10, 4.8; decisions part 4). */
export class Wallets implements WalletsService {
  /** What the market may do with them. */
  readonly market: WalletMarketFunds
  readonly #deps: WalletSetDeps
  readonly #set: WalletSet
  readonly #vault: SeedVault
  readonly #audit: WalletAudit
  readonly #keys: OpenKeys
  readonly #reservations = new WalletReservations()
  readonly #spending: WalletSpending

  /** `cost`: of scrypt, for tests. */
  constructor(deps: WalletSetDeps, cost?: { readonly N: number; readonly r: number; readonly p: number }) {
    this.#deps = deps
    const { clock, log, files } = deps
    const changes = new WalletChanges(id => this.#stateOf(id), log)
    const changed = (id: CoinId): void => changes.look(id)
    this.#set = new WalletSet(deps, changed)
    this.#vault = new SeedVault(files, cost)
    this.#audit = new WalletAudit(files, clock, log)
    const ended = (id: CoinId) => void this.#audit.tryNote({ action: 'lock', wallet: id, outcome: 'time is over' })
    this.#keys = new OpenKeys(clock, ended, changed)
    const parts = { clock, audit: this.#audit, keys: this.#keys, reservations: this.#reservations }
    this.#spending = new WalletSpending({ ...parts, settings: () => deps.settings() })
    this.market = new WalletMarketFunds({
      ...parts,
      set: this.#set,
      vault: this.#vault,
      changes,
      spending: this.#spending,
    })
  }

  #stateOf(id: CoinId): string {
    const wallet = this.#set.get(id)
    if (wallet === null) return ''
    const { available, pending } = wallet.balance()
    return [this.#keys.of(id) !== null, available, pending, this.#reservations.total(id), wallet.facts().problem].join()
  }

  /** Reads what is stored. AppError StateUnreadable. */
  start(): Promise<void> {
    return this.#set.load()
  }

  async stop(): Promise<void> {
    this.#keys.closeAll()
    await this.#set.stop()
    await this.#spending.drained()
  }

  async list(): Promise<WalletRecord[]> {
    await this.#set.refreshAll()
    return COIN_IDS.map(id => this.#recordOf(COINS[id]))
  }

  #recordOf(coin: Coin): WalletRecord {
    const { id, name } = coin
    const wallet = this.#set.get(id)
    const hasServer = this.#deps.settings().server(id) !== ''
    const common = { name, balance: this.#balanceOf(coin, wallet), identifier: id, has_server: hasServer }
    if (wallet !== null) {
      const unlocked = this.#keys.of(id) !== null
      const { network, height, behind, problem } = wallet.facts()
      return { ...common, created: true, address: wallet.address, unlocked, network, height, behind, problem }
    }
    const problem = hasServer
      ? `Not created yet: PUT /wallets/${id} with a password.`
      : `No server is set: the setting wallets.${id.toLowerCase()}_server.`
    return { ...common, created: false, address: '', unlocked: false, network: '', height: -1, behind: 0, problem }
  }

  create(
    identifier: string,
    password: string,
    fromHeight: number | null,
  ): Promise<{ created: true; seed_words?: string }> {
    const coin = known(identifier)
    return this.#spending.inTurn('create', async () => {
      if (this.#set.get(coin.id) !== null) throw new AppError('WalletExists')
      this.#set.demandServer(coin.id)
      const words = (await this.#vault.exists()) ? null : await this.#vault.create(password)
      await this.#audit.around({ action: 'create', wallet: coin.id }, () =>
        this.#vault.withSeed(password, async ({ seed }) => {
          this.#keys.open(coin.id, await this.#set.create(coin, seed, fromHeight), FIRST_OPEN_S)
        }),
      )
      return { created: true, ...(words === null ? {} : { seed_words: words }) }
    })
  }

  async balance(identifier: string): Promise<WalletBalance> {
    const coin = known(identifier)
    const wallet = this.#set.get(coin.id)
    await wallet?.refresh()
    return this.#balanceOf(coin, wallet)
  }

  async transactions(identifier: string): Promise<WalletTransactionRecord[]> {
    const coin = known(identifier)
    const wallet = this.#set.get(coin.id)
    await wallet?.refresh()
    return wallet?.history().map(line => lineOf(coin, line)) ?? []
  }

  async transfer(identifier: string, order: TransferOrder): Promise<TransferRecord> {
    const found = this.#created(identifier)
    const { coin, wallet } = found
    const { destination, idempotency_key: key = '', spend_key } = order
    const amount = parseAmount(order.amount, coin.decimals)
    wallet.check(destination, amount)
    if (key.startsWith(MARKET_KEY)) {
      const text = `The parameter idempotency_key is not valid: those that begin with ${MARKET_KEY} are of the market.`
      throw new AppError('InvalidParameter', text)
    }
    const rate = rateOf(order.fee_rate)
    const facts = { wallet: coin.id, amount: formatAmount(amount, coin.decimals), destination }
    return this.#spending.inTurn(coin.id, async () => {
      const earlier = wallet.sent.repeated(key, amount, destination)
      if (earlier !== null) {
        return { txid: earlier.txid, sent: true, fee_exact: formatAmount(earlier.fee, coin.decimals) }
      }
      return this.#spend(found, { ...facts, action: 'transfer' }, spend_key, (account, hooks) =>
        wallet.send(account, { destination, amount, rate, key }, hooks),
      )
    })
  }

  raiseFee(
    identifier: string,
    txid: string,
    order: { fee_rate?: number; spend_key?: string },
  ): Promise<TransferRecord> {
    const found = this.#created(identifier)
    const { coin, wallet } = found
    const rate = rateOf(order.fee_rate)
    const facts = { action: 'raise fee', wallet: coin.id, txid }
    return this.#spending.inTurn(coin.id, async () => {
      if (wallet.sent.isOfMarket(txid)) {
        throw new AppError('StateConflict', 'The market made this payment: a swap builds on it as it is.')
      }
      return this.#spend(found, facts, order.spend_key, (account, hooks) => wallet.raiseFee(account, txid, rate, hooks))
    })
  }

  async #spend(
    found: FoundWallet,
    facts: SpendFacts,
    spendKey: string | undefined,
    make: (account: HDKey, hooks: TransferHooks) => Promise<MadeTransfer>,
  ): Promise<TransferRecord> {
    const spender = { reservation: '', admit: () => this.#vault.checkSpendKey(spendKey) }
    const { txid, sent, fee } = await this.#spending.spend(found, facts, spender, make)
    return { txid, sent, fee_exact: formatAmount(fee, found.coin.decimals) }
  }

  async fees(
    identifier: string,
    { amount, destination }: Partial<Pick<TransferOrder, 'amount' | 'destination'>>,
  ): Promise<FeeRecord> {
    const { coin, wallet } = this.#created(identifier)
    const asked =
      destination === undefined || amount === undefined
        ? null
        : { destination, amount: parseAmount(amount, coin.decimals) }
    if (asked !== null) wallet.check(asked.destination, asked.amount)
    const { rate, fee } = await wallet.price(asked)
    return { fee_rate: Number(rate), fee_exact: formatAmount(fee, coin.decimals), currency: coin.id }
  }

  unlock(
    identifier: string,
    { password, seconds, spend_key }: { password: string; seconds: number; spend_key?: string },
  ): Promise<{ unlocked: true; until: number }> {
    const { coin } = this.#created(identifier)
    return this.#audit.around({ action: 'unlock', wallet: coin.id }, async () => {
      await this.#vault.checkSpendKey(spend_key)
      await this.#vault.withSeed(password, ({ seed }) => this.#keys.open(coin.id, this.#set.keyOf(coin, seed), seconds))
      return { unlocked: true, until: Math.floor(this.#deps.clock.wallMs() / 1000) + seconds }
    })
  }

  async lock(identifier: string): Promise<{ locked: true }> {
    const { coin } = this.#created(identifier)
    // A transfer under way ends first: it was allowed.
    await this.#spending.inTurn(coin.id, async () => {
      if (this.#keys.close(coin.id)) await this.#audit.tryNote({ action: 'lock', wallet: coin.id })
    })
    return { locked: true }
  }

  exportSeed({ password, spend_key }: { password: string; spend_key?: string }): Promise<{ seed_words: string }> {
    return this.#audit.around({ action: 'export seed' }, async () => {
      await this.#vault.checkSpendKey(spend_key)
      return { seed_words: await this.#vault.words(password) }
    })
  }

  restoreSeed(words: string, password: string): Promise<{ restored: true }> {
    return this.#spending.inTurn('create', () =>
      this.#audit.around({ action: 'restore seed' }, async () => {
        await this.#vault.restore(words, password)
        return { restored: true }
      }),
    )
  }

  setSpendKey({
    password,
    spend_key,
    present,
  }: {
    password: string
    spend_key: string | null
    present?: string
  }): Promise<{ required: boolean }> {
    return this.#audit.around({ action: spend_key === null ? 'remove spend key' : 'set spend key' }, async () => {
      await this.#vault.checkSpendKey(present)
      await this.#vault.setSpendKey(password, spend_key)
      return { required: spend_key !== null }
    })
  }

  audit(limit: number): Promise<AuditRecord[]> {
    return this.#audit.read(limit)
  }

  #balanceOf({ id, decimals }: Coin, wallet: CoinWallet | null): WalletBalance {
    const { available, pending } = wallet?.balance() ?? { available: 0n, pending: 0n }
    const exact = (units: bigint): string => formatAmount(units, decimals)
    const [available_exact, pending_exact] = [exact(available), exact(pending)]
    const reserved_exact = exact(this.#reservations.total(id))
    return {
      available: Number(available_exact),
      pending: Number(pending_exact),
      currency: id,
      available_exact,
      pending_exact,
      reserved: Number(reserved_exact),
      reserved_exact,
    }
  }

  #created(identifier: string): FoundWallet {
    const coin = known(identifier)
    const wallet = this.#set.get(coin.id)
    if (wallet === null)
      throw new AppError('WalletNotCreated', `This wallet is not created: PUT /wallets/${coin.id} with a password.`)
    return { coin, wallet }
  }
}

/** AppError UnknownWallet. */
function known(identifier: string): Coin {
  const coin = coinOf(identifier)
  if (coin === null) throw new AppError('UnknownWallet')
  return coin
}

function rateOf(rate: number | undefined): bigint | null {
  return rate === undefined ? null : BigInt(rate)
}

function lineOf({ id, decimals }: Coin, line: HistoryLine): WalletTransactionRecord {
  const { txid, outgoing, amount, fee, to, from, time, confirmations } = line
  const [amount_exact, fee_exact] = [formatAmount(amount, decimals), formatAmount(fee, decimals)]
  return {
    currency: id,
    to,
    from,
    outgoing,
    description: `Confirmations: ${confirmations}`,
    timestamp: String(time),
    fee_amount: Number(fee_exact),
    amount: Number(amount_exact),
    id: txid,
    amount_exact,
    fee_exact,
    confirmations,
  }
}
