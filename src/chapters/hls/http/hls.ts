// The routes of films in segments (HTTP Live Streaming; extra, decision 0543). A link of a file opens them too, and
// what they name carries it on: players, televisions and casting devices send no key.

import { type Static, Type } from '@sinclair/typebox'
import { AppError } from '../../../base/errors.ts'
import { type BytesReply, type ChapterContext, type RouteInput, routeWith } from '../../../http/route.ts'
import { infohashOf, SAMPLE_INFOHASH } from '../../../http/routes/infohash.ts'
import { masterPlaylist, segmentPlaylist, textPlaylist } from '../core/playlists.ts'
import type { AskedFilm, HlsRouteServices } from '../service/hls-api.ts'

const route = routeWith<HlsRouteServices>()

const PLAYLIST = 'application/vnd.apple.mpegurl'
const tag = 'downloads'

const Parameters = Type.Object({
  sound: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 0xff_ff_ff_ff,
      description: 'number of the sound track (see media); 0 = without',
    }),
  ),
  picture: Type.Optional(
    Type.Literal('h264', {
      description:
        'pictures that are none of H.264 become it (HEVC too, which is copied otherwise); needs media.ffmpeg',
    }),
  ),
  token: Type.Optional(Type.String({ maxLength: 128, description: 'that of a signed link; playlists pass it on' })),
})
type Asked = RouteInput<Static<typeof Parameters>>

const errors = [
  'InvalidParameter',
  'NotFound',
  'DownloadNotFound',
  'FileNotFound',
  'MetadataTimeout',
  'MediaUnreadable',
  'ConversionTooSlow',
  'TooManyRequests',
  'DiskError',
  'FileChanged',
  'VolumeStalled',
  'PoolBusy',
  'NotReady',
  'Aborted',
] as const

/** What the three have in common. */
const common = {
  method: 'GET',
  kind: 'bytes',
  bound: ['hls'],
  scope: 'stream',
  signedLinks: true,
  anyOrigin: true,
  tag,
  parameters: Parameters,
  reply: null,
  errors,
} as const

const LINKED =
  'Opened by the signed link of the file too, also by a given one (the token of `stream_url`): pages of every origin may then read the answer.'

const master = route({
  ...common,
  id: 'downloads.hlsMaster',
  path: '/downloads/{infohash}/hls/{fileindex}/master.m3u8',
  summary: 'A film in segments for phones, televisions and casting: where to begin (HLS)',
  choices: [
    'Extra. H.264 and HEVC are copied out of MP4 and Matroska with an index, AAC, MP3, FLAC and Opus beside them; AC-3 and E-AC-3 become AAC. ' +
      'What cannot be cut is 422, with why. Where `media.ffmpeg` names a program, it converts other sound, and other pictures to H.264: two seconds are tried first, and less than 1.5 times the speed of playing is 422 ConversionTooSlow.',
    `${LINKED} Addresses in the playlists carry it on; asked for with a key, they carry a new one.`,
    'Of a download that comes in, what is needed of the index is asked of the swarm for up to 20 s; then 503.',
  ],
  contentType: PLAYLIST,
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/hls/0/master.m3u8`, status: 200 },
  run: async (context, input) => {
    const plan = await context.services.hls.plan(filmOf(input), input)
    return playlist(masterPlaylist(plan, queryOf(context, input)))
  },
})

const segments = route({
  ...common,
  id: 'downloads.hlsSegments',
  path: '/downloads/{infohash}/hls/{fileindex}/index.m3u8',
  summary: 'The segments of a film (HLS)',
  choices: ['Extra. Each begins with a key frame of the index, at least 4 s after the one before.', LINKED],
  contentType: PLAYLIST,
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/hls/0/index.m3u8`, status: 200 },
  run: async (context, input) => {
    const plan = await context.services.hls.plan(filmOf(input), input)
    return playlist(segmentPlaylist(plan, queryOf(context, input)))
  },
})

const segment = route({
  ...common,
  slowReaders: true,
  id: 'downloads.hlsSegment',
  path: '/downloads/{infohash}/hls/{fileindex}/segments/{segment}',
  summary: 'One segment of a film (HLS)',
  choices: [
    'Extra. `{segment}`: its name in the playlist, `0.ts`; of HEVC, and beside FLAC or Opus, `0.m4s` and the head `init.mp4`. Each is made when it is asked for, alone: what of it is not there yet is asked of the swarm. It ends with its request.',
    'Two are made at a time, and ffmpeg converts one picture and two sounds at a time; whoever waits longer than 2 s for its turn gets 503 with Retry-After.',
    LINKED,
  ],
  contentType: 'video/mp2t',
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/hls/0/segments/0.ts`, status: 200 },
  run: async ({ services }, input): Promise<BytesReply> => {
    const name = input.path['segment'] ?? ''
    const film = filmOf(input)
    const body = await services.hls.segment(film, name, input)
    return {
      heldBy: input.link === null ? `film ${film.infohash}/${film.fileIndex}` : `link ${input.link.id}`,
      contentType: name.endsWith('.ts') ? 'video/mp2t' : 'video/mp4',
      body,
      headers: [['Cache-Control', 'private, max-age=600']],
    }
  },
})

const texts = route({
  ...common,
  id: 'downloads.hlsTexts',
  path: '/downloads/{infohash}/hls/{fileindex}/subtitles/{track}/index.m3u8',
  summary: 'The segments of subtitles inside of a film (HLS)',
  choices: ['Extra. Cut where the film is; tracks of texts alone, those that `master.m3u8` names.', LINKED],
  contentType: PLAYLIST,
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/hls/0/subtitles/4/index.m3u8`, status: 200 },
  run: async (context, input) => {
    const plan = await context.services.hls.plan(filmOf(input), input)
    const track = numberOf(input.path['track'] ?? '')
    if (!plan.texts.some(({ id }) => id === track)) throw new AppError('NotFound', 'The film has no such subtitles.')
    return playlist(textPlaylist(plan, queryOf(context, input)))
  },
})

const textSegment = route({
  ...common,
  id: 'downloads.hlsTextSegment',
  path: '/downloads/{infohash}/hls/{fileindex}/subtitles/{track}/segments/{segment}',
  summary: 'One segment of subtitles inside of a film (HLS)',
  choices: [
    'Extra. `{segment}`: its name in the playlist, `0.vtt`. WebVTT of the texts that begin in it; what of the segment is not there yet is asked of the swarm.',
    LINKED,
  ],
  contentType: 'text/vtt',
  sample: { path: `/downloads/${SAMPLE_INFOHASH}/hls/0/subtitles/4/segments/0.vtt`, status: 200 },
  run: async ({ services }, input): Promise<BytesReply> => {
    const { track = '', segment: name = '' } = input.path
    const body = await services.hls.texts(filmOf(input), numberOf(track), numberOf(name, '.vtt'), input)
    return {
      contentType: 'text/vtt; charset=utf-8',
      body,
      headers: [['Cache-Control', 'private, max-age=600']],
    }
  },
})

/** A number in a path. Throws AppError NotFound. */
function numberOf(text: string, ending = ''): number {
  const digits = text.endsWith(ending) ? text.slice(0, text.length - ending.length) : ''
  if (!/^\d{1,15}$/.test(digits)) throw new AppError('NotFound')
  return Number(digits)
}

function filmOf({ path, parameters }: Asked): AskedFilm {
  const { sound = null, picture } = parameters
  return {
    infohash: infohashOf(path),
    fileIndex: path['fileindex'] ?? '',
    sound,
    wantsH264: picture === 'h264',
  }
}

function playlist(text: string): BytesReply {
  return { contentType: PLAYLIST, body: Buffer.from(text), headers: [['Cache-Control', 'no-store']] }
}

/** What opens the addresses of a playlist: the link by which it was asked for, else a new one of the file. */
function queryOf({ links }: ChapterContext<HlsRouteServices>, { path, parameters, link }: Asked): string {
  const [infohash, fileIndex] = [infohashOf(path), path['fileindex'] ?? '']
  const { token: given = '', sound, picture } = parameters
  const token = links.opens(infohash, fileIndex, given) ? given : links.fileToken(infohash, Number(fileIndex), link)
  const chosen = [sound === undefined ? '' : `&sound=${sound}`, picture === undefined ? '' : `&picture=${picture}`]
  return `token=${token}${chosen.join('')}`
}

/** Every route of this file. */
export const hlsRoutes = [master, segments, segment, texts, textSegment] as const
