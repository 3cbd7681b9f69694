// The downloads of a label, found among all.

import { hasLabel } from '../download-controls.ts'
import type { DownloadSet } from '../download-set.ts'
import type { LabelledDownload, LabelledDownloads } from './labelled-downloads.ts'

/** The downloads of a label, found among all. */
export class LabelledSet implements LabelledDownloads {
  readonly #set: Pick<DownloadSet, 'entries' | 'lookUp'>
  readonly sharesFiles: LabelledDownloads['sharesFiles']

  constructor(set: Pick<DownloadSet, 'entries' | 'lookUp'>, sharesFiles: LabelledDownloads['sharesFiles']) {
    this.#set = set
    this.sharesFiles = sharesFiles
  }

  labelled(infohash: string, label: string): LabelledDownload | null {
    const entry = this.#set.lookUp(infohash)
    return entry !== null && hasLabel(entry, label) ? entry : null
  }

  allLabelled(label: string): readonly LabelledDownload[] {
    return [...this.#set.entries.values()].filter(entry => hasLabel(entry, label))
  }
}
