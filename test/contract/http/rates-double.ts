// A double of the service of rates as they were: a short series, every call noted.

import type { RatesService } from '../../../src/services/rates/rates-api.ts'
import { HASH } from './sample-records.ts'

/** What the double of all services has for rates. */
export function ratesDouble(note: (...call: unknown[]) => void): RatesService {
  return {
    of: async (infohash, range) => {
      note('ratesOf', infohash, range)
      return { infohash: HASH, range, start: 1_700_000_000, step: 600, speed_down: [0, 5000], speed_up: [1, 0] }
    },
  }
}
