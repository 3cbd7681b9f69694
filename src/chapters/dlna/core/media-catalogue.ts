// The tree that control points walk: downloads with something to play, by folder, newest, in progress and by label. It
// is made whole of a list of downloads and never changed; lists of children are worked out when they are asked for, and
// some are kept, since large ones are asked for in pages. Pure.

import { createHash } from 'node:crypto'
import type { MediaFile } from './media-files.ts'
import type { MediaContainer, MediaDownload, MediaItem, MediaObject } from './media-objects.ts'
import { ABOVE_ROOT, labelScope, type ObjectName, readObjectId, ROOT, type View } from './object-id.ts'
import { type SortKey, sorted } from './sort-order.ts'
import { titleOf, type TorrentFolder, TorrentFolders } from './torrent-folders.ts'

type Within = Exclude<ObjectName, { kind: 'root' | 'view' }>

/** Downloads in the folder of the newest. */
const NEWEST = 100
/** Lists of children that are kept. */
const KEPT_LISTS = 16
const BY_TITLE: readonly SortKey[] = [{ by: 'dc:title', descending: false }]

const VIEW_TITLES: Readonly<Record<View, string>> = {
  n: 'Newest',
  p: 'In progress',
  f: 'All downloads',
  l: 'Labels',
}

/** The tree that control points walk, made whole of a list of downloads and never changed. */
export class MediaCatalogue {
  /** The same for the same content: 1 to 2^32 - 1. */
  readonly updateId: number
  readonly #byKey: ReadonlyMap<string, MediaDownload>
  readonly #labels: readonly string[]
  /** How many downloads have a label, and how many are not complete. */
  readonly #byLabel = new Map<string, number>()
  #incomplete = 0
  readonly #lists = new Map<string, readonly MediaObject[]>()
  readonly #folders = new WeakMap<MediaDownload, TorrentFolders>()

  constructor(downloads: readonly MediaDownload[]) {
    this.#byKey = new Map(downloads.map(download => [download.key, download]))
    for (const { labels, complete } of this.#byKey.values()) {
      for (const label of new Set(labels)) this.#byLabel.set(label, (this.#byLabel.get(label) ?? 0) + 1)
      if (!complete) this.#incomplete += 1
    }
    this.#labels = [...this.#byLabel.keys()].sort()
    this.updateId = updateIdOf(downloads)
  }

  /** A download by its key; null: there is none. */
  download(key: string): MediaDownload | null {
    return this.#byKey.get(key) ?? null
  }

  /** The object of this id; null: there is none. */
  find(id: string): MediaObject | null {
    const name = readObjectId(id)
    if (name === null) return null
    switch (name.kind) {
      case 'root':
        return { kind: 'container', id: ROOT, parentId: ABOVE_ROOT, title: 'Tributary' }
      case 'view':
        return this.#view(name)
      default:
        return this.#inDownload(name)
    }
  }

  /** What lies in a container, sorted; null: there is no such container. */
  children(id: string, sort: readonly SortKey[] = []): readonly MediaObject[] | null {
    const listKey = JSON.stringify([id, sort])
    const kept = this.#lists.get(listKey)
    if (kept !== undefined) return kept
    const found = this.#list(id)
    if (found === null) return null
    const list = sorted(found, sort)
    if (this.#lists.size >= KEPT_LISTS) this.#lists.clear()
    this.#lists.set(listKey, list)
    return list
  }

  /** How many lie in a container of the tree; nothing is listed or sorted for it. */
  childCount({ id }: MediaContainer): number {
    const name = readObjectId(id)
    if (name === null) return 0
    if (name.kind === 'root') return this.#root().length
    if (name.kind === 'view') return this.#countIn(name)
    const folder = this.#folder(name)
    return folder === null ? 0 : folder.folders.length + folder.files.length
  }

  #countIn({ view, label }: ObjectName & { kind: 'view' }): number {
    if (view === 'l') return label === null ? this.#labels.length : (this.#byLabel.get(label) ?? 0)
    if (view === 'p') return this.#incomplete
    return view === 'n' ? Math.min(NEWEST, this.#byKey.size) : this.#byKey.size
  }

  #view({ view, label }: ObjectName & { kind: 'view' }): MediaObject | null {
    if (view !== 'l') return { kind: 'container', id: view, parentId: ROOT, title: VIEW_TITLES[view] }
    if (label === null) return this.#labels.length === 0 ? null : labelsFolder
    return this.#labels.includes(label) ? labelFolder(label) : null
  }

  #inDownload(name: Within): MediaObject | null {
    const download = this.#named(name)
    if (download === null) return null
    if (name.kind === 'download') return download.files.length === 1 ? null : shownDownload(download, name.scope)
    if (name.kind === 'folder') {
      const folder = this.#folder(name)
      return folder === null ? null : shownFolder(download, name.scope, folder)
    }
    const found = this.#foldersOf(download).file(name.index)
    if (found === null) return null
    return download.files.length === 1
      ? shownDownload(download, name.scope)
      : shownFile(download, name.scope, found.folder, found.file)
  }

  /** The download that a name means, where it lies in the folder that the name says. */
  #named({ key, scope }: Within): MediaDownload | null {
    const download = this.download(key)
    const view = readObjectId(scope)
    return download !== null && view?.kind === 'view' && isIn(download, view) ? download : null
  }

  #foldersOf(download: MediaDownload): TorrentFolders {
    let folders = this.#folders.get(download)
    if (folders === undefined) {
      folders = new TorrentFolders(download)
      this.#folders.set(download, folders)
    }
    return folders
  }

  /** The folder that a name means; null: it is none. */
  #folder(name: Within): TorrentFolder | null {
    const download = this.#named(name)
    if (download === null || name.kind === 'file' || download.files.length === 1) return null
    const folders = this.#foldersOf(download)
    return name.kind === 'download' ? folders.top : folders.folder(name.depth, name.first)
  }

  #list(id: string): readonly MediaObject[] | null {
    const name = readObjectId(id)
    if (name === null) return null
    if (name.kind === 'root') return this.#root()
    if (name.kind === 'view') return this.#view(name) === null ? null : this.#inView(name)
    const [folder, download] = [this.#folder(name), this.download(name.key)]
    if (folder === null || download === null) return null
    return [
      ...folder.folders.map(inner => shownFolder(download, name.scope, inner)),
      ...folder.files.map(file => shownFile(download, name.scope, folder, file)),
    ]
  }

  #root(): readonly MediaObject[] {
    const views: readonly View[] = ['n', 'p', 'f']
    const shown = views.map(
      view => ({ kind: 'container', id: view, parentId: ROOT, title: VIEW_TITLES[view] }) as const,
    )
    return this.#labels.length === 0 ? shown : [...shown, labelsFolder]
  }

  #inView(view: ObjectName & { kind: 'view' }): readonly MediaObject[] {
    if (view.view === 'l' && view.label === null) return this.#labels.map(labelFolder)
    const scope = view.label === null ? view.view : labelScope(view.label)
    const inside = [...this.#byKey.values()].filter(download => isIn(download, view))
    if (view.view !== 'n')
      return sorted(
        inside.map(download => shownDownload(download, scope)),
        BY_TITLE,
      )
    // Of those of one second the one that is listed last came last.
    const newest = inside
      .reverse()
      .sort((a, b) => b.addedSec - a.addedSec)
      .slice(0, NEWEST)
    return newest.map(download => shownDownload(download, scope))
  }
}

const labelsFolder: MediaContainer = { kind: 'container', id: 'l', parentId: ROOT, title: VIEW_TITLES.l }

function labelFolder(label: string): MediaContainer {
  return { kind: 'container', id: labelScope(label), parentId: 'l', title: label }
}

function isIn(download: MediaDownload, { view, label }: ObjectName & { kind: 'view' }): boolean {
  if (view === 'p') return !download.complete
  return view !== 'l' || (label !== null && download.labels.includes(label))
}

/** A download with one film is that film, any other a folder. */
function shownDownload(download: MediaDownload, scope: string): MediaObject {
  const own = `${scope}$${download.key}`
  const [only, further] = download.files
  if (only === undefined || further !== undefined)
    return { kind: 'container', id: own, parentId: scope, title: download.name }
  return { kind: 'item', id: `${own}$${only.index}`, parentId: scope, title: titleOf(only.name), download, file: only }
}

function idOfFolder({ key }: MediaDownload, scope: string, { depth, first }: TorrentFolder): string {
  return depth === 0 ? `${scope}$${key}` : `${scope}$${key}$${depth}.${first}`
}

function shownFolder(download: MediaDownload, scope: string, folder: TorrentFolder): MediaContainer {
  const parentId = folder.above === null ? scope : idOfFolder(download, scope, folder.above)
  return { kind: 'container', id: idOfFolder(download, scope, folder), parentId, title: folder.title }
}

function shownFile(download: MediaDownload, scope: string, folder: TorrentFolder, file: MediaFile): MediaItem {
  const parentId = idOfFolder(download, scope, folder)
  return {
    kind: 'item',
    id: `${scope}$${download.key}$${file.index}`,
    parentId,
    title: titleOf(file.name),
    download,
    file,
  }
}

/** A number made of all that is shown. */
function updateIdOf(downloads: readonly MediaDownload[]): number {
  const hash = createHash('sha256')
  for (const { infohash, name, labels, addedSec, complete, files } of downloads)
    hash.update(JSON.stringify([infohash, name, labels, addedSec, complete, digestOf(files)]))
  return hash.digest().readUInt32BE(0) || 1
}

/** Of lists of files, which stay the same objects while they are the same. */
const digests = new WeakMap<readonly MediaFile[], string>()

function digestOf(files: readonly MediaFile[]): string {
  let digest = digests.get(files)
  if (digest === undefined) {
    const hash = createHash('sha256')
    for (const { index, size, subtitles } of files) hash.update(`${index} ${size} ${subtitles.length};`)
    digest = hash.digest('base64')
    digests.set(files, digest)
  }
  return digest
}
