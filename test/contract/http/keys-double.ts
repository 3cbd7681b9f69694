// A double of the service of further keys: notes every call.

import type { KeysService } from '../../../src/services/callers-api.ts'

/** What the double of all services has for them. */
export function keysDouble(note: (...call: unknown[]) => void): KeysService {
  return {
    list: () => ({ keys: [{ name: 'living-room', scopes: ['read'], label: null, created: 1.5 }] }),
    async add(name, scopes, label = null) {
      note('addKey', name, scopes)
      return { name, scopes: ['read'], label, key: 'ab'.repeat(32) }
    },
    async remove(name) {
      note('removeKey', name)
      return { name, removed: true }
    },
  }
}
