// The playlist of a download: its playable files with signed links, made in turns of the event loop.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../base/errors.ts'
import type { GivenLink } from '../../ports/viewing/given-links.ts'
import type { Asker } from '../../services/downloads/streams-api.ts'
import type { DownloadsService } from '../../services/downloads/downloads-api.ts'
import type { LinkSigner } from '../links.ts'
import { type PlaylistEntry, playlistHead, playlistLines } from './m3u.ts'
import { type NamedFile, type PlayedFile, playedFiles } from './sidecars.ts'

/** Entries of a playlist, and files looked at for it. */
const MAX_ENTRIES = 10_000
const MAX_FILES = 50_000
/** Each entry costs signatures. */
const ENTRIES_PER_TURN = 100
const FILES_PER_TURN = 2000

/** What a playlist is made of. */
export interface PlaylistFacts {
  readonly downloads: DownloadsService
  readonly links: LinkSigner
  readonly infohash: string
  /** The link it was asked for by: those in it last as long. */
  readonly given: GivenLink | null
  /** Where files go on, seconds by index; others are played from their start. */
  readonly starts: ReadonlyMap<number, number>
  /** `http://host:port` as the client reached the node. */
  readonly base: string
}

/**
 * The text of the playlist. Waits up to 60 s for the metadata. Only selected files are in it. AppErrors
 * DownloadNotFound, MetadataTimeout, FileNotFound (there is nothing to play), Aborted.
 */
export async function playlistOf(facts: PlaylistFacts, asker: Asker): Promise<string> {
  const { downloads, infohash } = facts
  await downloads.streamable(infohash, '0', asker)
  const played = playedFiles(await selectedFiles(facts))
  if (played.length === 0) throw new AppError('FileNotFound', 'The download has no selected file that a player plays.')
  let text = playlistHead(await nameOf(facts))
  for (const [at, file] of played.slice(0, MAX_ENTRIES).entries()) {
    if (at % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await nextTurn()
    text += playlistLines(entryOf(facts, file))
  }
  return text
}

async function nameOf({ downloads, infohash }: PlaylistFacts): Promise<string> {
  const options = { peers: false, pieces: false, files: false, only: [infohash] }
  for await (const { name } of downloads.list(options)) return name
  return infohash
}

async function selectedFiles({ downloads, infohash }: PlaylistFacts): Promise<NamedFile[]> {
  const files: NamedFile[] = []
  let looked = 0
  for (const { index, name, included } of await downloads.files(infohash)) {
    if (included) files.push({ index, name })
    looked += 1
    if (looked % FILES_PER_TURN === 0) await nextTurn()
    if (looked >= MAX_FILES) break
  }
  return files
}

function entryOf(facts: PlaylistFacts, { index, name, sidecars }: PlayedFile): PlaylistEntry {
  return {
    title: name,
    url: linkTo(facts, index, name),
    sidecarUrls: sidecars.map(sidecar => linkTo(facts, sidecar.index, sidecar.name)),
    startSec: facts.starts.get(index) ?? 0,
  }
}

function linkTo({ links, infohash, given, base }: PlaylistFacts, index: number, name: string): string {
  return `${base}${links.namedStreamUrl(infohash, index, name.slice(name.lastIndexOf('/') + 1), given)}`
}
