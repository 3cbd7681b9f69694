// The DHT as the services' store of mutable items.

import type { FoundItem } from '../../dht/one-lookup.ts'
import type { DhtNode } from '../../dht/node.ts'
import type { FoundSignedItem, TargetedItems } from '../../ports/dht-items.ts'

const NO_SALT = new Uint8Array(0)

/** TargetedItems over a DHT. */
export function itemsOf(dht: Pick<DhtNode, 'getItem' | 'putItem'>): TargetedItems {
  return {
    findTarget: async target => signedItem(await dht.getItem({ keyTarget: target }), NO_SALT),
    find: async (key, salt) => signedItem(await dht.getItem({ key, salt }), salt),
    store: async ({ key, salt, seq, value, signature }) => {
      const { stored, newer } = await dht.putItem({ value, salt, proof: { key, seq, signature }, cas: null })
      return { stored, newer: signedItem(newer, salt) }
    },
  }
}

function signedItem(found: FoundItem | null, salt: Uint8Array): FoundSignedItem | null {
  if (found === null || found.proof === null) return null
  return { ...found.proof, salt, value: found.value, copies: found.copies }
}
