// Downloads for tests of the media server: records and files as the service of downloads gives them, changed as a test
// likes.

import { AppError } from '../../../../src/base/errors.ts'
import type { LibraryDownloads } from '../../../../src/chapters/dlna/service/media-library.ts'
import type { DownloadRecord, FileRecord } from '../../../../src/services/downloads/download-records-api.ts'

/** What of a record the media server reads. */
type Fields = Pick<
  DownloadRecord,
  'infohash' | 'name' | 'status' | 'queued' | 'progress' | 'hops' | 'labels' | 'time_added' | 'total_pieces'
>

/** One download. */
export interface MadeDownload extends Fields {
  files: { name: string; size: number; included: boolean }[]
}

/** The info hash of a number. */
export function hashOf(number: number): string {
  return number.toString(16).padStart(40, '0')
}

/** A complete download that seeds. */
export function madeDownload(number: number, more: Partial<MadeDownload> = {}): MadeDownload {
  return {
    infohash: hashOf(number),
    name: `film ${number}`,
    status: 'DLSTATUS_SEEDING',
    queued: false,
    progress: 1,
    hops: 0,
    labels: [],
    time_added: 1_700_000_000 + number,
    total_pieces: 10,
    files: [{ name: `film ${number}.mkv`, size: 1000 + number, included: true }],
    ...more,
  }
}

/** All downloads of a node, and how often they were looked at. */
export class MadeDownloads {
  readonly all: MadeDownload[]
  looks = 0
  fileLooks = 0
  /** What was asked to be streamed. */
  readonly streamed: string[] = []

  constructor(all: MadeDownload[]) {
    this.all = all
  }

  /** As the media server has them. */
  get service(): LibraryDownloads {
    return {
      list: () => this.#list() as ReturnType<LibraryDownloads['list']>,
      files: async infohash => this.#find(infohash).files.map((file, index) => ({ ...file, index }) as FileRecord),
      record: async infohash => this.#find(infohash) as unknown as Awaited<ReturnType<LibraryDownloads['record']>>,
      streamable: (infohash, index) => {
        this.streamed.push(`${infohash} ${index}`)
        const file = this.#find(infohash).files[Number(index)]
        if (file === undefined) throw new AppError('FileNotFound')
        return {
          name: file.name,
          size: file.size,
          tag: `${infohash}-${index}`,
          openReader: () => {
            throw new Error('nothing is read')
          },
        }
      },
    }
  }

  async *#list(): AsyncGenerator<MadeDownload, void> {
    this.looks += 1
    for (const download of [...this.all]) yield download
  }

  #find(infohash: string): MadeDownload {
    this.fileLooks += 1
    const found = this.all.find(download => download.infohash === infohash)
    if (found === undefined) throw new AppError('DownloadNotFound')
    return found
  }
}
