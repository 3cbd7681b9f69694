// The part of a double of a torrent that players ask.

import type { Forecast } from '../../../src/torrent/streams/forecast.ts'
import type { AwakeTorrent } from '../../../src/torrent/types.ts'

/** Nothing is at hand, and everything plays. */
export class ForecastDouble {
  /** Its place in the queue. */
  queueOrder: number | null = null

  setQueueOrder(order: number): void {
    this.queueOrder = order
  }

  /** What forecasts were asked with. */
  readonly asked: unknown[][] = []

  readNow(): number {
    return 0
  }

  forecast(...asked: Parameters<AwakeTorrent['forecast']>): Forecast {
    this.asked.push(asked)
    return {
      state: 'plays',
      startInSec: 0,
      startAloneSec: null,
      stopsAtSec: null,
      missingBytes: 0,
      rate: 0,
      sources: 0,
      helps: [],
    }
  }
}
