// The command `add`: links go to the node, torrent files that lie here are sent to it, also over a network.

import { existsSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { CoreRoutes } from '../client/core-routes.ts'
import type { ParametersOf, ReplyOf } from '../client/routes.ts'
import { readNamedFile } from '../node/state/find-node.ts'
import { CommandError, type NodeClient } from './node-client.ts'
import { printable } from './show.ts'

/** What `add` takes beside the source. */
export interface AddFlags {
  readonly to?: string
  readonly paused?: boolean
  readonly label?: readonly string[]
  readonly select?: readonly number[]
  readonly sequential?: boolean
  readonly hops?: number
  readonly overwrite?: boolean
  readonly forget?: boolean
}

type TorrentFiles = ReplyOf<CoreRoutes, 'GET /torrentinfo/files'>

const WHOLE_HASH = /^(?:[0-9a-f]{40}|[a-z2-7]{32})$/i

/** Adds a link, an info hash, a torrent file, or what comes on standard input (`-`); its info hash. */
export async function addSource(node: NodeClient, given: string, flags: AddFlags): Promise<string> {
  const source = WHOLE_HASH.test(given) && !existsSync(given) ? `magnet:?xt=urn:btih:${given}` : given
  const parameters = parametersOf(flags)
  const bytes = bytesOf(source)
  const { started, infohash } =
    bytes === null
      ? await node.call('PUT /downloads', { parameters: { ...parameters, uri: source } })
      : await node.call('POST /downloads', { parameters, raw: bytes })
  if (!started) throw new CommandError('No version was found yet; the node goes on looking.')
  return infohash
}

/** What is in a torrent, before it is added: of a file that lies here, or of what the node finds behind a link. */
export function torrentFiles(node: NodeClient, given: string, hops?: number): Promise<TorrentFiles> {
  const source = WHOLE_HASH.test(given) && !existsSync(given) ? `magnet:?xt=urn:btih:${given}` : given
  const bytes = bytesOf(source)
  if (bytes !== null) return node.call('POST /torrentinfo/files', { raw: bytes })
  return node.call('GET /torrentinfo/files', {
    parameters: { torrent: source, ...(hops !== undefined && { anon_hops: hops }) },
  })
}

function bytesOf(source: string): Buffer | null {
  if (source === '-') return readNamedFile('/dev/stdin')
  if (/^[a-z][a-z0-9+.-]*:/i.test(source)) return null
  // An absolute path may be one of the node's machine.
  if (!existsSync(source) && isAbsolute(source)) return null
  if (source === '' || !existsSync(source)) {
    throw new CommandError(`There is no file ${printable(source)} here, and it is no magnet or http(s) link.`)
  }
  if (!statSync(source).isFile()) throw new CommandError(`${source} is no file; see tributary create.`)
  return readNamedFile(source)
}

/** What both routes take beside the source. */
function parametersOf(flags: AddFlags): ParametersOf<CoreRoutes, 'POST /downloads'> {
  const { to, paused, label, select, sequential, hops, overwrite, forget } = flags
  return {
    ...(to !== undefined && { destination: to }),
    ...(paused === true && { paused }),
    ...(label !== undefined && label.length > 0 && { labels: label }),
    ...(select !== undefined && { selected_files: select }),
    ...(sequential === true && { sequential }),
    ...(overwrite === true && { overwrite }),
    ...(forget === true && { watch_and_forget: forget }),
    ...(hops !== undefined && { anon_hops: hops }),
    // What was fetched anonymously is not seeded in the open; without it the node refuses.
    ...(hops !== undefined && hops > 0 && { safe_seeding: true }),
  }
}
