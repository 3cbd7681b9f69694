// Making of segments put together; loaded when one is first asked for.

import type { Arena } from '../../../ports/arena.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Downloads } from '../../../services/downloads/downloads.ts'
import { FilmDisk } from '../../media/service/film-bytes.ts'
import type { MediaService, MediaTexts } from '../../media/service/media-api.ts'
import { FfmpegConverter } from '../io/ffmpeg-converter.ts'
import { SegmentThread } from '../io/segment-thread.ts'
import { ConversionLine } from '../service/conversion-line.ts'
import { ConvertedSegments } from '../service/converted-segments.ts'
import { HlsFilms } from '../service/hls-films.ts'
import { SegmentLine } from '../service/segment-line.ts'

/** Segments that are made at a time: more would only make all of them late. */
const THREADS = 2

/** What it is made from. */
export interface HlsPartsDeps {
  readonly clock: Clock
  readonly downloads: Pick<Downloads, 'streamable'>
  readonly media: Pick<MediaService, 'facts'> & MediaTexts
  readonly arena: Arena
  readonly log: Log
  /** The program that converts what the node cannot; '' = none. */
  readonly ffmpeg: string
}

/** Makes it. */
export function makeHls({ clock, downloads, media, arena, log, ffmpeg }: HlsPartsDeps): HlsFilms {
  const makers = Array.from({ length: THREADS }, () => new SegmentThread({ clock }))
  return new HlsFilms({
    media,
    disk: new FilmDisk(clock, arena),
    line: new SegmentLine(makers, clock),
    converted:
      ffmpeg === ''
        ? null
        : new ConvertedSegments({
            clock,
            converter: new FfmpegConverter({ path: ffmpeg, clock, log }),
            line: new ConversionLine(clock),
          }),
    streamable: (infohash, fileIndex, asker) => downloads.streamable(infohash, fileIndex, asker),
  })
}
