// A double of the facts of films: a whole record.

import type {
  MediaAnswer,
  MediaForecasts,
  MediaService,
  MediaTexts,
} from '../../../../src/chapters/media/service/media-api.ts'
import type { Forecast } from '../../../../src/torrent/streams/forecast.ts'
import type { SubtitlePart } from '../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import { plainTrack } from '../../../../src/chapters/media/core/film-facts.ts'
import { notedAnswers } from '../../../kit/doubles/noted-answers.ts'

const answer: MediaAnswer = {
  name: 'film.mkv',
  size: 1_000_000,
  facts: {
    container: 'matroska',
    fragmented: false,
    duration: 10.5,
    bitrate: 761_905,
    seek: 'keys',
    note: '',
    tracks: [
      { ...plainTrack, id: 1, kind: 'video', codec: 'h264', codecString: 'avc1.640028', width: 320, height: 180 },
    ],
    chapters: [{ start: 0, title: 'Opening' }],
    index: [{ start: 0, end: 900 }],
    keys: { track: 1, times: [0, 5], bytes: [900, 500_000], gap: 0 },
  },
  wanted: null,
  missing: [],
}

const forecast: Forecast = {
  state: 'later',
  startInSec: 4.5,
  startAloneSec: 2.5,
  stopsAtSec: null,
  missingBytes: 600_000,
  rate: 90_000,
  sources: 3,
  helps: ['wait', 'more-peers', 'pause-others'],
}

const texts: SubtitlePart = {
  cues: [{ startMs: 1000, endMs: 2500, text: 'Hello <you>' }],
  covered: [{ fromSec: 0, toSec: 240 }],
  missing: null,
  fetched: 4096,
}

/** What the double of all services has for films. */
export function serviceDouble(note: (...call: unknown[]) => void): {
  readonly media: MediaService & MediaForecasts & MediaTexts
} {
  const answers = notedAnswers(note)
  const media = {
    facts: answers('mediaFacts', answer),
    forecast: answers('mediaForecast', forecast),
    texts: answers('mediaTexts', texts),
  }
  return { media: { kept: async () => null, ...media } }
}
