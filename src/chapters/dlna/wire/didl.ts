// What a control point reads of folders and films (DIDL-Lite, ContentDirectory:1), and the words that televisions
// read in it (DLNA guidelines, Samsung's captions). Text only.

import { xmlText } from './xml-text.ts'

/** Ranges of bytes may be asked for, nothing is converted; the flags are those of src/http/stream-plan.ts. */
const FEATURES = 'DLNA.ORG_OP=01;DLNA.ORG_CI=0;DLNA.ORG_FLAGS=01700000000000000000000000000000'

/** A folder. */
export interface DidlContainer {
  readonly kind: 'container'
  readonly id: string
  readonly parentId: string
  readonly title: string
  readonly childCount: number
}

/** Subtitles in a file of their own. */
export interface DidlSubtitle {
  /** By the ending of its name: `srt`. */
  readonly type: string
  readonly url: string
}

/** A film or a sound. */
export interface DidlItem {
  readonly kind: 'item'
  readonly id: string
  readonly parentId: string
  readonly title: string
  readonly media: 'video' | 'audio'
  readonly mime: string
  /** Bytes. */
  readonly size: number
  /** Null: it is not known. */
  readonly durationMs: number | null
  /** Seconds since 1970; 0: it is not known. */
  readonly dateSec: number
  readonly url: string
  readonly subtitles: readonly DidlSubtitle[]
}

/** Protocol and type of a resource, as `res` and GetProtocolInfo have it. */
export function protocolInfo(mime: string, features = FEATURES): string {
  return `http-get:*:${mime}:${features}`
}

/** `H:MM:SS.mmm` */
export function durationText(ms: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const whole = Math.max(0, Math.round(ms))
  const sec = Math.floor(whole / 1000)
  const rest = String(whole % 1000).padStart(3, '0')
  return `${Math.floor(sec / 3600)}:${two(Math.floor(sec / 60) % 60)}:${two(sec % 60)}.${rest}`
}

/** Which properties beyond those that must be there are asked for: the argument Filter of Browse. */
export class DidlFilter {
  readonly #names: ReadonlySet<string> | null

  constructor(text: string) {
    const names = text.split(',').map(name => name.trim())
    this.#names = names.includes('*') ? null : new Set(names)
  }

  /** Whether a property is, or an attribute of `res` (`res@size`), which brings `res` itself. */
  wants(name: string): boolean {
    if (this.#names === null || this.#names.has(name)) return true
    return name === 'res' && [...this.#names].some(one => one.startsWith('res@'))
  }
}

/** What stands around the objects of an answer. */
export const DIDL_HEAD =
  '<DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
  'xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/" xmlns:dlna="urn:schemas-dlna-org:metadata-1-0/" ' +
  'xmlns:sec="http://www.sec.co.kr/">'
/** See DIDL_HEAD. */
export const DIDL_END = '</DIDL-Lite>'

/** One object. */
export function encodeObject(object: DidlContainer | DidlItem, filter: DidlFilter): string {
  return object.kind === 'container' ? containerText(object, filter) : itemText(object, filter)
}

function containerText({ id, parentId, title, childCount }: DidlContainer, filter: DidlFilter): string {
  const count = filter.wants('@childCount') ? ` childCount="${childCount}"` : ''
  return (
    `<container id="${xmlText(id)}" parentID="${xmlText(parentId)}" restricted="1" searchable="0"${count}>` +
    `<dc:title>${xmlText(title)}</dc:title><upnp:class>object.container.storageFolder</upnp:class></container>`
  )
}

function itemText(item: DidlItem, filter: DidlFilter): string {
  const { id, parentId, title, media, dateSec } = item
  const date = filter.wants('dc:date') && dateSec > 0 ? `<dc:date>${dateText(dateSec)}</dc:date>` : ''
  const itemClass = media === 'video' ? 'object.item.videoItem' : 'object.item.audioItem.musicTrack'
  return (
    `<item id="${xmlText(id)}" parentID="${xmlText(parentId)}" restricted="1"><dc:title>${xmlText(title)}</dc:title>` +
    `<upnp:class>${itemClass}</upnp:class>${date}${filter.wants('res') ? resources(item, filter) : ''}` +
    `${filter.wants('sec:CaptionInfoEx') ? captions(item) : ''}</item>`
  )
}

function dateText(sec: number): string {
  return new Date(sec * 1000).toISOString().slice(0, 19)
}

function resources({ mime, size, durationMs, url, subtitles }: DidlItem, filter: DidlFilter): string {
  const sizeText = filter.wants('res@size') ? ` size="${size}"` : ''
  const duration = durationMs !== null && filter.wants('res@duration') ? ` duration="${durationText(durationMs)}"` : ''
  const film = `<res protocolInfo="${xmlText(protocolInfo(mime))}"${sizeText}${duration}>${xmlText(url)}</res>`
  const texts = subtitles.map(
    subtitle =>
      `<res protocolInfo="${xmlText(protocolInfo(subtitleType(subtitle.type), '*'))}">${xmlText(subtitle.url)}</res>`,
  )
  return film + texts.join('')
}

/** The type that players know subtitles by. */
export function subtitleType(type: string): string {
  return type === 'smi' ? 'smi/caption' : `text/${type}`
}

function captions({ subtitles: [first] }: DidlItem): string {
  if (first === undefined) return ''
  const element = (name: string): string =>
    `<sec:${name} sec:type="${xmlText(first.type)}">${xmlText(first.url)}</sec:${name}>`
  return element('CaptionInfoEx') + element('CaptionInfo')
}
