// Who may write what in a channel, by its mode and the grants of its owner (decision 0402). Judges extras only: what
// the owner has taken into a head counts, no matter who wrote it.

import { channelIdOf } from './ids.ts'
import type { ChannelId, ChannelMode, RecordId, RecordKind, UnsignedRecord } from './types.ts'

/** What a contributor may do. */
export interface Rights {
  readonly add: boolean
  readonly moderate: boolean
}

/** The rules of a channel at a time. */
export interface ChannelRules {
  readonly channel: ChannelId
  /** Of the newest channel record; closed where there is none. */
  readonly mode: ChannelMode
  /** The newest grant of each key: keyOf(contributor). */
  readonly grants: ReadonlyMap<string, Rights>
}

/** What is known of a record that another one is about. */
export interface Target {
  readonly kind: RecordKind
  readonly author: Uint8Array
}

/** Finds a target; null: it is not here. */
export type TargetOf = (id: RecordId) => Target | null

const NO_RIGHTS: Rights = { add: false, moderate: false }
const DELETABLE: ReadonlySet<RecordKind> = new Set<RecordKind>(['torrent', 'playlist', 'entry', 'edit', 'comment'])
const EDITABLE: ReadonlySet<RecordKind> = new Set<RecordKind>(['torrent', 'playlist'])

/** A public key as key of a map: its hexadecimal digits. */
export function keyOf(publicKey: Uint8Array): string {
  return Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length).toString('hex')
}

/** Whether this key owns the channel. */
export function isOwner(publicKey: Uint8Array, channel: ChannelId): boolean {
  return channelIdOf(publicKey) === channel
}

/**
 * Whether `rules` allow the record as an extra. What is about a record that is not here is not allowed, but to the
 * owner.
 */
export function mayWrite(record: UnsignedRecord, rules: ChannelRules, targetOf: TargetOf): boolean {
  if (record.channel !== rules.channel) return false
  if (isOwner(record.author, rules.channel)) return true
  const { content } = record
  if (content.kind === 'edit') return mayChange(record.author, content.target, EDITABLE, rules, targetOf)
  if (content.kind === 'deletion')
    return content.targets.every(target => mayChange(record.author, target, DELETABLE, rules, targetOf))
  return mayAdd(record.author, content.kind, rules)
}

/** Whether an author other than the owner may write new records of `kind`. */
export function mayAdd(author: Uint8Array, kind: RecordKind, rules: ChannelRules): boolean {
  const rights = rules.grants.get(keyOf(author)) ?? NO_RIGHTS
  switch (kind) {
    case 'torrent':
    case 'entry':
      return rights.add || rules.mode === 'open'
    case 'playlist':
      return rights.add
    case 'comment':
      return rights.add || rights.moderate || rules.mode !== 'closed'
    case 'channel':
    case 'grant':
      return false
    case 'edit':
    case 'deletion':
      return rights.add || rights.moderate || rules.mode !== 'closed'
    default:
      return kind satisfies never
  }
}

/** Moderators change what others wrote too; everybody what they wrote, as long as they could write it now. */
function mayChange(
  author: Uint8Array,
  id: RecordId,
  kinds: ReadonlySet<RecordKind>,
  rules: ChannelRules,
  targetOf: TargetOf,
): boolean {
  const target = targetOf(id)
  if (target === null || !kinds.has(target.kind)) return false
  if (rules.grants.get(keyOf(author))?.moderate === true) return true
  return keyOf(target.author) === keyOf(author) && mayAdd(author, target.kind, rules)
}
