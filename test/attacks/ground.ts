// What an attack of one kind is given.

import type { Fuzz } from '../kit/sim/fuzz.ts'
import type { MadeTorrent } from '../kit/content/make-torrent.ts'
import type { NodeProcess } from '../kit/nodes/node-process.ts'
import type { Tally } from './tally.ts'

/** What an attack of one kind is given. */
export interface Ground {
  readonly tally: Tally
  readonly node: NodeProcess
  readonly fuzz: Fuzz
  readonly film: MadeTorrent
  readonly peerPort: number
  readonly trackerUrl: string
}

/** A text or bytes with their length before them. */
export const bencoded = (text: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${text.length}:`), Buffer.from(text)])
