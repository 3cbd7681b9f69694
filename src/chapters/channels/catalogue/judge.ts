// Which records of a channel count (rights.ts, fold.ts): held ones, and of the others those that the rules allow; of
// several with one author and clock only one. Judges again what a change may have touched.

import { type ChannelRules, mayWrite, type TargetOf } from '../wire/rights.ts'
import { rulesOf } from '../wire/fold.ts'
import { recordIdBytes } from '../wire/ids.ts'
import type { ChannelId, ChannelRecord } from '../wire/types.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { EXTRA, HELD, PREVIEW, type RecordRows, type StoredRecord, WANTED } from './record-rows.ts'

/** All loose records of a channel are judged again when its rules change: their number is bounded (limits.ts). */
const ALL = 1_000_000
/** Channels whose rules are kept. */
const MAX_KEPT_RULES = 100

/** The channel whose records are judged. */
export interface Court {
  readonly id: number
  readonly cid: ChannelId
}

/** What a change came to. */
export interface Judgement {
  /** All that began or ceased to count, or changed while they did. */
  readonly touched: readonly ChannelRecord[]
  /** The newest time of those that began to count; 0: none did. */
  readonly begunS: number
  /** The newest time of those that may count no more; 0: none. */
  readonly ceasedS: number
}

function newest(some: readonly StoredRecord[]): number {
  return some.reduce((time, { record }) => Math.max(time, record.timeS), 0)
}

/** Judge over `records`. */
export class Judge {
  readonly #rows: RecordRows
  readonly #kept = new Map<number, { readonly changes: number; readonly rules: ChannelRules }>()

  readonly #ownersWords: CatalogueContext['ownersWords']

  constructor(rows: RecordRows, { ownersWords }: Pick<CatalogueContext, 'ownersWords'>) {
    this.#rows = rows
    this.#ownersWords = ownersWords
  }

  /**
   * The rules of a channel now; kept until its owner's records change, since a hostile owner may have written a great
   * many.
   */
  rules(court: Court): ChannelRules {
    const { changes } = this.#ownersWords
    const kept = this.#kept.get(court.id)
    if (kept?.changes === changes) return kept.rules
    const rules = this.#made(court)
    if (this.#kept.size >= MAX_KEPT_RULES) this.#kept.clear()
    this.#kept.set(court.id, { changes, rules })
    return rules
  }

  #made({ id, cid }: Court): ChannelRules {
    const words = [...this.#rows.ofKind(id, 'channel'), ...this.#rows.ofKind(id, 'grant')]
    const standing = words.filter(word => word.role !== WANTED && this.#winsSlot(id, word))
    return rulesOf(
      cid,
      standing.map(({ record }) => record),
    )
  }

  /** Whether the record would count as an extra, were it here. */
  allows(court: Court, record: ChannelRecord, rules: ChannelRules): boolean {
    const twins = this.#rows.inSlot(court.id, record).filter(twin => twin.role !== WANTED)
    const hash = recordIdBytes(record.id)
    if (twins.some(twin => twin.role === HELD || Buffer.compare(twin.hash, hash) < 0)) return false
    return mayWrite(record, rules, this.#targetOf(court.id))
  }

  /** Judges `changed` (which came, went, or changed their role) and what depends on them. */
  judge(court: Court, changed: readonly StoredRecord[]): Judgement {
    const touched = new Map<string, ChannelRecord>()
    const toJudge = this.#dependents(court.id, changed)
    const rules = this.rules(court)
    const before = changed.filter(({ counted }) => counted === 1)
    let [begunS, ceasedS] = [0, newest(before)]
    for (const { record } of before) touched.set(record.id, record)
    for (const stored of toJudge.values()) {
      const counted = stored.role !== WANTED && this.#counts(court.id, stored, rules) ? 1 : 0
      if (counted === stored.counted) continue
      this.#rows.setCounted(stored.row, counted)
      // One that was never judged may be shown from the time when it had another role.
      touched.set(stored.record.id, stored.record)
      if (counted === 1) begunS = Math.max(begunS, stored.record.timeS)
      else if (stored.counted === 1) ceasedS = Math.max(ceasedS, stored.record.timeS)
    }
    return { touched: [...touched.values()], begunS, ceasedS }
  }

  /**
   * Those of `changed`, their twins, and the records that are judged by them. A record that goes is still here, in the
   * role WANTED.
   */
  #dependents(channel: number, changed: readonly StoredRecord[]): Map<number, StoredRecord> {
    const found = new Map<number, StoredRecord>()
    const add = (stored: StoredRecord): unknown => found.set(stored.row, stored)
    let rules = false
    for (const stored of changed) {
      const { record } = stored
      for (const { row } of this.#rows.inSlot(channel, record)) {
        const twin = row === stored.row ? this.#asStored(stored) : this.#rows.byRow(row)
        if (twin === undefined) continue
        add(twin)
        const { kind } = twin.record.content
        rules ||= kind === 'channel' || kind === 'grant'
        this.#rows.looseAbout(channel, recordIdBytes(twin.record.id)).forEach(add)
      }
    }
    if (!rules) return found
    for (const role of [EXTRA, PREVIEW]) this.#rows.inRole(channel, role, ALL).forEach(add)
    return found
  }

  /** As the table has it: what changed is shown as it was before. */
  #asStored(changed: StoredRecord): StoredRecord {
    return { ...changed, counted: this.#rows.countedOf(changed.row) }
  }

  #counts(channel: number, stored: StoredRecord, rules: ChannelRules): boolean {
    if (!this.#winsSlot(channel, stored)) return false
    return stored.role === HELD || mayWrite(stored.record, rules, this.#targetOf(channel))
  }

  /** Of one author and clock: held before the others, then the smallest id. */
  #winsSlot(channel: number, { record, role }: StoredRecord): boolean {
    const twins = this.#rows.inSlot(channel, record)
    if (twins.length <= 1) return true
    const hash = recordIdBytes(record.id)
    return twins.every(twin => {
      if (twin.role === WANTED) return true
      if ((twin.role === HELD) !== (role === HELD)) return role === HELD
      return Buffer.compare(hash, twin.hash) <= 0
    })
  }

  #targetOf(channel: number): TargetOf {
    return id => {
      const found = this.#rows.find(channel, id)
      if (found === undefined || found.role === WANTED || !this.#winsSlot(channel, found)) return null
      return { kind: found.record.content.kind, author: found.record.author }
    }
  }
}
