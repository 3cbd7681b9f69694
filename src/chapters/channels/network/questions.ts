// The questions of the overlay of channels as packets, and what tagged items mean. Nothing is checked here beyond its
// form.

import { DecodeError } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Overlay } from '../../overlay/core/index.ts'
import { headFromBytes, headToBytes } from '../wire/head-codec.ts'
import { channelIdBytes, recordIdBytes } from '../wire/ids.ts'
import type { ChannelHead, ChannelId, ChannelVote, RecordId } from '../wire/types.ts'
import { decodeVote } from '../wire/vote-codec.ts'
import { MAX_ITEMS } from '../wire/answer-parts.ts'
import {
  askAbout,
  askExtras,
  askRecords,
  askSearch,
  askTree,
  ITEM_TAG,
  MAX_SEARCH_BYTES,
} from '../wire/channel-messages.ts'
import type { Question } from './request-client.ts'

const ADDRESS_BYTES = 6

/** Head newer than `known`, votes, holders, and a preview if it is wanted. */
export function questionAbout(overlay: Overlay, channel: ChannelId, known: number, preview: boolean): Question {
  const values = { channel: channelIdBytes(channel), known, preview }
  return { mostItems: MAX_ITEMS, pack: identifier => overlay.pack(askAbout, { identifier, ...values }) }
}

/** Nodes of the tree under the head `sequence`. */
export function questionForTree(
  overlay: Overlay,
  channel: ChannelId,
  sequence: number,
  prefixes: readonly string[],
): Question {
  const values = { channel: channelIdBytes(channel), sequence, prefixes }
  return { mostItems: prefixes.length, pack: identifier => overlay.pack(askTree, { identifier, ...values }) }
}

/** Records by their ids. */
export function questionForRecords(overlay: Overlay, channel: ChannelId, ids: readonly RecordId[]): Question {
  const values = { channel: channelIdBytes(channel), ids: ids.map(recordIdBytes) }
  return { mostItems: ids.length, pack: identifier => overlay.pack(askRecords, { identifier, ...values }) }
}

/** Ids of records that no head has yet. */
export function questionForExtras(overlay: Overlay, channel: ChannelId): Question {
  const values = { channel: channelIdBytes(channel) }
  return { mostItems: 8, pack: identifier => overlay.pack(askExtras, { identifier, ...values }) }
}

/** A search; the text is cut to what fits. */
export function questionOfSearch(overlay: Overlay, text: string): Question {
  const bytes = Buffer.from(text, 'utf8')
  const values = { text: bytes.length <= MAX_SEARCH_BYTES ? bytes : cutText(text) }
  return { mostItems: MAX_ITEMS, pack: identifier => overlay.pack(askSearch, { identifier, ...values }) }
}

function cutText(text: string): Uint8Array {
  let cut = text.slice(0, MAX_SEARCH_BYTES)
  while (Buffer.byteLength(cut, 'utf8') > MAX_SEARCH_BYTES) cut = cut.slice(0, -1)
  return Buffer.from(cut, 'utf8')
}

/** An item with its tag before it. */
export function tagged(tag: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(tag), bytes])
}

/** The item of a head. */
export function headItem(head: ChannelHead): Uint8Array {
  return tagged(ITEM_TAG.head, headToBytes(head))
}

/** The item of an address; null: it is no IPv4 address. */
export function addressItem({ ip, port }: PeerAddress): Uint8Array | null {
  const digits = ip.split('.').map(Number)
  return digits.length === 4 ? Uint8Array.of(ITEM_TAG.address, ...digits, port >> 8, port & 0xff) : null
}

/** What tagged items were. */
export interface TaggedItems {
  readonly heads: ChannelHead[]
  readonly records: Uint8Array[]
  readonly votes: ChannelVote[]
  readonly addresses: PeerAddress[]
  /** Some were malformed. */
  bad: boolean
}

/** Sorts items by their tags; those of no known tag are passed over. */
export function readTagged(items: Iterable<Uint8Array>): TaggedItems {
  const read: TaggedItems = { heads: [], records: [], votes: [], addresses: [], bad: false }
  for (const item of items) {
    try {
      readItem(item, read)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      read.bad = true
    }
  }
  return read
}

function readItem(item: Uint8Array, to: TaggedItems): void {
  const bytes = item.subarray(1)
  if (item[0] === ITEM_TAG.head) to.heads.push(headFromBytes(bytes))
  if (item[0] === ITEM_TAG.record) to.records.push(bytes)
  if (item[0] === ITEM_TAG.vote) to.votes.push(decodeVote(bytes))
  if (item[0] === ITEM_TAG.address && bytes.length === ADDRESS_BYTES) to.addresses.push(addressOf(bytes))
}

function addressOf(bytes: Uint8Array): PeerAddress {
  return { ip: bytes.subarray(0, 4).join('.'), port: ((bytes[4] as number) << 8) | (bytes[5] as number) }
}
