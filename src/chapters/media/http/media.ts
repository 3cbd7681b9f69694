// The route of facts of films (extra; decision 0533).

import { Type } from '@sinclair/typebox'
import { routeWith } from '../../../http/route.ts'
import { infohashOf, SAMPLE_INFOHASH } from '../../../http/routes/infohash.ts'
import type { MediaRouteServices } from '../service/media-api.ts'
import { MediaReply } from './media-schemas.ts'
import { shownMedia } from './shown-media.ts'

const route = routeWith<MediaRouteServices>()

const DEFAULT_WAIT_S = 20
const MAX_WAIT_S = 120

const facts = route({
  id: 'downloads.media',
  method: 'GET',
  path: '/downloads/{infohash}/media/{fileindex}',
  kind: 'json',
  scope: 'stream',
  tag: 'downloads',
  summary: 'Facts of a film or of sound: duration, tracks, chapters, key frames, and from when on it plays',
  description:
    'Of MP4, Matroska, WebM, MPEG-TS, FLAC, MP3, Ogg, ADTS and WAVE; AVI is told as what it is. Read from a small part of the file and then kept.',
  choices: [
    'Extra. What is missing of that part is asked of the swarm while the request waits, up to `wait` seconds; then what is known is answered, with `wanted` and `missing`. Ask again to go on.',
    '`seek`: `keys` by the table, `bytes` by the share of the file, `not-yet` as there is no index, `no` of AVI.',
    'Other addresses and files that a film or playlist names are not followed.',
    '`forecast`: from when on it plays from second `from` to its end without a stall, if pieces come in its order, as they do where somebody plays it, and at the rate of now. `never`: as it is now it will not; `helps` says what would.',
  ],
  parameters: Type.Object({
    wait: Type.Optional(
      Type.Number({ minimum: 0, maximum: MAX_WAIT_S, description: `seconds; ${DEFAULT_WAIT_S} unless said` }),
    ),
    keyframes: Type.Optional(Type.Boolean({ description: 'false: without their times and bytes' })),
    from: Type.Optional(Type.Number({ minimum: 0, description: 'second that `forecast` begins at; 0 unless said' })),
  }),
  reply: MediaReply,
  errors: [
    'InvalidParameter',
    'DownloadNotFound',
    'FileNotFound',
    'MetadataTimeout',
    'MediaUnreadable',
    'TooManyRequests',
    'DiskError',
    'FileChanged',
    'WorkerLost',
    'VolumeStalled',
    'PoolBusy',
    'NotReady',
    'Aborted',
  ],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/media/0`, status: 200 },
  async run({ services }, input) {
    const { path, parameters } = input
    const waitMs = (parameters.wait ?? DEFAULT_WAIT_S) * 1000
    const [infohash, fileIndex] = [infohashOf(path), path['fileindex'] ?? '']
    const answer = await services.media.facts(infohash, fileIndex, waitMs, input)
    const from = parameters.from ?? 0
    const forecast = await services.media.forecast(infohash, fileIndex, from, answer.facts)
    return { media: shownMedia(answer, parameters.keyframes ?? true, forecast, from) }
  },
})

/** Every route of this file. */
export const mediaRoutes = [facts] as const
