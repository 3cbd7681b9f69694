// Files that players read by their links. Bounded for each address and for all; those of a device that is blocked are
// cut at once.

import { AppError } from '../../../base/errors.ts'
import type { FurtherAnswer, FurtherRequest } from '../../../http/further-listener.ts'
import type { Header } from '../../../http/header-block.ts'
import { StreamedFile } from '../../../http/stream-plan.ts'
import type { MediaDownload } from '../core/media-objects.ts'
import type { MediaFile } from '../core/media-files.ts'
import { subtitleType } from '../wire/didl.ts'
import type { DeviceGrants } from './device-grants.ts'
import { type MediaLink, readLink } from './media-links.ts'
import type { LibraryDownloads, MediaLibrary } from './media-library.ts'

const MAX_STREAMS = 32
const MAX_OF_ADDRESS = 8

/** What streams work with. */
export interface StreamsDeps {
  readonly grants: Pick<DeviceGrants, 'opens'>
  readonly library: Pick<MediaLibrary, 'latest' | 'current' | 'mayPlay'>
  readonly downloads: Pick<LibraryDownloads, 'streamable'>
}

/** A file that a link may name: a film, or subtitles of one. */
interface Named {
  readonly type: string
  /** The subtitles that go with a film. */
  readonly caption: number | null
}

interface OpenStream {
  readonly ip: string
  readonly device: string
  cut(): void
}

/** Files that players read by their links, bounded for each address and for all. */
export class MediaStreams {
  readonly #deps: StreamsDeps
  readonly #open = new Set<OpenStream>()

  constructor(deps: StreamsDeps) {
    this.#deps = deps
  }

  /** Open ones of a device. */
  countOf(device: string): number {
    return [...this.#open].filter(stream => stream.device === device).length
  }

  /** Ends those of a device. */
  cut(device: string): void {
    for (const stream of this.#open) if (stream.device === device) stream.cut()
  }

  /**
   * The answer to a request for a link; `linkTo` makes the whole address of another file of the same download.
   * AppErrors NotFound, TooManyRequests and what opening the file throws.
   */
  async answer(
    request: FurtherRequest,
    linkTo: (device: string, download: MediaDownload, index: number, name: string) => string,
  ): Promise<FurtherAnswer> {
    const link = readLink(request.path)
    const device = link === null ? null : this.#deps.grants.opens(link.device, link.download, link.index, link.token)
    if (link === null || device === null) throw new AppError('NotFound')
    const { download, named } = await this.#find(link)
    const stream: OpenStream = { ip: request.remoteIp, device: device.id, cut: () => request.cut() }
    this.#enter(stream)
    try {
      const { infohash, key } = download
      const file = await this.#deps.downloads.streamable(infohash, String(link.index), request)
      const shown = { size: file.size, tag: `${key}-${link.index}`, contentType: named.type }
      const caption = download.files.flatMap(({ subtitles }) => subtitles).find(({ index }) => index === named.caption)
      const wanted = request.header('getcaptioninfo.sec') === '1' && caption !== undefined
      const more: Header[] = wanted
        ? [['CaptionInfo.sec', linkTo(device.id, download, caption.index, caption.name)]]
        : []
      const ended = (): void => void this.#open.delete(stream)
      return { kind: 'stream', file, shown: new StreamedFile(shown, more), ended }
    } catch (error) {
      this.#open.delete(stream)
      throw error
    }
  }

  async #find({ download: key, index }: MediaLink): Promise<{ download: MediaDownload; named: Named }> {
    const { library } = this.#deps
    // A look at all downloads is for links that the last one did not know: each seek comes through here.
    const download = library.latest.download(key) ?? (await library.current()).download(key)
    const named = download === null ? null : namedFile(download.files, index)
    if (download === null || named === null || !(await library.mayPlay(download.infohash, index)))
      throw new AppError('NotFound')
    return { download, named }
  }

  #enter(stream: OpenStream): void {
    const ofAddress = [...this.#open].filter(({ ip }) => ip === stream.ip).length
    if (ofAddress >= MAX_OF_ADDRESS || this.#open.size >= MAX_STREAMS) throw new AppError('TooManyRequests')
    this.#open.add(stream)
  }
}

function namedFile(files: readonly MediaFile[], index: number): Named | null {
  for (const file of files) {
    if (file.index === index) return { type: file.mime, caption: file.subtitles[0]?.index ?? null }
    const subtitle = file.subtitles.find(one => one.index === index)
    if (subtitle !== undefined) return { type: `${subtitleType(subtitle.type)}; charset=utf-8`, caption: null }
  }
  return null
}
