// Messages of the overlay of channels, which is ours: who knows and holds which channel, questions of holders, and
// answers in parts. Questions and news are signed by the peer; parts are not: each belongs to a question, and what they
// carry is checked on its own.

import { DecodeError } from '../../../base/errors.ts'
import { bool, counted, type Field, fixed, list16, record, u16, u32, u8, upTo, v16 } from '../../overlay/wire/fields.ts'
import { signed, unsigned } from '../../overlay/wire/message.ts'
import { prefix } from '../../overlay/wire/prefix.ts'

/** Most entries of a `have`: with key and signature it stays under 1,300 bytes. */
export const MAX_HAVE_ENTRIES = 29
/** Most records or ids of one question. */
export const MAX_ASKED_IDS = 32
/** Most nodes of a tree that one question is for. */
export const MAX_ASKED_NODES = 16
/** Most bytes of the text of a search. */
export const MAX_SEARCH_BYTES = 256

const channel = fixed(20)
const id = fixed(32)
const identifier = u32

/** A number of a head. Numbers that are no safe integers are refused. */
const sequence: Field<number> = {
  read(from) {
    const value = from.u64()
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new DecodeError('a number of a head that is too big')
    return Number(value)
  },
  write: (to, value) => to.u64(BigInt(value)),
}

/**
 * What the sender has of channels: the newest head it knows, the head whose set it holds (0: none), whether it wants
 * the channel (own or subscribed).
 */
export const have = signed(1, 'have', {
  entries: upTo(MAX_HAVE_ENTRIES, record({ channel, sequence, held: sequence, wants: bool })),
})
/**
 * Asks for the head of a channel where it is newer than `known`, votes, addresses of holders, and a preview if wanted:
 * tagged items.
 */
export const askAbout = signed(2, 'ask-about', { identifier, channel, known: sequence, preview: bool })
/**
 * Asks for nodes of the tree under the head `sequence`; the items are encodings of nodes, in the order of the prefixes.
 */
export const askTree = signed(3, 'ask-tree', { identifier, channel, sequence, prefixes: upTo(MAX_ASKED_NODES, prefix) })
/** Asks for records; the items are their encodings, in the order of the ids. */
export const askRecords = signed(4, 'ask-records', { identifier, channel, ids: upTo(MAX_ASKED_IDS, id) })
/** Asks for the ids of records that no head has yet: items of many ids. */
export const askExtras = signed(5, 'ask-extras', { identifier, channel })
/** Searches what the asked peer has: tagged items. */
export const askSearch = signed(6, 'ask-search', { identifier, text: v16 })
/** There are new records that no head has yet. */
export const tellExtras = signed(7, 'tell-extras', { channel, ids: upTo(MAX_ASKED_IDS, id) })
/** New votes. */
export const tellVotes = signed(8, 'tell-votes', { votes: list16 })

/** What an answer is: items follow; the asked peer has too much to do; it does not have that. */
export const ANSWER_STATE = { items: 0, busy: 1, absent: 2 } as const

/** A part of an answer: pieces of items. An item is numbered, may be split, and says its whole length. */
export const answerPart = unsigned(10, 'answer-part', {
  identifier,
  part: u8,
  parts: u8,
  state: u8,
  pieces: counted(record({ item: u8, offset: u16, length: u16, data: v16 })),
})

/** What a tagged item is; its first byte. An address is an IPv4 address and port, 6 bytes. */
export const ITEM_TAG = { head: 1, record: 2, vote: 3, address: 4 } as const
