// The set of a channel as the files of a torrent (decision 0404): records by their ids, one file for each beginning of
// ids, each record behind its length. The same set gives the same files, so any holder can make the torrent its owner
// has made.

import { DecodeError } from '../../../base/errors.ts'
import type { Metainfo } from '../../../wire/metainfo/torrent-types.ts'
import { type ChannelHead, MAX_RECORD_BYTES, type RecordId } from './types.ts'

/** Records of a file, about. */
const RECORDS_A_FILE = 2048
const MOST_DIGITS = 3
const LENGTH_BYTES = 2
const NAME_DIGITS = 32
/** Bytes of a piece. */
export const PACK_PIECE_BYTES = 256 * 1024

/** How many digits of an id choose its file in a set of so many records. */
function digitsOf(records: number): number {
  let digits = 0
  while (digits < MOST_DIGITS && records > RECORDS_A_FILE * 16 ** digits) digits++
  return digits
}

/** The folder of the pack of a set: its torrent's name. */
export function packName({ root }: Pick<ChannelHead, 'root'>): string {
  return `channel-${Buffer.from(root).toString('hex').slice(0, NAME_DIGITS)}`
}

/** The file of a set of `records` records that holds the record `id`. */
export function packFileOf(id: RecordId, records: number): string {
  const digits = digitsOf(records)
  return digits === 0 ? 'records.bin' : `records-${id.slice(0, digits)}.bin`
}

/** The names of all files that a set of `records` records may have, sorted. */
export function packFileNames(records: number): string[] {
  const digits = digitsOf(records)
  if (digits === 0) return ['records.bin']
  return Array.from({ length: 16 ** digits }, (_, at) => `records-${at.toString(16).padStart(digits, '0')}.bin`)
}

/** A record as a file has it. */
export function packFrame(record: Uint8Array): Uint8Array {
  const frame = new Uint8Array(LENGTH_BYTES + record.length)
  frame[0] = record.length >>> 8
  frame[1] = record.length
  frame.set(record, LENGTH_BYTES)
  return frame
}

/** Why this is not the torrent of the head's set; null: it may be. Ask this before anything is written. */
export function packObjection(metainfo: Metainfo, head: ChannelHead): string | null {
  const most = head.records * (MAX_RECORD_BYTES + LENGTH_BYTES)
  if (metainfo.totalLength > most) return `${metainfo.totalLength} bytes for ${head.records} records`
  if (metainfo.private) return 'it is private'
  if (!metainfo.multiFile) return 'it is no folder'
  const folder = packName(head)
  const names = new Set(packFileNames(head.records))
  for (const { path, attributes } of metainfo.files) {
    const [root, name = ''] = path
    if (path.length !== 2 || root !== folder || !names.has(name)) return 'its files have other names'
    if (attributes !== undefined) return 'its files have attributes'
  }
  return null
}

/** Cuts the records out of a file that comes in chunks. Holds at most one record. */
export class PackFrames {
  #rest: Uint8Array = new Uint8Array(0)

  /**
   * The records that end in this chunk, copied. Throws DecodeError for a length that no record has; the file is no use
   * then.
   */
  push(chunk: Uint8Array): Uint8Array[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const records: Uint8Array[] = []
    let at = 0
    while (bytes.length - at >= LENGTH_BYTES) {
      const length = ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
      if (length === 0 || length > MAX_RECORD_BYTES) throw new DecodeError(`a record of ${length} bytes`)
      if (bytes.length - at < LENGTH_BYTES + length) break
      records.push(Uint8Array.from(bytes.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length)))
      at += LENGTH_BYTES + length
    }
    this.#rest = Uint8Array.from(bytes.subarray(at))
    return records
  }

  /** Throws DecodeError when a record is cut off. */
  end(): void {
    if (this.#rest.length > 0) throw new DecodeError('the last record is cut off')
  }
}
