// What people read of a film: a table of its tracks, chapters, and where it may be entered.

import { printable, tableText } from '../../../cli/show.ts'
import { rateText, sizeText } from '../../../cli/units.ts'
import type { Media } from '../client/routes.ts'

type Facts = NonNullable<Media['facts']>
type Track = Facts['tracks'][number]
type Forecast = NonNullable<Media['forecast']>

/** Chapters that are shown. */
const SHOWN_CHAPTERS = 30

const SEEKING: Readonly<Record<Facts['seek'], string>> = {
  keys: 'anywhere',
  bytes: 'anywhere, by the share of the file',
  'not-yet': 'only where it has been downloaded',
  no: 'not known',
}

/** The whole answer; `width`: of the terminal. */
export function mediaText(media: Media, width: number): string {
  const { name, size, facts, forecast } = media
  const head = `${printable(name)}  ${sizeText(size)}\n`
  return (
    head +
    (facts === null ? 'Nothing is known of it yet.\n' : factsText(facts, width)) +
    forecastText(forecast) +
    missingText(media)
  )
}

function forecastText(forecast: Forecast | null): string {
  if (forecast === null) return ''
  const { state, from, start_in: wait, start_alone: alone, rate, missing_bytes: bytes, helps } = forecast
  const place = from > 0 ? ` from ${clockText(from)} on` : ''
  if (state === 'plays') {
    const rest = bytes === 0 ? 'all of it is there' : `${sizeText(bytes)} are still to come, at ${rateText(rate)}`
    return `\nPlays${place} to the end without a stall: ${rest}.\n`
  }
  const more = helps.includes('more-peers') ? ' More peers would help.' : ''
  const others =
    alone === null
      ? 'Pausing other downloads would help.'
      : `With other downloads paused it would be ${waitText(alone)}.`
  return `\n${waitingText(forecast, place, wait)}${more}${helps.includes('pause-others') ? ` ${others}` : ''}\n`
}

/** Why it does not play yet, and when it will. */
function waitingText(forecast: Forecast, place: string, wait: number | null): string {
  const { state, stops_at: stop, sources, rate } = forecast
  if (state === 'later')
    return `Plays${place} to the end without a stall in ${waitText(wait ?? 0)}, at ${rateText(rate)}.`
  if (stop !== null) return `Will not play to its end: nobody who is connected has it from ${clockText(stop)} on.`
  if (sources === 0) return 'Nobody who has it is connected.'
  return state === 'never' ? 'Will not play: nothing comes in any more.' : 'Nothing of it has come in lately.'
}

/** Seconds as people wait: whole ones, and minutes. */
function waitText(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : clockText(whole)
}

function factsText(facts: Facts, width: number): string {
  const { container, fragmented, duration, bitrate, chapters, note } = facts
  const kind = fragmented ? `${container} in fragments` : container
  const length = duration === null ? 'of unknown length' : clockText(duration)
  const rate = bitrate === null ? '' : `, ${(bitrate / 1e6).toFixed(bitrate < 1e6 ? 2 : 1)} Mbit/s`
  const keys = facts.keyframes === null ? '' : ` (${facts.keyframes.count} key frames)`
  const lines = [`${kind}, ${length}${rate}`, `Seeking: ${SEEKING[facts.seek]}${keys}`, printable(note)]
  const tracks = facts.tracks.length === 0 ? '' : `\n${tracksText(facts.tracks, width)}`
  const shown = chapters
    .slice(0, SHOWN_CHAPTERS)
    .map(({ start, title }) => `  ${clockText(start)}  ${printable(title)}\n`)
  const more = chapters.length > SHOWN_CHAPTERS ? `  and ${chapters.length - SHOWN_CHAPTERS} more\n` : ''
  const list = chapters.length === 0 ? '' : `\nChapters:\n${shown.join('')}${more}`
  return `${lines.filter(line => line !== '').join('\n')}\n${tracks}${list}`
}

function tracksText(tracks: readonly Track[], width: number): string {
  const columns = [
    { head: '#', right: true },
    ...['KIND', 'CODEC', 'LANGUAGE', 'FORMAT', 'NAME'].map(head => ({ head })),
  ]
  const rows = tracks.map(track => [
    String(track.id),
    track.kind,
    track.codec,
    track.language === 'und' ? '' : track.language,
    formatText(track),
    [track.name, track.forced ? '(forced)' : ''].filter(text => text !== '').join(' '),
  ])
  return tableText(columns, rows, width)
}

function formatText({ width, height, channels, sample_rate: rate }: Track): string {
  if (width > 0) return `${width}x${height}`
  if (channels === 0) return ''
  const named = channels === 6 ? '5.1' : channels === 8 ? '7.1' : `${channels} ch`
  return rate === 0 ? named : `${named}, ${rate / 1000} kHz`
}

function missingText({ complete, missing_bytes: bytes, wanted, missing }: Media): string {
  if (complete || wanted === null) return ''
  const [first] = missing
  const from = first === undefined ? '' : `, from byte ${first.start} on`
  return `\nNot all is there yet: ${sizeText(bytes)} are missing${from}. Ask again to go on.\n`
}

/** Seconds as h:mm:ss. */
function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
