// The wallets of the interface: who may do what, and what is said of it (spec 2.9, 2.10, 4.8; decisions part 4). Requests of one wallet that
// spend run one after the other; whatever spends, unlocks or shows the seed stands in the audit log, also when it is refused.

import type { HDKey } from '@scure/bip32'
import { AppError } from '../base/errors.ts'
import { formatAmount, parseAmount } from '../wallet/amounts.ts'
import { type Coin, COIN_IDS, COINS, coinOf, type CoinId } from '../wallet/coins.ts'
import { KeyedQueue } from './keyed-queue.ts'
import { WalletAudit } from './wallet-audit.ts'
import type { CoinWallet, HistoryLine, MadeTransfer, TransferHooks } from './wallet-coin.ts'
import { OpenKeys } from './wallet-keys.ts'
import { limitOf } from './wallet-limits.ts'
import { WalletSet, type WalletSetDeps } from './wallet-set.ts'
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

/** A wallet that was just made is open so long: who made it has just given the password. */
const FIRST_OPEN_S = 900
const DAY_MS = 24 * 60 * 60 * 1000

interface Found {
  readonly coin: Coin
  readonly wallet: CoinWallet
}

/** See the top of the file. */
export class Wallets implements WalletsService {
  readonly #deps: WalletSetDeps
  readonly #set: WalletSet
  readonly #vault: SeedVault
  readonly #audit: WalletAudit
  readonly #keys: OpenKeys
  readonly #queue = new KeyedQueue<string>()

  /** `cost`: of scrypt, for tests. */
  constructor(deps: WalletSetDeps, cost?: { readonly N: number; readonly r: number; readonly p: number }) {
    this.#deps = deps
    this.#set = new WalletSet(deps)
    this.#vault = new SeedVault(deps.files, cost)
    this.#audit = new WalletAudit(deps.files, deps.clock)
    this.#keys = new OpenKeys(
      deps.clock,
      id => void this.#note({ action: 'lock', wallet: id, outcome: 'time is over' }),
    )
  }

  /** Reads what is stored. AppError StateUnreadable. */
  start(): Promise<void> {
    return this.#set.load()
  }

  async stop(): Promise<void> {
    this.#keys.closeAll()
    await this.#set.stop()
    await this.#queue.drained()
  }

  async list(): Promise<WalletRecord[]> {
    await this.#set.refreshAll()
    return COIN_IDS.map(id => this.#recordOf(COINS[id]))
  }

  #recordOf(coin: Coin): WalletRecord {
    const { id, name } = coin
    const wallet = this.#set.get(id)
    const common = { name, balance: balanceOf(coin, wallet), identifier: id }
    if (wallet !== null) {
      const unlocked = this.#keys.of(id) !== null
      return { ...common, created: true, address: wallet.address, unlocked, ...wallet.facts() }
    }
    const none = this.#deps.settings().server(id) === ''
    const problem = none
      ? `No server is set: the setting wallets.${id.toLowerCase()}_server.`
      : `Not created yet: PUT /wallets/${id} with a password.`
    return { ...common, created: false, address: '', unlocked: false, network: '', height: -1, behind: 0, problem }
  }

  create(
    identifier: string,
    password: string,
    fromHeight: number | null,
  ): Promise<{ created: true; seed_words?: string }> {
    const coin = known(identifier)
    return this.#queue.run('create', async () => {
      if (this.#set.get(coin.id) !== null) throw new AppError('WalletExists')
      this.#set.demandServer(coin.id)
      const words = (await this.#vault.exists()) ? null : await this.#vault.create(password)
      await this.#audited({ action: 'create', wallet: coin.id }, () =>
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
    return balanceOf(coin, wallet)
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
    const rate = rateOf(order.fee_rate)
    const facts = { wallet: coin.id, amount: formatAmount(amount, coin.decimals), destination }
    return this.#queue.run(coin.id, async () => {
      const earlier = key === '' ? null : wallet.sent.ofKey(key)
      if (earlier !== null) return this.#repeated(coin, earlier, amount, destination)
      return this.#spend(found, { ...facts, action: 'transfer' }, spend_key, (account, hooks) =>
        wallet.send(account, { destination, amount, rate, key }, hooks),
      )
    })
  }

  #repeated(
    coin: Coin,
    earlier: { txid: string; fee: bigint; amount: bigint; destination: string },
    amount: bigint,
    destination: string,
  ): TransferRecord {
    if (earlier.amount !== amount || earlier.destination.toLowerCase() !== destination.toLowerCase()) {
      throw new AppError('StateConflict', 'This idempotency key was used for another transfer.')
    }
    return { txid: earlier.txid, sent: true, fee_exact: formatAmount(earlier.fee, coin.decimals) }
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
    return this.#queue.run(coin.id, () =>
      this.#spend(found, facts, order.spend_key, (account, hooks) => wallet.raiseFee(account, txid, rate, hooks)),
    )
  }

  async #spend(
    { coin, wallet }: Found,
    facts: { action: string; wallet: CoinId; amount?: string; destination?: string; txid?: string },
    spendKey: string | undefined,
    make: (account: HDKey, hooks: TransferHooks) => Promise<MadeTransfer>,
  ): Promise<TransferRecord> {
    return this.#audited(facts, async () => {
      await this.#vault.checkSpendKey(spendKey)
      const account = this.#keys.of(coin.id)
      if (account === null)
        throw new AppError('WalletLocked', `The wallet is locked: POST /wallets/${coin.id}/unlock with the password.`)
      const hooks: TransferHooks = {
        approve: (total, more) => this.#checkLimits(coin, wallet, total, more),
        record: ({ txid, amount, destination }) => {
          const written = { amount: formatAmount(amount, coin.decimals), destination, txid }
          return this.#audit.note({ ...facts, ...written, outcome: 'signed' })
        },
      }
      const { txid, fee, sent } = await make(account, hooks)
      return { txid, sent, fee_exact: formatAmount(fee, coin.decimals) }
    })
  }

  #checkLimits(coin: Coin, wallet: CoinWallet, total: bigint, more: bigint): void {
    const { transferLimits, dayLimits } = this.#deps.settings()
    const shown = (units: bigint): string => `${formatAmount(units, coin.decimals)} ${coin.id}`
    const once = limitOf(transferLimits, coin)
    if (once !== null && total > once) {
      throw new AppError(
        'SpendLimitReached',
        `${shown(total)} with the fee, and a transfer may have ${shown(once)} (wallets.transfer_limits).`,
      )
    }
    const daily = limitOf(dayLimits, coin)
    const today = wallet.sent.since(this.#deps.clock.wallMs() - DAY_MS)
    if (daily !== null && today + more > daily) {
      const text = `${shown(today)} left in 24 hours, ${shown(more)} more are above ${shown(daily)} (wallets.day_limits).`
      throw new AppError('SpendLimitReached', text)
    }
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
    return this.#audited({ action: 'unlock', wallet: coin.id }, async () => {
      await this.#vault.checkSpendKey(spend_key)
      await this.#vault.withSeed(password, ({ seed }) => this.#keys.open(coin.id, this.#set.keyOf(coin, seed), seconds))
      return { unlocked: true, until: Math.floor(this.#deps.clock.wallMs() / 1000) + seconds }
    })
  }

  async lock(identifier: string): Promise<{ locked: true }> {
    const { coin } = this.#created(identifier)
    // A transfer under way ends first: it was allowed.
    await this.#queue.run(coin.id, async () => {
      if (this.#keys.close(coin.id)) await this.#note({ action: 'lock', wallet: coin.id })
    })
    return { locked: true }
  }

  exportSeed({ password, spend_key }: { password: string; spend_key?: string }): Promise<{ seed_words: string }> {
    return this.#audited({ action: 'export seed' }, async () => {
      await this.#vault.checkSpendKey(spend_key)
      return { seed_words: await this.#vault.words(password) }
    })
  }

  restoreSeed(words: string, password: string): Promise<{ restored: true }> {
    return this.#queue.run('create', () =>
      this.#audited({ action: 'restore seed' }, async () => {
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
    return this.#audited({ action: spend_key === null ? 'remove spend key' : 'set spend key' }, async () => {
      await this.#vault.checkSpendKey(present)
      await this.#vault.setSpendKey(password, spend_key)
      return { required: spend_key !== null }
    })
  }

  audit(limit: number): Promise<AuditRecord[]> {
    return this.#audit.read(limit)
  }

  #created(identifier: string): Found {
    const coin = known(identifier)
    const wallet = this.#set.get(coin.id)
    if (wallet === null)
      throw new AppError('WalletNotCreated', `This wallet is not created: PUT /wallets/${coin.id} with a password.`)
    return { coin, wallet }
  }

  /** Does it and notes how it ended. */
  async #audited<T>(facts: Parameters<WalletAudit['note']>[0], work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      await this.#audit.note({ ...facts, ...namedIn(result) })
      return result
    } catch (error) {
      await this.#note({ ...facts, outcome: error instanceof AppError ? error.code : 'failed' })
      throw error
    }
  }

  /** A line that hinders nothing when it cannot be kept. */
  async #note(entry: Parameters<WalletAudit['note']>[0]): Promise<void> {
    await this.#audit
      .note(entry)
      .catch((error: unknown) => this.#deps.log.error('the audit log cannot be written', { error }))
  }
}

function namedIn(result: unknown): { txid?: string } {
  const { txid } = (result ?? {}) as { txid?: unknown }
  return typeof txid === 'string' ? { txid } : {}
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

function balanceOf({ id, decimals }: Coin, wallet: CoinWallet | null): WalletBalance {
  const { available, pending } = wallet?.balance() ?? { available: 0n, pending: 0n }
  const [available_exact, pending_exact] = [formatAmount(available, decimals), formatAmount(pending, decimals)]
  return {
    ...{ available: Number(available_exact), pending: Number(pending_exact), currency: id },
    ...{ available_exact, pending_exact },
  }
}

function lineOf({ id, decimals }: Coin, line: HistoryLine): WalletTransactionRecord {
  const { txid, outgoing, amount, fee, to, from, time, confirmations } = line
  const [amount_exact, fee_exact] = [formatAmount(amount, decimals), formatAmount(fee, decimals)]
  return {
    ...{ currency: id, to, from, outgoing, description: `Confirmations: ${confirmations}`, timestamp: String(time) },
    ...{
      fee_amount: Number(fee_exact),
      amount: Number(amount_exact),
      id: txid,
      amount_exact,
      fee_exact,
      confirmations,
    },
  }
}
