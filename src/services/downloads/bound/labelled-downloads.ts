// What the views of bound keys ask of all downloads: those of one label, and no other.

import type { InfoHash } from '../../../base/ids.ts'
import type { StoredDownload } from '../../../ports/records.ts'
import type { DownloadRecord } from '../download-records-api.ts'
import type { RateLimits } from '../download-record.ts'
import type { SummedDownload } from '../list/list-index.ts'

/** A download of a label. */
export interface LabelledDownload extends SummedDownload {
  readonly stored: SummedDownload['stored'] & Pick<StoredDownload, 'controls'>
  /** Its record without further parts, with all labels. */
  plainRecord(limits: RateLimits): DownloadRecord
}

/** Downloads by their labels. */
export interface LabelledDownloads {
  /** The download of that name if it has the label, else null: whether there is one is not said. AppError NotReady. */
  labelled(infohash: string, label: string): LabelledDownload | null
  /** All that have the label, in the order they were added. */
  allLabelled(label: string): readonly LabelledDownload[]
  /** Another download has files where those of this one lie, of whatever label. Null: the disks do not tell. */
  sharesFiles(infohash: InfoHash): Promise<boolean | null>
}
