// The table of jobs between the main thread and the catalogue's thread: the methods of the two ports, each a job of its
// name, and a few of our own. Requests are plain data: msgpackr carries them.

import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { ChannelLibrary } from '../ports/channel-library.ts'

/** The methods of `Port` that promise something, as jobs named `prefix.method`. */
type JobsOf<Port, Prefix extends string> = {
  [M in keyof Port & string as Port[M] extends (...args: never[]) => Promise<unknown>
    ? `${Prefix}.${M}`
    : never]: Port[M] extends (...args: infer Args) => Promise<infer Reply> ? { args: Args; reply: Reply } : never
}

/** Methods of the network's side. */
export type NetworkJobs = JobsOf<ChannelCatalogue, 'network'>
/** Methods of the services' side. */
export type LibraryJobs = JobsOf<ChannelLibrary, 'library'>

/** What the catalogue asks of itself. */
export interface OwnJobs {
  /** Takes what others wrote into own channels, keeps the quota. True: there is more to do soon. */
  'own.tend': { args: []; reply: boolean }
  /** Bytes that discovered channels may take together. */
  'own.setQuota': { args: [bytes: number]; reply: void }
}

/** Every job. */
export type CatalogueJobs = NetworkJobs & LibraryJobs & OwnJobs

/** A job of the table. */
export type CatalogueJobName = keyof CatalogueJobs

/** Methods of a port by their names alone; a missing or unknown one does not compile. */
type Names<Jobs, Prefix extends string> = {
  readonly [N in keyof Jobs as N extends `${Prefix}.${infer M}` ? M : never]: Kind
}

/**
 * `client`: a request waits for it. `background`: waits while clients' jobs do. `durable`: synced to the disk before it
 * is answered.
 */
type Kind = 'client' | 'background' | 'durable'

/** Jobs of the network's side. */
export const networkJobs: Names<NetworkJobs, 'network'> = {
  worthAnnouncing: 'background',
  wanted: 'background',
  known: 'background',
  offerHead: 'background',
  treeNode: 'background',
  lacking: 'background',
  records: 'background',
  offerRecords: 'background',
  adopt: 'background',
  extras: 'background',
  preview: 'background',
  searchFor: 'background',
  votes: 'background',
  offerVotes: 'background',
  heldRecords: 'background',
  signPack: 'durable',
}

/** Jobs of the services' side. */
export const libraryJobs: Names<LibraryJobs, 'library'> = {
  discovered: 'client',
  subscribed: 'client',
  own: 'client',
  channel: 'client',
  create: 'durable',
  change: 'durable',
  remove: 'durable',
  subscribe: 'durable',
  unsubscribe: 'durable',
  vote: 'durable',
  torrents: 'client',
  newest: 'client',
  addTorrent: 'durable',
  editTorrent: 'durable',
  removeTorrents: 'durable',
  playlists: 'client',
  createPlaylist: 'durable',
  changePlaylist: 'durable',
  removePlaylist: 'durable',
  addToPlaylist: 'durable',
  removeFromPlaylist: 'durable',
  comments: 'client',
  comment: 'durable',
  removeComment: 'durable',
  grants: 'client',
  grant: 'durable',
  author: 'durable',
  search: 'client',
  completions: 'client',
  takeFound: 'client',
  unchecked: 'background',
  checked: 'background',
  health: 'client',
  torrent: 'client',
  counts: 'client',
}

function named(kind: Kind): CatalogueJobName[] {
  const all = [
    ...Object.entries(networkJobs).map(([name, its]) => [`network.${name}`, its]),
    ...Object.entries(libraryJobs).map(([name, its]) => [`library.${name}`, its]),
  ]
  return all.filter(([, its]) => its === kind).map(([name]) => name as CatalogueJobName)
}

/** Jobs that wait while others do. */
export const backgroundJobs: ReadonlySet<CatalogueJobName> = new Set([...named('background'), 'own.tend' as const])

/** Jobs whose batch is synced to the disk before it is answered. */
export const durableJobs: ReadonlySet<CatalogueJobName> = new Set([...named('durable'), 'own.tend' as const])

/** How the thread is started. */
export interface CatalogueOptions {
  /** Path of the database file. */
  readonly path: string
  /** Bytes that records of discovered channels may take together. */
  readonly quotaBytes: number
}

/** How the catalogue was found. */
export interface CatalogueFacts {
  /** True when this start made it. */
  readonly created: boolean
}
