// Which limits of speed hold now: the usual ones, or those of slow mode.

import type { Settings } from './settings-schema.ts'

/** Bytes/s of all downloads together; 0 = no limit. */
export interface RatesInForce {
  readonly down: number
  readonly up: number
}

/** The limits in force by these settings. */
export function ratesInForce({
  libtorrent,
  slow_mode: slow,
}: Pick<Settings, 'libtorrent' | 'slow_mode'>): RatesInForce {
  const { max_download_rate: down, max_upload_rate: up } = slow.enabled ? slow : libtorrent
  return { down, up }
}
