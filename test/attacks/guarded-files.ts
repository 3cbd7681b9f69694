// What an attack on files looks at and works with: all that lies in a folder, links that turn under the node, a server
// whose content and private address the node is led to.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { MadeTorrent } from '../kit/content/make-torrent.ts'
import type { Places } from './hostile-values.ts'

/** What the node itself changes in its folder all the time. */
// channel-packs: what an own channel gives out, made when a key of scope admin makes one.
export const LIVING =
  /^(overlay-key$|channel-packs|tributary\.db|catalogue\.db|lock\.db|log\/|log$|node\.|keys\.json|tributary\.yaml|downloads|dht|.*\.tmp$)/

/** Names and hashes of all that lies below `root`, but for names that `living` matches. */
export function filesBelow(root: string, living = /^$/): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(root.length + 1)
    if (living.test(name)) continue
    if (entry.isSymbolicLink()) found.set(name, readlinkSync(path))
    else
      found.set(
        name,
        entry.isFile()
          ? createHash('sha256').update(readFileSync(path)).digest('hex')
          : entry.isDirectory()
            ? 'folder'
            : 'other',
      )
  }
  return found
}

/** Names that differ between two looks. */
export function changes(before: Map<string, string>, after: Map<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter(name => before.get(name) !== after.get(name))
}

/** The torrent with a web seed that has its content, so that it would be written at once. */
export function withWebSeed(made: MadeTorrent, url: string): Uint8Array {
  return Buffer.concat([made.torrent.subarray(0, -1), Buffer.from(`8:url-list${url.length}:${url}e`)])
}

/** A server that gives `content` to web seed requests and counts who fetches a link from a private address. */
export async function startBait() {
  const content = new Map<string, Uint8Array>()
  const hits: string[] = []
  let fetched = 0
  const server = createServer((request, reply) => {
    const path = request.url ?? ''
    const bytes = content.get(path)
    if (bytes !== undefined) {
      fetched++
      const [from = '0', to = String(bytes.length - 1)] = (request.headers.range ?? '').replace('bytes=', '').split('-')
      const last = Math.min(Number(to || bytes.length - 1), bytes.length - 1)
      reply.writeHead(206, { 'content-range': `bytes ${Number(from)}-${last}/${bytes.length}` })
      reply.end(bytes.subarray(Number(from), last + 1))
      return
    }
    if (path.startsWith('/bait') && !path.includes('info_hash')) hits.push(path)
    reply.end('d')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hits,
    content,
    fetched: () => fetched,
    stop: () => server.close(),
  }
}

/** Such a server. */
export type Bait = Awaited<ReturnType<typeof startBait>>

/** Exchanges a folder and a link to the state directory under one name, as long as it runs. */
export function swapLinks(places: Places): () => void {
  const [folder, link, name] = [`${places.allowed}/.folder`, `${places.allowed}/.link`, `${places.allowed}/turn`]
  let linked = false
  const turn = () => {
    rmSync(folder, { recursive: true, force: true })
    rmSync(link, { force: true })
    if (linked) mkdirSync(folder)
    else symlinkSync(places.state, link)
    try {
      rmSync(name, { recursive: true, force: true })
      renameSync(linked ? folder : link, name)
      linked = !linked
    } catch {
      // The node made a folder of that name between the two: the next turn takes it away.
    }
  }
  const timer = setInterval(turn, 5)
  return () => clearInterval(timer)
}
