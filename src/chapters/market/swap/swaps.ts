// All swaps of this node: halves that wait for an agreement, swaps that run, and those that ended. Implements
// SwapEngine.

import { createHash } from 'node:crypto'
import { AppError, errorText } from '../../../base/errors.ts'
import type { Random } from '../../../ports/random.ts'
import type { SwapChain } from '../ports/swap-chain.ts'
import type { SwapEngine, SwapHalf, SwapView, SwapRequest } from '../ports/swap-engine.ts'
import { type Asset, sameAsset } from '../../wallets/core/assets.ts'
import type { SwapAgreement } from '../wire/types.ts'
import { decodeJournal, encodeJournal, type SwapJournal } from './swap-journal.ts'
import { checkSwapLocks, locksFor, type SwapPaces } from './swap-locks.ts'
import { journalName, SwapRun, type SwapDeps } from './swap-run.ts'

/** Swaps that run at a time: each asks two servers again and again. */
const MAX_RUNNING = 64
/** Halves that wait for their agreement; one more takes the place of the oldest. */
const MAX_PREPARED = 64
/** Swaps that ended and are still shown; the oldest go first. */
const MAX_ENDED = 1_000
/** What ended is shown for so long, ms: 90 days. */
const ENDED_MS = 90 * 86_400_000

/** What the engine of swaps is made with. */
export interface SwapsDeps extends SwapDeps {
  readonly random: Random
}

/** A half, with what only its owner knows. */
interface Prepared {
  readonly request: SwapRequest
  readonly half: SwapHalf
  readonly key: Uint8Array
  /** Of an initiator; else none. */
  readonly secret: Uint8Array | null
  readonly payTo: { readonly give: string; readonly take: string }
  readonly fromHeight: { readonly give: number; readonly take: number }
}

const ID = /^[0-9a-f]{32}$/
const PREFIX = 'swap-'

/**
 * All swaps of this node: halves that wait for an agreement, swaps that run, and those that ended. start() once, before
 * anything else; stop() at the end of the process.
 */
export class Swaps implements SwapEngine {
  readonly #deps: SwapsDeps
  readonly #prepared = new Map<string, Prepared>()
  readonly #runs = new Map<string, SwapRun>()
  readonly #watchers = new Set<(swap: SwapView) => void>()
  #unwatch: () => void = () => undefined

  constructor(deps: SwapsDeps) {
    this.#deps = deps
  }

  /**
   * Reads all journals, and goes on with what has not ended. AppErrors StateUnreadable, DiskError: the folder cannot be
   * read.
   */
  async start(): Promise<void> {
    for (const name of await this.#deps.files.list(PREFIX)) await this.#load(name)
    await this.#prune()
    for (const run of this.#runs.values()) run.wake()
    // A wallet that was unlocked, or has money now, is what some of them wait for.
    this.#unwatch = this.#deps.funds.watch(() => {
      for (const run of this.#runs.values()) if (run.view.step === 'paying') run.wake()
    })
  }

  /** No step is begun any more; journals have all that the next start needs. */
  stop(): void {
    this.#unwatch()
    for (const run of this.#runs.values()) run.stop()
  }

  async prepare(request: SwapRequest): Promise<SwapHalf> {
    if (!ID.test(request.id) || this.#runs.has(request.id))
      throw new AppError('InvalidParameter', 'This swap cannot be begun.')
    if (this.#running() >= MAX_RUNNING) throw new AppError('InvalidParameter', 'Too many swaps are under way.')
    const prepared = await this.#prepare(request)
    this.#prepared.delete(request.id)
    this.#prepared.set(request.id, prepared)
    const [oldest] = this.#prepared.keys()
    if (this.#prepared.size > MAX_PREPARED && oldest !== undefined) this.#prepared.delete(oldest)
    return prepared.half
  }

  checkLocks(agreement: SwapAgreement): void {
    const paces = this.#paces(agreement.first.asset, agreement.second.asset)
    const locks = { firstLockS: agreement.first.lockS, secondLockS: agreement.second.lockS }
    checkSwapLocks(paces, locks, this.#deps.clock.wallMs() / 1_000)
  }

  async begin(agreement: SwapAgreement): Promise<void> {
    const prepared = this.#prepared.get(agreement.id)
    if (prepared === undefined) throw new AppError('InvalidParameter', 'This swap was not prepared.')
    this.#checkAgreement(agreement, prepared)
    const journal = this.#journalOf(agreement, prepared)
    // From here on it runs for ever: it cannot be begun twice, also when the disk fails and the caller tries again.
    this.#prepared.delete(agreement.id)
    try {
      await this.#deps.files.write(journalName(agreement.id), encodeJournal(journal))
    } catch (error) {
      this.#prepared.set(agreement.id, prepared)
      throw error
    }
    this.#add(journal).wake()
  }

  discard(id: string): void {
    this.#prepared.delete(id)
  }

  hint(id: string, txid: string): void {
    if (/^(0x)?[0-9a-f]{64}$/.test(txid)) this.#runs.get(id)?.hint(txid)
  }

  list(): readonly SwapView[] {
    return [...this.#runs.values()].map(run => run.view)
  }

  watch(changed: (swap: SwapView) => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  async #prepare(request: SwapRequest): Promise<Prepared> {
    const { random, funds } = this.#deps
    const give = this.#chain(request.give)
    const take = this.#chain(request.take)
    const key = random.bytes(32)
    const secret = request.role === 'initiator' ? random.bytes(32) : null
    const payTo = { give: funds.receiveAddress(request.give.coin), take: funds.receiveAddress(request.take.coin) }
    const [giveNow, takeNow] = await Promise.all([give.now(), take.now()])
    const locks = locksFor(pacesOf(request, give, take), this.#deps.clock.wallMs() / 1_000)
    const hash = secret === null ? '' : createHash('sha256').update(secret).digest('hex')
    const half = {
      ...locks,
      hash,
      claimKey: take.termsKey(key, payTo.take),
      refundKey: give.termsKey(key, payTo.give),
    }
    // The keys of the other side are not known yet; a chain may refuse the same key twice.
    const standIn = random.bytes(32)
    const others = { give: give.termsKey(standIn, payTo.give), take: take.termsKey(standIn, payTo.take) }
    checkAmounts(request, half, others, { give, take })
    return { request, half, key, secret, payTo, fromHeight: { give: giveNow.height, take: takeNow.height } }
  }

  /** What was agreed on is what was prepared, to the last field, and both chains can hold it. */
  #checkAgreement(agreement: SwapAgreement, { request, half, secret }: Prepared): void {
    const { first, second } = agreement
    const [give, take] = request.role === 'initiator' ? [first, second] : [second, first]
    const ours =
      sameAsset(give.asset, request.give) &&
      sameAsset(take.asset, request.take) &&
      give.amount === request.giveAmount &&
      take.amount === request.takeAmount &&
      give.refundKey === half.refundKey &&
      take.claimKey === half.claimKey &&
      first.hash === second.hash
    const locks =
      secret === null ||
      (first.hash === half.hash && first.lockS === half.firstLockS && second.lockS === half.secondLockS)
    if (!ours || !locks) throw new AppError('InvalidParameter', 'The agreement is not what was prepared.')
    this.#chain(give.asset).checkTerms(give)
    this.#chain(take.asset).checkTerms(take)
    this.checkLocks(agreement)
  }

  #journalOf(agreement: SwapAgreement, prepared: Prepared): SwapJournal {
    const { seal, clock } = this.#deps
    const { request, key, secret, payTo, fromHeight } = prepared
    return {
      version: 1,
      agreement,
      role: request.role,
      reservation: request.reservation,
      payTo,
      fromHeight,
      key: seal.seal(key),
      secret: secret === null ? '' : seal.seal(secret),
      beganMs: clock.wallMs(),
      deposits: { give: null, take: null },
      transactions: [],
      theirs: [],
      given: false,
      taken: false,
      outcome: null,
      endedMs: 0,
      closed: false,
    }
  }

  async #load(name: string): Promise<void> {
    try {
      const text = await this.#deps.files.read(name)
      if (text !== null) this.#add(decodeJournal(text))
    } catch (error) {
      // Its file stays for a program that can read it: there may be money in it.
      this.#deps.log.error('a swap cannot be read', { name, error: errorText(error) })
    }
  }

  #add(journal: SwapJournal): SwapRun {
    const run = new SwapRun(journal, this.#deps, view => this.#tell(view))
    this.#runs.set(journal.agreement.id, run)
    return run
  }

  #tell(view: SwapView): void {
    for (const changed of [...this.#watchers]) changed(view)
    if (this.#runs.get(view.agreement.id)?.journal.closed === true) this.#prune().catch(() => undefined)
  }

  /** Forgets what ended long ago, and the oldest of too many. */
  async #prune(): Promise<void> {
    const ended = [...this.#runs.values()].filter(run => run.journal.closed)
    ended.sort((a, b) => b.journal.endedMs - a.journal.endedMs)
    const sinceMs = this.#deps.clock.wallMs() - ENDED_MS
    const gone = ended.filter((run, place) => place >= MAX_ENDED || run.journal.endedMs < sinceMs)
    for (const { journal } of gone) {
      this.#runs.delete(journal.agreement.id)
      await this.#deps.files.remove(journalName(journal.agreement.id))
    }
  }

  #running(): number {
    let count = 0
    for (const run of this.#runs.values()) if (!run.journal.closed) count++
    return count
  }

  #paces(first: Asset, second: Asset): SwapPaces {
    return { first: this.#chain(first).pace, second: this.#chain(second).pace }
  }

  #chain(asset: Asset): SwapChain {
    const chain = this.#deps.chain(asset)
    if (chain === null) throw new AppError('InvalidParameter', `There is no server for the chain of ${asset.coin}.`)
    return chain
  }
}

function pacesOf(request: SwapRequest, give: SwapChain, take: SwapChain): SwapPaces {
  const [first, second] = request.role === 'initiator' ? [give, take] : [take, give]
  return { first: first.pace, second: second.pace }
}

/** Whether both chains can hold such amounts; `others`: the keys of the other side. AppError InvalidParameter. */
function checkAmounts(
  request: SwapRequest,
  half: SwapHalf,
  others: { readonly give: string; readonly take: string },
  { give, take }: { readonly give: SwapChain; readonly take: SwapChain },
): void {
  const hash = half.hash === '' ? '00'.repeat(32) : half.hash
  const [giveLockS, takeLockS] =
    request.role === 'initiator' ? [half.firstLockS, half.secondLockS] : [half.secondLockS, half.firstLockS]
  const given = { asset: request.give, hash, amount: request.giveAmount, lockS: giveLockS }
  give.checkTerms({ ...given, claimKey: others.give, refundKey: half.refundKey })
  const taken = { asset: request.take, hash, amount: request.takeAmount, lockS: takeLockS }
  take.checkTerms({ ...taken, claimKey: half.claimKey, refundKey: others.take })
}
