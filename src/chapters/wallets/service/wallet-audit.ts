// The log of all that concerns money: lines that are only added, each with the hash of the one before, so that a line
// that was changed or taken out is found. It names no secret.

import { createHash } from 'node:crypto'
import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { WalletFiles } from '../ports/wallet-files.ts'
import type { AuditRecord } from './wallets-api.ts'

const FILE = 'audit.log'
const FIRST = '0'.repeat(64)

/** What a line says beside its time. */
export type AuditEntry = Omit<AuditRecord, 'time' | 'previous'>

/**
 * The log of all that concerns money: lines that are only added, each with the hash of the one before, so that a line
 * that was changed or taken out is found.
 */
export class WalletAudit {
  readonly #files: WalletFiles
  readonly #clock: Clock
  readonly #log: Log
  #previous: string | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(files: WalletFiles, clock: Clock, log: Log) {
    this.#files = files
    this.#clock = clock
    this.#log = log
  }

  /** Does it and notes how it ended; rejects as it does. */
  async around<T>(facts: Parameters<WalletAudit['note']>[0], work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      await this.note({ ...facts, ...namedIn(result) })
      return result
    } catch (error) {
      await this.tryNote({ ...facts, outcome: error instanceof AppError ? error.code : 'failed' })
      throw error
    }
  }

  /** A line that hinders nothing when it cannot be kept. */
  async tryNote(entry: Parameters<WalletAudit['note']>[0]): Promise<void> {
    await this.note(entry).catch((error: unknown) => this.#log.error('the audit log cannot be written', { error }))
  }

  /** Durable when settled. AppErrors DiskFull, DiskError. */
  note(entry: Partial<AuditEntry> & Pick<AuditEntry, 'action'>): Promise<void> {
    const added = this.#last.then(() => this.#add(entry))
    this.#last = added.catch(() => undefined)
    return added
  }

  /** The last lines, the oldest first. */
  async read(limit: number): Promise<AuditRecord[]> {
    await this.#last
    return (await this.#files.tail(FILE, limit)).flatMap(readLine)
  }

  async #add({
    action,
    wallet = '',
    outcome = 'done',
    amount = '',
    destination = '',
    txid = '',
  }: Parameters<WalletAudit['note']>[0]): Promise<void> {
    this.#previous ??= hashOf((await this.#files.tail(FILE, 1))[0])
    const time = Math.floor(this.#clock.wallMs() / 1000)
    const record: AuditRecord = { time, action, wallet, outcome, amount, destination, txid, previous: this.#previous }
    const line = JSON.stringify(record)
    await this.#files.append(FILE, line)
    this.#previous = hashOf(line)
  }
}

/** What a lost machine left of a line is passed over; the next one has its hash. */
function readLine(line: string): AuditRecord[] {
  try {
    return [JSON.parse(line) as AuditRecord]
  } catch {
    return []
  }
}

function namedIn(result: unknown): { txid?: string } {
  const { txid } = (result ?? {}) as { txid?: unknown }
  return typeof txid === 'string' ? { txid } : {}
}

function hashOf(line: string | undefined): string {
  return line === undefined ? FIRST : createHash('sha256').update(line).digest('hex')
}
