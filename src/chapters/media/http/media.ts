// The routes of films: their facts (extra; decision 0533), and the texts inside of them (extra; decision 0550).

import { Type } from '@sinclair/typebox'
import { AppError } from '../../../base/errors.ts'
import { type BytesReply, routeWith } from '../../../http/route.ts'
import { infohashOf, SAMPLE_INFOHASH } from '../../../http/routes/infohash.ts'
import { webVttOf } from '../../../wire/subtitles/cue.ts'
import { coveredNote } from '../../../wire/subtitles/spans.ts'
import type { MediaRouteServices } from '../service/media-api.ts'
import { MediaReply } from './media-schemas.ts'
import { shownMedia } from './shown-media.ts'

/** What reading a film may come to. */
const READING_ERRORS = [
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
] as const

const route = routeWith<MediaRouteServices>()

const DEFAULT_WAIT_S = 20
const MAX_WAIT_S = 120
/** Of texts, s: what is asked for at a time. */
const DEFAULT_PART_S = 240
const MAX_PART_S = 3600
/** No film plays longer. */
const MAX_PLACE_S = 10_000_000

const facts = route({
  id: 'downloads.media',
  method: 'GET',
  path: '/downloads/{infohash}/media/{fileindex}',
  kind: 'json',
  bound: ['media'],
  scope: 'stream',
  tag: 'downloads',
  summary: 'Facts of a film or of sound: duration, tracks, chapters, key frames, and from when on it plays',
  description:
    'Of MP4, Matroska, WebM, MPEG-TS, AVI, FLAC, MP3, Ogg, ADTS and WAVE. Read from a small part of the file and then kept.',
  choices: [
    'Extra. What is missing of that part is asked of the swarm while the request waits, up to `wait` seconds; then what is known is answered, with `wanted` and `missing`. Ask again to go on.',
    '`seek`: `keys` by the table, `bytes` by the share of the file, `not-yet` as there is no index, `no` of AVI without an index.',
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
  errors: READING_ERRORS,
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

const subtitles = route({
  id: 'downloads.subtitles',
  method: 'GET',
  path: '/downloads/{infohash}/media/{fileindex}/subtitles/{track}',
  kind: 'bytes',
  bound: ['media'],
  scope: 'stream',
  signedLinks: true,
  tag: 'downloads',
  summary: 'Subtitles inside of a film, a part of its time: WebVTT',
  description:
    'Of Matroska and WebM (SubRip, ASS, SSA, WebVTT) and of MP4 (timed texts, WebVTT; in fragments too). `{track}`: the number that the facts of the film tell.',
  choices: [
    'Extra. What is there of the film is read and nothing asked of the swarm. The note at the start, `NOTE covered 0.000-57.200 61.000-240.000`, names the parts of which all texts are in the answer: ask again for the rest, when it has come in or when a part was too long for one answer.',
    'Only text: tags, styles, drawings and places are left out. Times are those of the film.',
    'Opened by the signed link of the file too (the token of `stream_url`); pages of other origins read the texts of films in segments.',
  ],
  contentType: 'text/vtt',
  parameters: Type.Object({
    from: Type.Optional(
      Type.Number({ minimum: 0, maximum: MAX_PLACE_S, description: 'second of the film; 0 unless said' }),
    ),
    to: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_PLACE_S,
        description: `${DEFAULT_PART_S} s behind it unless said, at most ${MAX_PART_S}`,
      }),
    ),
    token: Type.Optional(Type.String({ maxLength: 128, description: 'that of a signed link' })),
  }),
  reply: null,
  errors: [...READING_ERRORS, 'NotFound'],
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/media/0/subtitles/3`, status: 200 },
  async run({ services }, input): Promise<BytesReply> {
    const { path, parameters } = input
    const fromSec = parameters.from ?? 0
    const toSec = Math.min(parameters.to ?? fromSec + DEFAULT_PART_S, fromSec + MAX_PART_S)
    const order = { track: trackOf(path['track'] ?? ''), fromSec, toSec: Math.max(fromSec, toSec) }
    const part = await services.media.texts(infohashOf(path), path['fileindex'] ?? '', order, input)
    return {
      contentType: 'text/vtt; charset=utf-8',
      body: Buffer.from(webVttOf(part.cues, 0, coveredNote(part.covered))),
      headers: [['Cache-Control', 'no-store']],
    }
  },
})

/** A number of a track, in decimal digits. Throws AppError NotFound. */
function trackOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new AppError('NotFound', 'A track of subtitles is named by its number.')
  return Number(text)
}

/** Every route of this file. */
export const mediaRoutes = [facts, subtitles] as const
