// A double of the service of links that were given away: one link, every call noted.

import type { GivenLink, GivenLinks } from '../../../src/ports/viewing/given-links.ts'
import type { LinksService } from '../../../src/services/links/links-api.ts'
import { HASH } from './sample-records.ts'

/** The link that is there. */
export const GIVEN: GivenLink = {
  id: 'AbCdEfGhIjKlMnOp',
  name: 'the tablet',
  infohash: HASH,
  fileIndex: null,
  of: 'Film',
  createdMs: 1_700_000_000_000,
  endsMs: null,
  oneDevice: false,
  device: '',
}

/** What the double of all services has for links; `find` is for the gate. */
export function linksDouble(note: (...call: unknown[]) => void): LinksService & GivenLinks {
  let links: readonly GivenLink[] = [GIVEN]
  return {
    find: id => links.find(link => link.id === id) ?? null,
    admits(id, device) {
      const link = links.find(one => one.id === id)
      if (link === undefined) return false
      links = links.map(one => (one.id === id && one.oneDevice && one.device === '' ? { ...one, device } : one))
      return !link.oneDevice || link.device === '' || link.device === device
    },
    list: () => links,
    add: async wanted => {
      note('addLink', wanted)
      const { days, ...link } = wanted
      const added = { ...GIVEN, ...link, id: 'x'.repeat(16), endsMs: days === 0 ? null : 4_000_000_000_000 }
      links = [...links, added]
      return added
    },
    remove: async id => {
      note('removeLink', id)
      links = links.filter(link => link.id !== id)
      return { id, removed: true }
    },
  }
}
