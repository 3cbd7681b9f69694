// The saved state of the DHT as bytes: what lies between one start and the next. Read like a stranger's: what cannot be
// read counts as nothing saved, since the bootstrap nodes know the way too.

import { DecodeError } from '../base/errors.ts'
import { type BencodeDict, decodeBencode, encodeBencode, getBytes, getDict } from '../wire/bencode.ts'
import { ID_BYTES, idFromKey, idKey } from '../wire/dht/dht-id.ts'
import { decodeCompactNodes, encodeCompactNodes } from '../wire/dht/krpc-fields.ts'
import type { NodeContact } from '../wire/dht/krpc-types.ts'
import { MAX_SAVED } from './saved.ts'
import type { Family, SavedDht, SavedFamily } from './types.ts'

/** At most this is read: two tables of 400 nodes have less than half of it. */
const MAX_BYTES = 64 * 1024

/** A dictionary of `4` and `6`, each with `id` and compact `nodes` (BEP 5, 32). */
export function encodeSavedDht(saved: SavedDht): Uint8Array {
  return encodeBencode({ '4': familyDict(saved[4]), '6': familyDict(saved[6]) })
}

/** What encodeSavedDht gave; null for anything else. */
export function decodeSavedDht(bytes: Uint8Array): SavedDht | null {
  if (bytes.length > MAX_BYTES) return null
  try {
    const value = decodeBencode(bytes)
    return value instanceof Map ? { 4: savedFamily(value, 4), 6: savedFamily(value, 6) } : null
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

function familyDict(saved: SavedFamily | null): { id: Uint8Array; nodes: Uint8Array } | undefined {
  const id = saved === null ? null : idFromKey(saved.id)
  if (saved === null || id === null) return undefined
  const contacts = saved.nodes.flatMap(({ id: key, ip, port }): NodeContact[] => {
    const nodeId = idFromKey(key)
    return nodeId === null ? [] : [{ id: nodeId, address: { ip, port } }]
  })
  return { id, nodes: encodeCompactNodes(contacts) }
}

function savedFamily(dict: BencodeDict, family: Family): SavedFamily | null {
  const part = getDict(dict, String(family))
  const id = part && getBytes(part, 'id')
  if (part === null || id?.length !== ID_BYTES) return null
  const contacts = decodeCompactNodes(getBytes(part, 'nodes') ?? new Uint8Array(0), family === 4 ? 4 : 16, MAX_SAVED)
  const nodes = contacts.map(contact => ({ id: idKey(contact.id), ...contact.address }))
  return { id: idKey(id), nodes }
}
