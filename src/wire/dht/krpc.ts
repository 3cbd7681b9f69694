// Datagrams of the Mainline DHT (KRPC, BEP 5 with 32, 33, 42, 43, 44, 51): one bencoded dictionary each. Decoding gives
// a message, an invalid query that deserves an error, or a DecodeError. Timing and trust are the node's job.

import { DecodeError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import { utf8Text } from '../bencode.ts'
import { decodeCompactPeers, encodeCompactPeer } from '../net/compact-address.ts'
import { FILTER_BYTES } from './dht-filter.ts'
import { ID_BYTES } from './dht-id.ts'
import { decodeSeenAs, encodeCompactNodes, encodeFields, KrpcFields, RawBencode } from './krpc-fields.ts'
import { decodeItemValue, decodeQuery, encodeArguments, queryName } from './krpc-query.ts'
import type { DhtReply, InvalidQuery, KrpcMessage } from './krpc-types.ts'

export * from './krpc-types.ts'

/** Largest datagram that is read, bytes: BEP 32 allows 1024, answers with items are larger. */
export const MAX_KRPC_BYTES = 4096
/** Longest transaction id that is echoed, bytes: two to eight are the custom. */
const MAX_TRANSACTION_ID_BYTES = 32
/** Longest version (`v`) that is kept, bytes: four are the custom. */
const MAX_VERSION_BYTES = 16
/** Most peers read from one reply: more do not fit. */
const MAX_VALUES = 256
/** Most samples read from one reply (BEP 51). */
const MAX_SAMPLES = 256
/** Longest interval between samples, seconds (BEP 51). */
const MAX_SAMPLE_INTERVAL_SEC = 21_600

/** True when a datagram looks like one of the DHT's: a dictionary. Packets of uTP (BEP 29) never do. */
export function looksLikeKrpc(datagram: Uint8Array): boolean {
  return datagram.length >= 2 && datagram[0] === 0x64 && datagram[datagram.length - 1] === 0x65
}

function encodeReply(reply: DhtReply): Uint8Array {
  return encodeFields({
    id: reply.id,
    nodes: reply.nodes === null ? null : encodeCompactNodes(reply.nodes),
    nodes6: reply.nodes6 === null ? null : encodeCompactNodes(reply.nodes6),
    token: reply.token,
    values: reply.values === null ? null : reply.values.map(encodeCompactPeer),
    BFsd: reply.seedFilter,
    BFpe: reply.peerFilter,
    v: reply.value === null ? null : new RawBencode(reply.value),
    k: reply.key,
    seq: reply.seq,
    sig: reply.signature,
    samples: reply.samples === null ? null : Buffer.concat(reply.samples),
    num: reply.sampleTotal,
    interval: reply.sampleIntervalSec,
  })
}

/** The datagram that `message` is. */
export function encodeKrpc(message: KrpcMessage): Uint8Array {
  const { transactionId: t, version: v } = message
  if (message.kind === 'query') {
    const a = new RawBencode(encodeArguments(message.id, message.query))
    const q = Buffer.from(queryName(message.query), 'latin1')
    return encodeFields({ t, v, y: 'q', q, a, ro: message.readOnly ? 1 : null })
  }
  const ip = message.seenAs === null ? null : encodeCompactPeer(message.seenAs)
  if (message.kind === 'reply') return encodeFields({ t, v, ip, y: 'r', r: new RawBencode(encodeReply(message.reply)) })
  return encodeFields({ t, v, ip, y: 'e', e: [message.code, message.message] })
}

function decodeValues(fields: KrpcFields): PeerAddress[] | null {
  const list = fields.value('values')
  if (list === null) return null
  if (!Array.isArray(list)) throw new DecodeError('krpc: values are no list')
  const peers: PeerAddress[] = []
  for (const item of list) {
    if (peers.length >= MAX_VALUES) break
    // Entries of another shape belong to an extension we do not know.
    if (!(item instanceof Uint8Array) || (item.length !== 6 && item.length !== 18)) continue
    peers.push(...decodeCompactPeers(item, item.length === 6 ? 4 : 16, 1))
  }
  return peers
}

function decodeSamples(fields: KrpcFields): Uint8Array[] | null {
  const bytes = fields.bytes('samples')
  if (bytes === null) return null
  if (bytes.length % ID_BYTES !== 0) throw new DecodeError(`krpc: ${bytes.length} bytes of samples`)
  const count = Math.min(MAX_SAMPLES, bytes.length / ID_BYTES)
  return Array.from({ length: count }, (_, index) => bytes.slice(index * ID_BYTES, (index + 1) * ID_BYTES))
}

function decodeReply(fields: KrpcFields): DhtReply {
  return {
    id: fields.needed('id', ID_BYTES),
    nodes: fields.nodes('nodes', 4),
    nodes6: fields.nodes('nodes6', 16),
    token: fields.bytes('token'),
    values: decodeValues(fields),
    seedFilter: fields.bytes('BFsd', FILTER_BYTES),
    peerFilter: fields.bytes('BFpe', FILTER_BYTES),
    value: decodeItemValue(fields),
    key: fields.bytes('k', 32),
    seq: fields.seq('seq'),
    signature: fields.bytes('sig', 64),
    samples: decodeSamples(fields),
    sampleTotal: fields.count('num', Number.MAX_SAFE_INTEGER),
    sampleIntervalSec: fields.count('interval', MAX_SAMPLE_INTERVAL_SEC),
  }
}

function decodeFailure(top: KrpcFields): { code: number; message: string } {
  const list = top.value('e')
  if (!Array.isArray(list)) throw new DecodeError('krpc: an error without a list')
  const [code, text] = list
  if (typeof code !== 'number') throw new DecodeError('krpc: an error without a code')
  const bytes = text instanceof Uint8Array ? text : new Uint8Array(0)
  return { code, message: utf8Text(bytes) ?? Buffer.from(bytes).toString('latin1') }
}

/** A query, or why it is none; the transaction id is known already, so that an error can be sent back. */
function decodeQueryMessage(top: KrpcFields, transactionId: Uint8Array, version: Uint8Array | null): Decoded {
  try {
    const name = Buffer.from(top.needed('q')).toString('latin1')
    const raw = top.raw('a')
    if (raw === null) throw new DecodeError('krpc: a query without arguments')
    const args = new KrpcFields(raw)
    const id = args.needed('id', ID_BYTES)
    return { kind: 'query', transactionId, version, id, readOnly: top.flag('ro'), query: decodeQuery(name, args) }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { kind: 'invalid', transactionId, reason: error.message }
  }
}

type Decoded = KrpcMessage | InvalidQuery

/** The message in a datagram. Throws DecodeError for what is neither a message nor a query with wrong arguments. */
export function decodeKrpc(datagram: Uint8Array): KrpcMessage | InvalidQuery {
  if (datagram.length > MAX_KRPC_BYTES) throw new DecodeError('krpc: the datagram is too long')
  const top = new KrpcFields(datagram)
  const transactionId = top.needed('t')
  if (transactionId.length > MAX_TRANSACTION_ID_BYTES) throw new DecodeError('krpc: the transaction id is too long')
  const sent = top.value('v')
  const version = sent instanceof Uint8Array && sent.length <= MAX_VERSION_BYTES ? Uint8Array.from(sent) : null
  const kind = Buffer.from(top.needed('y')).toString('latin1')
  if (kind === 'q') return decodeQueryMessage(top, transactionId, version)
  const ip = top.value('ip')
  const seenAs = decodeSeenAs(ip instanceof Uint8Array ? ip : null)
  if (kind === 'e') return { kind: 'error', transactionId, version, seenAs, ...decodeFailure(top) }
  if (kind !== 'r') throw new DecodeError('krpc: neither query, reply nor error')
  const raw = top.raw('r')
  if (raw === null) throw new DecodeError('krpc: a reply without values')
  return { kind: 'reply', transactionId, version, seenAs, reply: decodeReply(new KrpcFields(raw)) }
}
