// Which downloads were being loaded when the process ended: loading one of them may be what ended it.

import type { InfoHash } from '../base/ids.ts'

/**
 * How often in a row the process ended while a download was being loaded. It outlives the process, not every power cut.
 */
export interface LoadingMarks {
  /** What was written last; empty when it cannot be read. */
  read(): Promise<Map<InfoHash, number>>
  /** Replaces all. Rejects with what the disk said. */
  write(marks: ReadonlyMap<InfoHash, number>): Promise<void>
}
