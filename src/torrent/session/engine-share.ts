// What sessions of one process share when the node has more than one: a session of its own keeps torrents away from the
// network of the others, and still all of them have one memory, one queue and one limit on rates. Types only.

import type { BlockBudget } from '../pieces/block-budget.ts'
import type { Permits } from './permits.ts'
import type { RateLimiter } from '../../base/rate-limiter.ts'
import type { StreamTurns } from './stream-turns.ts'
import type { SlotHolders } from '../pieces/slot-holders.ts'
import type { TorrentQueue } from './torrent-queue.ts'
import type { UploadSlots } from '../peers/upload-slots.ts'

/**
 * Made by the first session, lent to others, which must stop no later than it. Its limits are the first one's to set.
 */
export interface EngineShare {
  readonly budget: BlockBudget
  readonly holders: SlotHolders
  readonly uploadSlots: UploadSlots
  readonly downLimiter: RateLimiter
  readonly upLimiter: RateLimiter
  readonly queue: TorrentQueue
  readonly checks: Permits
  readonly turns: StreamTurns
}
