// The log of all that concerns money: lines that are only added, each with the hash of the one before, so that a line that was changed or taken out
// is found. It names no secret.

import { createHash } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'
import type { WalletFiles } from '../ports/wallet-files.ts'
import type { AuditRecord } from './wallets-api.ts'

const FILE = 'audit.log'
const FIRST = '0'.repeat(64)

/** What a line says beside its time. */
export type AuditEntry = Omit<AuditRecord, 'time' | 'previous'>

/** See the top of the file. */
export class WalletAudit {
  readonly #files: WalletFiles
  readonly #clock: Clock
  #previous: string | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(files: WalletFiles, clock: Clock) {
    this.#files = files
    this.#clock = clock
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
    return (await this.#files.tail(FILE, limit)).map(line => JSON.parse(line) as AuditRecord)
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

function hashOf(line: string | undefined): string {
  return line === undefined ? FIRST : createHash('sha256').update(line).digest('hex')
}
