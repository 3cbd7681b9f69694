// Arguments of DHT queries (key `a`): encoded from and decoded to the union of krpc-types.ts. What a node may refuse
// with an error code of its own (a value or a salt that is too big) is let through here.

import { DecodeError } from '../../base/errors.ts'
import { decodeBencode } from '../bencode.ts'
import { ID_BYTES } from './dht-id.ts'
import { encodeFields, type KrpcFieldInput, type KrpcFields, RawBencode, wantField } from './krpc-fields.ts'
import type { DhtQuery, ItemProof } from './krpc-types.ts'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const MAX_PORT = 65_535

type Arguments = { readonly [key: string]: KrpcFieldInput }

/** The name in `q`, latin1. */
export function queryName(query: DhtQuery): string {
  return query.method === 'other' ? query.name : query.method
}

function argumentsOf(query: DhtQuery): Arguments {
  switch (query.method) {
    case 'ping':
      return {}
    case 'find_node':
    case 'sample_infohashes':
    case 'other':
      return { target: query.target, want: wantField(query.want) }
    case 'get_peers':
      return {
        info_hash: query.infoHash,
        want: wantField(query.want),
        noseed: query.noSeed ? 1 : null,
        scrape: query.scrape ? 1 : null,
      }
    case 'announce_peer':
      return {
        info_hash: query.infoHash,
        token: query.token,
        port: query.port,
        implied_port: query.impliedPort ? 1 : null,
        seed: query.seed ? 1 : null,
      }
    case 'get':
      return { target: query.target, seq: query.seq, want: wantField(query.want) }
    case 'put':
      return {
        token: query.token,
        v: new RawBencode(query.value),
        k: query.proof?.key ?? null,
        seq: query.proof?.seq ?? null,
        sig: query.proof?.signature ?? null,
        salt: query.proof !== null && query.salt.length > 0 ? query.salt : null,
        cas: query.proof === null ? null : query.cas,
      }
  }
}

/** The dictionary `a` of a query by node `id`. */
export function encodeArguments(id: Uint8Array, query: DhtQuery): Uint8Array {
  return encodeFields({ ...argumentsOf(query), id })
}

function decodeAnnounce(args: KrpcFields): DhtQuery {
  const impliedPort = args.flag('implied_port')
  const port = args.count('port', MAX_PORT) ?? 0
  if (port === 0 && !impliedPort) throw new DecodeError('krpc: an announce without a port')
  return {
    method: 'announce_peer',
    infoHash: args.needed('info_hash', ID_BYTES),
    token: args.needed('token'),
    port,
    impliedPort,
    seed: args.flag('seed'),
  }
}

function decodeProof(args: KrpcFields): ItemProof | null {
  const key = args.bytes('k', KEY_BYTES)
  const signature = args.bytes('sig', SIGNATURE_BYTES)
  const seq = args.seq('seq')
  if (key === null && signature === null && seq === null) return null
  if (key === null || signature === null || seq === null) throw new DecodeError('krpc: half a mutable item')
  return { key, seq, signature }
}

/** The raw bencode at `v`, copied and known to decode, or null. Throws DecodeError. */
export function decodeItemValue(fields: KrpcFields): Uint8Array | null {
  const raw = fields.raw('v')
  if (raw === null) return null
  decodeBencode(raw)
  return Uint8Array.from(raw)
}

function decodePut(args: KrpcFields): DhtQuery {
  const value = decodeItemValue(args)
  if (value === null) throw new DecodeError('krpc: a put without a value')
  const proof = decodeProof(args)
  return {
    method: 'put',
    token: args.needed('token'),
    value,
    proof,
    salt: (proof === null ? null : args.bytes('salt')) ?? new Uint8Array(0),
    cas: proof === null ? null : args.seq('cas'),
  }
}

/** The query `name` with the arguments `args`. Throws DecodeError when they are not what the method needs. */
export function decodeQuery(name: string, args: KrpcFields): DhtQuery {
  switch (name) {
    case 'ping':
      return { method: 'ping' }
    case 'find_node':
      return { method: 'find_node', target: args.needed('target', ID_BYTES), want: args.want() }
    case 'sample_infohashes':
      return { method: 'sample_infohashes', target: args.needed('target', ID_BYTES), want: args.want() }
    case 'get_peers':
      return {
        method: 'get_peers',
        infoHash: args.needed('info_hash', ID_BYTES),
        want: args.want(),
        noSeed: args.flag('noseed'),
        scrape: args.flag('scrape'),
      }
    case 'announce_peer':
      return decodeAnnounce(args)
    case 'get':
      return { method: 'get', target: args.needed('target', ID_BYTES), seq: args.seq('seq'), want: args.want() }
    case 'put':
      return decodePut(args)
    default:
      return { method: 'other', name, target: args.bytes('target', ID_BYTES), want: args.want() }
  }
}
