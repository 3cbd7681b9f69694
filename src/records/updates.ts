// UpdateRecords, as ports/update-records.ts asks for them, over the database thread.

import type { InfoHash } from '../base/ids.ts'
import type { FollowedKey, HeldItem, PublishedTorrent, TakenVersion, UpdateRecords } from '../ports/update-records.ts'
import type { RecordsLink } from './records-link.ts'
import type { FollowedRow } from './update-rows.ts'

/** UpdateRecords, as ports/update-records.ts asks for them, over the database thread. */
export class DatabaseUpdates implements UpdateRecords {
  readonly #link: RecordsLink

  constructor(link: RecordsLink) {
    this.#link = link
  }

  async followed(): Promise<FollowedKey[]> {
    const rows = await this.#link.run('update.followed')
    return rows.map(({ target, publicKey, salt, uri, request, addedAtMs, ...row }) => ({
      target,
      publicKey,
      salt,
      uri,
      request,
      addedAtMs,
      held: heldOf(row),
      versions: versionsOf(row.versions),
    }))
  }

  async keepFollowed({ held, versions, ...key }: FollowedKey): Promise<void> {
    const item = held === null ? { seq: null, value: null, signature: null } : { ...held, seq: `${held.seq}` }
    const taken = versions.map(({ infoHash, seq, takenAtMs }) => [infoHash, seq === null ? null : `${seq}`, takenAtMs])
    await this.#link.run('update.keepFollowed', { ...key, ...item, versions: JSON.stringify(taken) })
  }

  async dropFollowed(target: string): Promise<void> {
    await this.#link.run('update.dropFollowed', target)
  }

  async published(): Promise<PublishedTorrent[]> {
    const rows = await this.#link.run('update.published')
    return rows.map(row => ({ ...row, seq: BigInt(row.seq) }))
  }

  async keepPublished(torrent: PublishedTorrent): Promise<void> {
    await this.#link.run('update.keepPublished', { ...torrent, seq: `${torrent.seq}` })
  }

  async dropPublished(name: string): Promise<void> {
    await this.#link.run('update.dropPublished', name)
  }
}

function heldOf({ seq, value, signature }: Pick<FollowedRow, 'seq' | 'value' | 'signature'>): HeldItem | null {
  return seq === null || value === null || signature === null ? null : { seq: BigInt(seq), value, signature }
}

function versionsOf(text: string): TakenVersion[] {
  const rows = JSON.parse(text) as [infoHash: InfoHash, seq: string | null, takenAtMs: number][]
  return rows.map(([infoHash, seq, takenAtMs]) => ({ infoHash, seq: seq === null ? null : BigInt(seq), takenAtMs }))
}
