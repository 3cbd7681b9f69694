// What a state directory holds that an older version has left (test/vectors/upgrades): what its maker does, and what a
// test expects of it. Paths in it are absolute: both run the node where its folder is mounted at /mnt.

import { makeTorrent, type MadeTorrent } from '../../../kit/content/make-torrent.ts'

const PIECE_BYTES = 16 * 1024
const PIECES = 8

/** Where the folder with `state`, `downloads` and `watched` is mounted for the node. */
export const MOUNTED = '/mnt'

/** Of 50 downloads, each with half of its pieces. */
export const DOWNLOADS = 50
/** Bytes of a download, and of the half that is there: the first one. */
export const [WHOLE_BYTES, HALF_BYTES] = [PIECES * PIECE_BYTES, (PIECES / 2) * PIECE_BYTES]

const torrents = Array.from({ length: DOWNLOADS }, (_, number) => {
  const name = `film ${String(number).padStart(2, '0')}.mkv`
  return makeTorrent({ name, length: WHOLE_BYTES, pieceLength: PIECE_BYTES, seed: 1000 + number })
})

/** The torrent of a download, by its number from 0 on: `film NN.mkv`. Throws where there is none. */
export function oldTorrent(number: number): MadeTorrent {
  const made = torrents[number]
  if (made === undefined) throw new RangeError(`no download ${number}`)
  return made
}

/** What is in the channel of the node. */
export const publishedTorrent = (): MadeTorrent => makeTorrent({ name: 'published', length: 20_000, seed: 999 })
/** What lies in the watched folder, and was started from there. */
export const watchedTorrent = (): MadeTorrent => makeTorrent({ name: 'watched', length: 20_000, seed: 998 })

/** Its order sells these, for test ether. */
export const ORDER = { quantity_exact: '2.00000001', quantity_type: 'TLTC', price_exact: '0.03', price_type: 'TETH' }
/** A limit of speed that was set, in KiB/s. */
export const UPLOAD_LIMIT = 777
export const CHANNEL_NAME = 'Kept over upgrades'

/** What only the node knew: keys, links and addresses, as they were when it stopped. */
export interface OldFacts {
  /** What the version said of itself. */
  readonly version: string
  /** Of the first key, and of one with the scope `read`. */
  readonly keys: { readonly first: string; readonly reader: string }
  /** Path and query of a link that plays the first download, for any time. */
  readonly link: string
  readonly channel: string
  /** Number and state of the order. */
  readonly order: { readonly number: number; readonly status: string }
  /** By coin. */
  readonly addresses: Readonly<Record<string, string>>
}

/**
 * Options of startNode() for a node whose folder is `folder`. `command`: a program that is run in the place of Node and
 * the built command line; empty = those.
 */
export function mountedNode(
  folder: string,
  command = '',
): { readonly stateDir: string; readonly prefix: readonly string[] } {
  const script = [
    `mount --bind "$1" ${MOUNTED}`,
    'command=$2; shift 2',
    'if [ -n "$command" ]; then shift 2; exec "$command" "$@"; fi',
    'exec "$@"',
  ].join('\n')
  const unshare = ['unshare', '--mount', '--propagation', 'private', 'sh', '-ec', script]
  return { stateDir: `${MOUNTED}/state`, prefix: [...unshare, 'mounted', folder, command] }
}
