// Every client of the benchmarks: ours and its rivals.

import type { FlowOptions } from '../flow-result.ts'
import { aria2 } from './aria2.ts'
import type { Ability, ClientKind } from './client.ts'
import { libtorrent } from './libtorrent.ts'
import { qbittorrent } from './qbittorrent.ts'
import { transmission } from './transmission.ts'
import { tributary } from './tributary.ts'
import { webtorrent } from './webtorrent.ts'

const kinds: readonly ClientKind[] = [tributary, libtorrent, qbittorrent, aria2, transmission, webtorrent]

export interface Present {
  readonly kinds: readonly ClientKind[]
  /** A sentence for each that is missing. */
  readonly notes: readonly string[]
}

/** So slow in transfers that only a run of everything has the time. */
const SLOW_TRANSFERS = 'transmission'

/** Those of `kinds` that transfer at this level. */
export function transferring(kinds: readonly ClientKind[], level: FlowOptions['level']): readonly ClientKind[] {
  return level === 'all' ? kinds : kinds.filter(kind => kind.name !== SLOW_TRANSFERS)
}

/** The clients on this machine that have all of `abilities`, in the order of the table; `only` narrows them by name. */
export function clientsThatCan(abilities: readonly Ability[], only: readonly string[] | null): Present {
  const able = kinds.filter(kind => abilities.every(ability => kind.can.has(ability)))
  const wanted = able.filter(kind => only === null || kind.name === 'tributary' || only.includes(kind.name))
  const missing = wanted.flatMap(kind => {
    const why = kind.missing()
    return why === null ? [] : [`${kind.name} is missing (${why})`]
  })
  return { kinds: wanted.filter(kind => kind.missing() === null), notes: missing }
}
