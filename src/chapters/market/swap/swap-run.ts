// One swap on its way: looks at the chains, asks the table for the next step, does it, and looks again. Errors of
// servers, wallets and disks are waited out, longer each time; nothing ends a run but its last step, or the end of the
// process.

import { AppError, errorText } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { MarketFiles, SecretSeal } from '../ports/market-files.ts'
import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { SwapChain } from '../ports/swap-chain.ts'
import type { SwapView } from '../ports/swap-engine.ts'
import type { Asset } from '../../wallets/core/assets.ts'
import { readSide, type SideFacts, type SwapFacts } from './swap-facts.ts'
import { assetOf, encodeJournal, type SwapJournal, type SwapSide } from './swap-journal.ts'
import type { SwapPaces } from './swap-locks.ts'
import { noted } from './swap-notes.ts'
import { nextStep, type SwapStep } from './swap-steps.ts'
import { viewOf } from './swap-view.ts'
import * as work from './swap-work.ts'

/** Looks at the chains: so many in the time of a block, but at least and at most so often, ms. */
const POLLS_PER_BLOCK = 4
/** The shortest wait between two looks at the chains, ms. */
const LEAST_POLL_MS = 500
/** The longest wait between two looks at the chains, ms. */
const MOST_POLL_MS = 60_000
/** Failures double the wait, so many times, up to this, ms. */
const MAX_DOUBLINGS = 6
/** The longest wait after failures, ms. */
const MOST_RETRY_MS = 300_000
/** Steps without a wait between them; more is a fault, and waits. */
const MAX_STEPS_AT_ONCE = 64

/** What swaps run with. */
export interface SwapDeps {
  readonly clock: Clock
  readonly files: MarketFiles
  readonly seal: SecretSeal
  readonly funds: MarketFunds
  readonly log: Log
  /** Null: there is no such chain now; it is asked for again. */
  chain(asset: Asset): SwapChain | null
}

/** Name of a journal among the files of the market. */
export const journalName = (id: string): string => `swap-${id}`

/** One swap on its way: looks at the chains, asks the table for the next step, does it, and looks again. */
export class SwapRun {
  #journal: SwapJournal
  readonly #deps: SwapDeps
  readonly #changed: (view: SwapView) => void
  #view: SwapView
  #shown = ''
  #timer: Timer | null = null
  #turning = false
  #again = false
  #stopped = false
  #failures = 0
  #hint: string | null = null
  #dearest = Number.POSITIVE_INFINITY
  readonly #refused = new Set<string>()

  /** `changed`: it has come further. */
  constructor(journal: SwapJournal, deps: SwapDeps, changed: (view: SwapView) => void) {
    this.#journal = journal
    this.#deps = deps
    this.#changed = changed
    this.#view = viewOf(journal, journal.closed ? 'closed' : 'starting', '')
  }

  get view(): SwapView {
    return this.#view
  }

  get journal(): SwapJournal {
    return this.#journal
  }

  /** Looks at once; also when something may have happened. Harmless at any time. */
  wake(): void {
    if (this.#stopped || this.#journal.closed) return
    this.#again = this.#turning
    if (this.#turning) return
    this.#timer?.cancel()
    this.#turning = true
    this.#turn().then(
      waitMs => this.#rest(waitMs),
      error => {
        this.#deps.log.error('a swap has a fault', { swap: this.#journal.agreement.id, error: errorText(error) })
        this.#rest(MOST_RETRY_MS)
      },
    )
  }

  /** The other side says that it has funded by this transaction. */
  hint(txid: string): void {
    this.#hint = txid
    this.wake()
  }

  /** No step more is begun. */
  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  #rest(waitMs: number): void {
    this.#turning = false
    if (this.#stopped || this.#journal.closed) return
    if (this.#again) this.wake()
    else this.#timer = this.#deps.clock.after(waitMs, () => this.wake())
  }

  /** Steps until one waits; answers for how long, ms. */
  async #turn(): Promise<number> {
    this.#again = false
    this.#dearest = Number.POSITIVE_INFINITY
    for (let count = 0; count < MAX_STEPS_AT_ONCE && !this.#stopped; count++) {
      const tools = this.#tools()
      if (tools === null) return this.#show('waiting', 'No server is set for a coin of this swap.', MOST_POLL_MS)
      const facts = await this.#facts(tools)
      await this.#note(tools, facts)
      const step = nextStep(this.#journal, facts, this.#paces(tools), {
        dearest: this.#dearest,
        refused: this.#refused,
      })
      if (this.#stopped) return 0
      if (step.do === 'wait') return this.#show(step.step, step.for, this.#waitMs(tools, facts))
      const problem = await this.#tried(tools, facts, step)
      if (problem !== null && this.#isStuck(step, problem)) continue
      if (problem !== null) return this.#show(step.step, problem.message, this.#retryMs(tools))
      this.#failures = 0
      this.#show(step.step, step.do === 'send' ? 'What was sent waits for a block.' : '', 0)
      if (this.#journal.closed) return this.#show('closed', '', 0)
      if (step.do === 'send') return this.#pollMs(tools)
    }
    return MOST_POLL_MS
  }

  /** Does a step; null: it is done. */
  async #tried(tools: work.SwapTools, facts: SwapFacts, step: SwapStep): Promise<Error | null> {
    try {
      this.#journal = await this.#done(tools, facts, step)
      if (step.do === 'claim' || step.do === 'refund' || step.do === 'sweep') this.#refused.clear()
      return null
    } catch (error) {
      if (!(error instanceof AppError)) this.#warn(step, error)
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  #done(tools: work.SwapTools, facts: SwapFacts, step: SwapStep): Promise<SwapJournal> {
    const journal = this.#journal
    const side = (which: SwapSide): SideFacts => facts[which] as SideFacts
    switch (step.do) {
      case 'pay':
        return work.payDeposit(tools, journal, step.side)
      case 'fund':
        return work.makeFunding(tools, journal, side('give'))
      case 'claim':
        return work.makeClaim(tools, journal, side('take'), step.urgency, step.step === 'claiming')
      case 'refund':
        return work.makeRefund(tools, journal, side('give'), step.urgency)
      case 'sweep':
        return work.makeSweep(tools, journal, step.side, side(step.side))
      case 'learn':
        return work.learnSecret(tools, journal, step.secret)
      case 'send':
        return work.sendKept(tools, journal, step)
      case 'end':
        return work.endSwap(tools, journal, step.outcome)
      case 'close':
        return work.closeSwap(tools, journal)
      case 'wait':
        return Promise.resolve(journal)
    }
  }

  /**
   * What cannot be signed at a fee is signed at a lower one at once; what the chain did not take is made again at the
   * next look.
   */
  #isStuck(step: SwapStep, error: Error): boolean {
    if ((step.do === 'claim' || step.do === 'refund') && step.urgency > 0 && this.#dearest > step.urgency) {
      this.#dearest = step.urgency
      return true
    }
    const [first] = step.do === 'send' ? step.what : []
    if (first === undefined || first.kind === 'fund') return false
    if (!(error instanceof AppError) || error.code !== 'TransferRefused') return false
    this.#refused.add(first.txid)
    return false
  }

  async #facts(tools: work.SwapTools): Promise<SwapFacts> {
    const nowMs = this.#deps.clock.wallMs()
    const read = async (side: SwapSide): Promise<SideFacts | null> => {
      const source = { chain: tools.chains[side], key: tools.key, hint: this.#hint, nowMs }
      try {
        return await readSide(this.#journal, side, source)
      } catch (error) {
        if (!(error instanceof AppError)) this.#warn({ do: 'wait', step: side, for: '' }, error)
        return null
      }
    }
    const [give, take] = await Promise.all([read('give'), read('take')])
    return { nowS: nowMs / 1_000, give, take }
  }

  async #note(tools: work.SwapTools, facts: SwapFacts): Promise<void> {
    const confirmations = {
      give: tools.chains.give.pace.confirmations,
      take: tools.chains.take.pace.confirmations,
    }
    const next = noted(this.#journal, facts, confirmations, this.#deps.clock.wallMs())
    if (next === this.#journal) return
    await tools.write(next, false)
    this.#journal = next
  }

  #tools(): work.SwapTools | null {
    const { clock, seal, funds } = this.#deps
    const give = this.#deps.chain(assetOf(this.#journal, 'give'))
    const take = this.#deps.chain(assetOf(this.#journal, 'take'))
    if (give === null || take === null) return null
    const key = seal.open(this.#journal.key)
    return { clock, seal, funds, key, chains: { give, take }, write: (journal, must) => this.#write(journal, must) }
  }

  /** What needs not be durable, because the chains show it again, is tried all the same. */
  async #write(journal: SwapJournal, must: boolean): Promise<void> {
    try {
      await this.#deps.files.write(journalName(journal.agreement.id), encodeJournal(journal))
    } catch (error) {
      if (must) throw error
      this.#deps.log.warn('a step of a swap could not be kept', { swap: journal.agreement.id, error: errorText(error) })
    }
  }

  #paces({ chains }: work.SwapTools): SwapPaces {
    const { give, take } = chains
    const [first, second] = this.#journal.role === 'initiator' ? [give, take] : [take, give]
    return { first: first.pace, second: second.pace }
  }

  #waitMs(tools: work.SwapTools, facts: SwapFacts): number {
    if (facts.give === null || facts.take === null) return this.#retryMs(tools)
    this.#failures = 0
    return this.#pollMs(tools)
  }

  #pollMs({ chains }: work.SwapTools): number {
    const blockMs = Math.min(chains.give.pace.blockS, chains.take.pace.blockS) * 1_000
    return Math.min(MOST_POLL_MS, Math.max(LEAST_POLL_MS, Math.floor(blockMs / POLLS_PER_BLOCK)))
  }

  #retryMs(tools: work.SwapTools): number {
    const doublings = Math.min(this.#failures++, MAX_DOUBLINGS)
    return Math.min(MOST_RETRY_MS, this.#pollMs(tools) * 2 ** doublings)
  }

  #show(step: string, waitsFor: string, waitMs: number): number {
    this.#view = viewOf(this.#journal, step, waitsFor)
    const shown = JSON.stringify(this.#view, (_name, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
    if (shown !== this.#shown) {
      this.#shown = shown
      this.#changed(this.#view)
    }
    return waitMs
  }

  #warn(step: SwapStep, error: unknown): void {
    const { id } = this.#journal.agreement
    this.#deps.log.error('a step of a swap has a fault', { swap: id, step: step.step, error: errorText(error) })
  }
}
