// Links to torrents that are updated (BEP 46): `magnet:?xs=urn:btpk:<public key>&s=<salt>`. The key and the salt name
// an item of the DHT whose value names the torrent. Read from hostile text and written; what else a link says is read
// as in magnet.ts.

import { DecodeError } from '../base/errors.ts'
import { MAX_SALT_BYTES } from './dht/dht-item.ts'
import {
  type MagnetSources,
  type MagnetTopics,
  magnetParameters,
  magnetSources,
  readMagnetSources,
  readTopics,
  topicsOf,
} from './metainfo/magnet.ts'

/** What an update link says. */
export interface UpdateLink extends MagnetSources {
  /** Ed25519, 64 lower-case hexadecimal digits. */
  readonly publicKey: string
  /** Lower-case hexadecimal digits of at most 64 bytes; '' = none. */
  readonly salt: string
  /** The torrent to begin with, of a link with `xt` too; null = what the key says. */
  readonly first: MagnetTopics | null
}

const BTPK = /^urn:btpk:(.*)$/is

/**
 * Reads an update link; null for text that is no magnet link, or one that names no key. Throws DecodeError: a key is
 * named that cannot be one, a salt that is none, or what parseMagnet refuses.
 */
export function parseUpdateLink(uri: string): UpdateLink | null {
  if (!/^\s*magnet:/i.test(uri)) return null
  const parameters = magnetParameters(uri)
  const key = (parameters.get('xs') ?? []).map(source => BTPK.exec(source)?.[1]).find(found => found !== undefined)
  if (key === undefined) return null
  if (!/^[0-9a-f]{64}$/i.test(key)) throw new DecodeError('the public key of the link is not 64 hexadecimal digits')
  const topics = (parameters.get('xt') ?? []).filter(topic => /^urn:bt[im]h:/i.test(topic))
  return {
    publicKey: key.toLowerCase(),
    salt: readSalt(parameters.get('s')?.[0] ?? ''),
    first: topics.length === 0 ? null : readTopics(topics),
    ...readMagnetSources(parameters),
  }
}

/** Writes an update link; parseUpdateLink reads back the same. */
export function formatUpdateLink(
  link: Pick<UpdateLink, 'publicKey' | 'salt'> & Partial<Omit<UpdateLink, 'publicKey' | 'salt'>>,
): string {
  const { publicKey, salt, first } = link
  const topics = first === undefined || first === null ? [] : topicsOf(first)
  const names = [`xs=urn:btpk:${publicKey}`, ...(salt === '' ? [] : [`s=${salt}`])]
  return `magnet:?${[...topics, ...names, ...magnetSources(link)].join('&')}`
}

function readSalt(text: string): string {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new DecodeError('the salt of the link is not hexadecimal')
  if (text.length > 2 * MAX_SALT_BYTES) throw new DecodeError(`the salt of the link has over ${MAX_SALT_BYTES} bytes`)
  return text.toLowerCase()
}
