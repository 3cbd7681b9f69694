// Versions of a followed torrent as downloads: a new one is added with what was asked of the one before, older ones
// stop before it touches their files, and those beyond a bound leave the list. Their data is never deleted.

import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { FileTrimmer } from '../../ports/file-trimmer.ts'
import { type FileRun, fileRuns } from '../../ports/progress-journal.ts'
import type { StoredDownload } from '../../ports/records.ts'
import type { FollowedKey, TakenVersion } from '../../ports/update-records.ts'
import { formatMagnet } from '../../wire/metainfo/magnet.ts'
import type { Metainfo, TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { parseUpdateLink } from '../../wire/update-link.ts'
import type { AddDownload, PatchDownload } from '../downloads/downloads-api.ts'
import { controlsOf, shownGoal } from '../downloads/download-controls.ts'

/** Versions of one torrent that stay in the list. */
const MAX_VERSIONS = 16

/** What a download is a version of. */
export interface Lineage {
  /** The followed key: FollowedKey.target. */
  readonly updateOf: string
  /** The newest version; null = this one is. */
  readonly updatedBy: InfoHash | null
}

/** What is asked of the downloads. */
export interface VersionDownloads {
  add(request: AddDownload): Promise<unknown>
  patch(infohash: string, change: PatchDownload): Promise<unknown>
  remove(infohash: string, removeData: boolean): Promise<unknown>
  /** Its row; null when it is no download. AppError NotReady. */
  row(infoHash: InfoHash): StoredDownload | null
  /** Its metainfo; null when it is not known, or it is no download. */
  metainfo(infoHash: InfoHash): Promise<Metainfo | null>
  /** Files that are noted as its own. */
  ownFiles(infoHash: InfoHash): Promise<readonly FileRun[]>
  /** What its record shows of it. */
  setLineage(infoHash: InfoHash, lineage: Lineage | null): void
}

/** What happens to older versions: `stop`, or `seed` where the new one has other files. */
export type OldVersions = 'stop' | 'seed'

/** The newest version; null = none is known. */
export function newestOf(key: Pick<FollowedKey, 'versions'>): TakenVersion | null {
  return key.versions.at(-1) ?? null
}

/** The downloads of followed torrents. */
export class UpdateVersions {
  readonly #downloads: VersionDownloads
  readonly #trimmer: FileTrimmer

  constructor(downloads: VersionDownloads, trimmer: FileTrimmer) {
    this.#downloads = downloads
    this.#trimmer = trimmer
  }

  /** The newest version is paused: no newer one is looked for meanwhile. */
  paused(key: FollowedKey): boolean {
    const newest = newestOf(key)
    const row = newest === null ? null : this.#downloads.row(newest.infoHash)
    return row !== null && row.userStopped && !row.goalReached
  }

  /**
   * The newest version goes over circuits: nothing of it is sent to the plain DHT, not even a look-up of the next one.
   */
  hidden(key: FollowedKey): boolean {
    const newest = newestOf(key)
    return newest !== null && (this.#downloads.row(newest.infoHash)?.hops ?? 0) > 0
  }

  /**
   * The newest version becomes a download if it is none. One that is there already goes on; its files are looked at
   * first, since they may have become those of another version. Rejects as adding does.
   */
  async begin(key: FollowedKey, mode: OldVersions): Promise<void> {
    const infoHash = newestOf(key)?.infoHash
    if (infoHash === undefined) return
    this.show(key)
    if (this.#downloads.row(infoHash) === null) {
      await this.#downloads.add(this.#requestFor(key, infoHash))
      this.show(key)
      return
    }
    const metainfo = await this.#downloads.metainfo(infoHash)
    if (metainfo !== null) await this.leaveBehind(key, metainfo, mode)
    await this.#downloads.patch(infoHash, { state: 'resume' })
  }

  /** The newest version is no download, although no user removed it. */
  missing(key: FollowedKey): boolean {
    const newest = newestOf(key)
    return newest !== null && this.#downloads.row(newest.infoHash) === null
  }

  /**
   * Older versions end before the newest, whose metadata is now known, touches a file: all of them, or with `seed`
   * those that have a file where it will write. Files of their own that become shorter are cut. Answers which files of
   * the newest were theirs: what merely was in their place, or was a hard link, is checked again.
   */
  async leaveBehind(key: FollowedKey, metainfo: Metainfo, mode: OldVersions): Promise<FileRun[]> {
    const taken = new Set<number>()
    const destination = this.#downloads.row(metainfo.infoHash)?.destination ?? this.#heir(key)?.destination
    const older = key.versions.filter(({ infoHash }) => infoHash !== metainfo.infoHash)
    for (const { infoHash } of older) {
      const row = this.#downloads.row(infoHash)
      if (row === null) continue
      const before = await this.#downloads.metainfo(infoHash)
      const shared = before === null || row.destination !== destination ? [] : sharedFiles(before.files, metainfo)
      if (!row.userStopped && (mode === 'stop' || shared.length > 0)) {
        await this.#downloads.patch(infoHash, { state: 'stop' })
      }
      if (before === null || shared.length === 0) continue
      const runs = await this.#downloads.ownFiles(infoHash)
      const theirs = sharedFiles(
        before.files.filter(({ index }) => isInRuns(runs, index)),
        metainfo,
      )
      if (theirs.length > 0) await this.#trimmer.trim(row.destination, theirs)
      for (const { index } of theirs) taken.add(index)
    }
    return fileRuns([...taken])
  }

  /** The versions that stay after a new one came: one whose metadata was never known is worth nothing. */
  kept(versions: readonly TakenVersion[]): readonly TakenVersion[] {
    const newest = versions.at(-1)
    const worth = versions.filter(
      version => version === newest || (this.#downloads.row(version.infoHash)?.pieceCount ?? 0) > 0,
    )
    return worth.slice(-MAX_VERSIONS)
  }

  /** Downloads of versions that do not stay leave the list. */
  async drop(versions: readonly TakenVersion[]): Promise<void> {
    for (const { infoHash } of versions) {
      this.#downloads.setLineage(infoHash, null)
      if (this.#downloads.row(infoHash) === null) continue
      await this.#downloads.remove(infoHash, false).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'DownloadNotFound') throw error
      })
    }
  }

  /** Records of all versions say what they are versions of; or no more. */
  show(key: FollowedKey, followed = true): void {
    const newest = newestOf(key)
    for (const version of key.versions) {
      const updatedBy = version === newest || newest === null ? null : newest.infoHash
      this.#downloads.setLineage(version.infoHash, followed ? { updateOf: key.target, updatedBy } : null)
    }
  }

  /** What the download of a version is asked for: what the one before had, else what came with the link. */
  #requestFor(key: FollowedKey, infoHash: InfoHash): AddDownload {
    const link = parseUpdateLink(key.uri)
    const { trackers = [], peers = [], webSeeds = [], first = null } = link ?? {}
    const named = first?.infoHash === infoHash ? first : { infoHash }
    const uri = formatMagnet({ ...named, trackers, peers, webSeeds })
    const heir = this.#heir(key)
    return heir === null
      ? { ...(JSON.parse(key.request) as Omit<AddDownload, 'uri'>), uri }
      : { ...requestOf(heir), uri }
  }

  /** The newest version that is a download. */
  #heir(key: FollowedKey): StoredDownload | null {
    for (const { infoHash } of key.versions.toReversed()) {
      const row = this.#downloads.row(infoHash)
      if (row !== null) return row
    }
    return null
  }
}

/** Everything that was asked of a download and means the same for its next version; file numbers do not. */
function requestOf(row: StoredDownload): Omit<AddDownload, 'uri'> {
  const controls = controlsOf(row)
  return {
    destination: row.destination,
    anon_hops: row.hops,
    safe_seeding: row.safeSeeding,
    max_download_speed: controls.maxDownloadRate,
    max_upload_speed: controls.maxUploadRate,
    seeding_ratio: shownGoal(controls.seedingRatio),
    seeding_time: shownGoal(controls.seedingMinutes),
    sequential: controls.sequential,
    watch_and_forget: controls.watchAndForget === true,
    labels: [...controls.labels],
  }
}

function isInRuns(runs: readonly FileRun[], index: number): boolean {
  return runs.some(([first, last]) => first <= index && index <= last)
}

/** The files of `after` that have the path of one of `before`. */
function sharedFiles(before: readonly TorrentFile[], after: Metainfo): TorrentFile[] {
  const paths = new Set(before.filter(file => !file.padding).map(pathKey))
  return after.files.filter(file => !file.padding && paths.has(pathKey(file)))
}

/** Equal for files that are one on a file system without case too. */
function pathKey({ path }: TorrentFile): string {
  return path.join('/').toLowerCase()
}
