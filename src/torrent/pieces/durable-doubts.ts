// Files in doubt become durable as soon as they are found, whether the torrent works or not: after kill -9 a file that
// was replaced by one of its length and time looks as it was left. Those found together are one row.

import type { InfoHash } from '../../base/ids.ts'
import type { ProgressJournal } from '../../ports/progress-journal.ts'
import type { PartReports } from '../part-reports.ts'

/** What durable doubts are made of. */
export interface DurableDoubtsDeps {
  readonly infoHash: InfoHash
  readonly journal: Pick<ProgressJournal, 'doubt'>
  /** Hears that the records did not take it. */
  readonly reports: Pick<PartReports, 'storeFailed'>
}

/** The doubts of one torrent on their way to the records. */
export class DurableDoubts {
  readonly #deps: DurableDoubtsDeps
  #files = new Set<number>()
  #underWay = false

  constructor(deps: DurableDoubtsDeps) {
    this.#deps = deps
  }

  /** A file is in doubt: its next start hashes it, also one after a kill, until a checkpoint says otherwise. */
  note(file: number): void {
    this.#files.add(file)
    if (!this.#underWay) void this.#write()
  }

  async #write(): Promise<void> {
    const { infoHash, journal, reports } = this.#deps
    this.#underWay = true
    try {
      while (this.#files.size > 0) {
        const files = [...this.#files]
        this.#files = new Set()
        await journal.doubt(infoHash, files)
      }
    } catch (error) {
      reports.storeFailed(error)
    } finally {
      this.#underWay = false
    }
  }
}
