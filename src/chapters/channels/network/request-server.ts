// Answers questions of peers from the catalogue. Only known peers at their known addresses are answered, so that no
// host gets datagrams that another one asked for; what an answer may cost is bounded before it begins.

import { errorText } from '../../../base/errors.ts'
import { addressKey } from '../../../base/ids.ts'
import type { Overlay, Peer, SignedSender } from '../../overlay/core/index.ts'
import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { channelIdFromBytes, recordIdBytes, recordIdFromBytes, recordIdOf } from '../wire/ids.ts'
import { encodeTreeNode } from '../wire/tree.ts'
import type { ChannelId, RecordId } from '../wire/types.ts'
import type { Shape, ValuesOf } from '../../overlay/wire/fields.ts'
import type { PacketMessage } from '../../overlay/wire/message.ts'
import { emptyAnswer, MAX_ITEM_BYTES, partsOf } from '../wire/answer-parts.ts'
import {
  ANSWER_STATE,
  answerPart,
  askAbout,
  askExtras,
  askRecords,
  askSearch,
  askTree,
  ITEM_TAG,
  MAX_SEARCH_BYTES,
} from '../wire/channel-messages.ts'
import { AnswerBudget } from './answer-budget.ts'
import type { Holders } from './holders.ts'
import { TOLD_EXTRAS } from './limits.ts'
import { addressItem, headItem, tagged } from './questions.ts'

/** Bytes of records in an answer. */
const MAX_ANSWER_BYTES = 40_960
/** Records of a preview, votes and addresses that an answer carries. */
const PREVIEW_RECORDS = 20
/** Votes that an answer carries. */
const TOLD_VOTES = 12
/** Addresses that an answer carries. */
const TOLD_HOLDERS = 6
/** Results of a search that are sent, and peers that are asked. */
const SEARCH_RESULTS = 20

/** What it works with. */
export interface ChannelRequestServerDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly log: Log
  readonly catalogue: ChannelCatalogue
  readonly holders: Holders
  /** Whether searches are answered. */
  answersSearches(): boolean
}

/** The items of an answer; null: we do not have that. */
type Items = readonly (Uint8Array | null)[] | null

/** Answers questions of peers from the catalogue. */
export class ChannelRequestServer {
  readonly #deps: ChannelRequestServerDeps
  readonly #budget: AnswerBudget

  /** It answers from here on. */
  constructor(deps: ChannelRequestServerDeps) {
    this.#deps = deps
    this.#budget = new AnswerBudget(deps.clock)
    this.#answer(askAbout, asked => this.#about(channelIdFromBytes(asked.channel), asked.known, asked.preview))
    this.#answer(askTree, asked => this.#tree(channelIdFromBytes(asked.channel), asked.sequence, asked.prefixes))
    this.#answer(askRecords, asked =>
      this.#records(channelIdFromBytes(asked.channel), asked.ids.map(recordIdFromBytes)),
    )
    this.#answer(askExtras, asked => this.#extras(channelIdFromBytes(asked.channel)))
    this.#answer(askSearch, asked => this.#search(asked.text), true)
  }

  /** Questions that were refused. */
  get refused(): number {
    return this.#budget.refused
  }

  #answer<S extends Shape>(
    message: PacketMessage<S>,
    make: (values: ValuesOf<S>) => Promise<Items>,
    search = false,
  ): void {
    this.#deps.overlay.onSigned(message, (values, from) => {
      const identifier = (values as unknown as { readonly identifier: number }).identifier
      const peer = atHome(from)
      if (peer === null) return this.#deps.overlay.countDropped()
      const end = this.#budget.begin(peer.member, search)
      if (end === null) return this.#deps.overlay.send(answerPart, emptyAnswer(identifier, ANSWER_STATE.busy), peer)
      void make(values)
        .then(
          items => this.#send(peer, identifier, items),
          (error: unknown) => this.#failed(peer, identifier, error),
        )
        .finally(end)
    })
  }

  #send(peer: Peer, identifier: number, items: Items): void {
    const { overlay } = this.#deps
    const parts = items === null ? [emptyAnswer(identifier, ANSWER_STATE.absent)] : partsOf(identifier, items)
    for (const part of parts) {
      const packet = overlay.pack(answerPart, part)
      this.#budget.spend(peer.member, packet.length)
      overlay.sendBytes(packet, peer.address)
    }
  }

  #failed(peer: Peer, identifier: number, error: unknown): void {
    this.#deps.log.warn('a question for a channel could not be answered', { error: errorText(error) })
    this.#deps.overlay.send(answerPart, emptyAnswer(identifier, ANSWER_STATE.busy), peer)
  }

  async #about(channel: ChannelId, known: number, wantsPreview: boolean): Promise<Items> {
    const { catalogue, holders } = this.#deps
    const at = await catalogue.known(channel)
    const addresses = holders.holdersOf(channel).slice(0, TOLD_HOLDERS)
    const items = addresses.map(peer => addressItem(peer.address))
    if (at?.head == null) return items.length > 0 ? items : null
    const [preview, votes] = await Promise.all([
      wantsPreview ? catalogue.preview(channel, PREVIEW_RECORDS) : [],
      catalogue.votes(channel, TOLD_VOTES),
    ])
    const head = at.head.sequence > known ? [headItem(at.head)] : []
    const records = preview.map(bytes => tagged(ITEM_TAG.record, bytes))
    return [...head, ...items, ...votes.map(vote => tagged(ITEM_TAG.vote, vote.bytes)), ...records]
  }

  async #tree(channel: ChannelId, sequence: number, prefixes: readonly string[]): Promise<Items> {
    const nodes = await Promise.all(prefixes.map(prefix => this.#deps.catalogue.treeNode(channel, prefix)))
    const items = nodes.map(found => (found?.sequence === sequence ? encodeTreeNode(found.node) : null))
    return items.every(item => item === null) ? null : items
  }

  /** Each at the place of its id, whatever the catalogue left out. */
  async #records(channel: ChannelId, ids: readonly RecordId[]): Promise<Items> {
    const records = await this.#deps.catalogue.records(channel, ids, MAX_ANSWER_BYTES)
    if (records.length === 0) return null
    return placed(ids, records)
  }

  async #extras(channel: ChannelId): Promise<Items> {
    const ids = await this.#deps.catalogue.extras(channel, TOLD_EXTRAS)
    const all = Buffer.concat(ids.map(recordIdBytes))
    const most = MAX_ITEM_BYTES - (MAX_ITEM_BYTES % 32)
    const items: Uint8Array[] = []
    for (let at = 0; at < all.length; at += most) items.push(all.subarray(at, at + most))
    return items
  }

  async #search(bytes: Uint8Array): Promise<Items> {
    if (!this.#deps.answersSearches()) return null
    const text = Buffer.from(bytes.subarray(0, MAX_SEARCH_BYTES)).toString('utf8')
    const found = await this.#deps.catalogue.searchFor(text, SEARCH_RESULTS)
    const records = found.records.map(record => tagged(ITEM_TAG.record, record))
    return [...found.heads.map(headItem), ...records]
  }
}

/** The peer that signed, where it is known to be; null for strangers, and for packets from another place. */
function atHome({ peer, address }: SignedSender): Peer | null {
  return peer !== null && addressKey(peer.address) === addressKey(address) ? peer : null
}

/** Records in the order of `ids`; one that was spoilt on the disk has another id now, and is left out. */
function placed(ids: readonly RecordId[], records: readonly Uint8Array[]): Items {
  const places = new Map(ids.map((id, at) => [id, at]))
  const items: (Uint8Array | null)[] = ids.map(() => null)
  for (const bytes of records) {
    const at = places.get(recordIdOf(bytes))
    if (at !== undefined) items[at] = bytes
  }
  return items
}
