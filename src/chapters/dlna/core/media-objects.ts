// What the tree of the media server is made of. Types only.

import type { MediaFile } from './media-files.ts'

/** A download with something to play. */
export interface MediaDownload {
  readonly infohash: string
  /** What it is called in ids of objects. */
  readonly key: string
  readonly name: string
  readonly labels: readonly string[]
  /** Seconds since 1970. */
  readonly addedSec: number
  readonly complete: boolean
  /** At least one. */
  readonly files: readonly MediaFile[]
}

/** A folder of the tree. */
export interface MediaContainer {
  readonly kind: 'container'
  readonly id: string
  readonly parentId: string
  readonly title: string
}

/** A film or a sound in it. */
export interface MediaItem {
  readonly kind: 'item'
  readonly id: string
  readonly parentId: string
  readonly title: string
  readonly download: MediaDownload
  readonly file: MediaFile
}

/** Whatever the tree has. */
export type MediaObject = MediaContainer | MediaItem
