// Slow mode as the interface shows and changes it (extra, decision 0557).

import type { Caller } from '../callers-api.ts'

/** Slow mode: limits of its own that replace the usual ones while it is on. Rates are bytes/s; 0 = no limit. */
export interface SlowModeRecord {
  enabled: boolean
  max_download_rate: number
  max_upload_rate: number
}

/** What may be changed of it; absent = as it is. */
export type SlowModeChange = Partial<SlowModeRecord>

/** GET and PATCH /slowmode. */
export interface SlowModeService {
  read(): SlowModeRecord
  /**
   * In force for running transfers, and durable, when settled. AppErrors InvalidSetting; StateConflict when a flag or
   * the environment holds what would change.
   */
  change(change: SlowModeChange, caller: Caller): Promise<SlowModeRecord>
}
