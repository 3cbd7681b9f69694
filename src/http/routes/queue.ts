// The order of the queue (extra, decision 0558).

import { AppError } from '../../base/errors.ts'
import type { QueueMove } from '../../services/downloads/queue/queue-api.ts'
import type { Static } from '@sinclair/typebox'
import { route } from '../route.ts'
import { QueueParameters, QueueReply } from '../schemas/queue.ts'
import { SAMPLE_INFOHASH } from './infohash.ts'

const moveInQueue = route({
  id: 'queue.move',
  method: 'PATCH',
  path: '/queue',
  kind: 'json',
  scope: 'add',
  tag: 'downloads',
  summary: 'Moves downloads in the queue',
  choices: [
    'The whole route is extra. Exactly one of `move`, `position` and `before` is needed. Those that are moved keep their order among ' +
      'each other; info hashes that name no download are passed over, 404 when none does, or `before` does not.',
    'The order is that in which downloads run where `libtorrent.active_downloads` lets some wait, and it counts at once: one that runs ' +
      'makes room for one that waits and goes before it now. Every download has a place, a new one behind all others. Seeds take ' +
      'turns, whatever their place is.',
    'The order is kept over restarts. A record has `queue_order`, which the list can be sorted by, and where it is asked for alone or ' +
      'in a page also `queue_position`.',
  ],
  parameters: QueueParameters,
  reply: QueueReply,
  errors: ['MissingParameter', 'InvalidParameter', 'DownloadNotFound', 'NotReady'],
  sample: { path: '/queue', body: { infohashes: [SAMPLE_INFOHASH], move: 'top' }, status: 200 },
  run: async ({ services }, { parameters }) =>
    services.downloads.moveInQueue(
      parameters.infohashes.map(infohash => infohash.toLowerCase()),
      moveOf(parameters),
    ),
})

function moveOf({ move, position, before }: Static<typeof QueueParameters>): QueueMove {
  const given = [move, position, before].filter(value => value !== undefined)
  if (given.length === 0) throw new AppError('MissingParameter', 'One of move, position and before is needed.')
  if (given.length > 1) throw new AppError('InvalidParameter', 'Only one of move, position and before may be given.')
  if (move !== undefined) return { step: move }
  return position === undefined ? { before: before ?? '' } : { position }
}

/** Every route of this file. */
export const queueRoutes = [moveInQueue] as const
