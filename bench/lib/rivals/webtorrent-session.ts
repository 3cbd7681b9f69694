// WebTorrent in a process of its own: commands as JSON lines on standard input, one answer a line. Arguments: the
// folder whose node_modules holds webtorrent, an address to serve files at over HTTP (ip:port).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

/** What this file uses of WebTorrent, which comes without types. */
interface Torrent {
  readonly done: boolean
  readonly ready: boolean
  readonly progress: number
  readonly metadata: unknown
  readonly files: readonly { readonly streamURL: string }[]
  addPeer(address: string): boolean
  once(event: string, listener: () => void): void
  rescanFiles(done: (error: Error | null) => void): void
}

interface WebTorrentClient {
  readonly torrents: readonly Torrent[]
  readonly torrentPort: number
  add(what: string | Buffer, options: object): Torrent
  on(event: 'error', listener: (error: Error) => void): void
  once(event: 'listening', listener: () => void): void
  createServer(options: object): { listen(port: number, host: string, done: () => void): void }
}

type Command = { readonly op: string } & Record<string, unknown>

const [folder = '.', serveAt = ''] = process.argv.slice(2)
const entry = pathToFileURL(join(folder, 'node_modules/webtorrent/index.js')).href
const { default: WebTorrent } = (await import(entry)) as { default: new (options: object) => WebTorrentClient }
const options = { dht: false, lsd: false, natUpnp: false, natPmp: false, utPex: false, webSeeds: false, utp: false }
const client = new WebTorrent(options)
let failure = ''
client.on('error', error => {
  failure = error.message
})
await new Promise<void>(resolve => client.once('listening', resolve))
const [ip = '127.0.0.1', port = '0'] = serveAt.split(':')
await new Promise<void>(resolve => client.createServer({}).listen(Number(port), ip, resolve))

function last(): Torrent {
  const torrent = client.torrents.at(-1)
  if (!torrent) throw new Error('no torrent')
  return torrent
}

function until(there: boolean, event: string): Promise<void> {
  return there ? Promise.resolve() : new Promise(resolve => last().once(event, resolve))
}

function add(command: Command, torrent: string): Torrent {
  const what = command['magnet'] === undefined ? readFileSync(torrent) : (command['magnet'] as string)
  const { dir, onlyAsked, paused } = command
  return client.add(what, { path: dir, announce: [], deselect: onlyAsked === true, paused: paused === true })
}

const operations: Record<string, (command: Command) => unknown> = {
  port: () => ({ port: client.torrentPort }),
  add(command) {
    const torrent = add(command, String(command['torrent']))
    const peers = (command['peers'] ?? []) as [string, number][]
    torrent.once('infoHash', () => peers.forEach(([host, at]) => torrent.addPeer(`${host}:${at}`)))
  },
  complete: () => until(last().done, 'done'),
  metadata: () => until(Boolean(last().metadata), 'metadata'),
  url: async () => {
    await until(last().ready, 'ready')
    return { url: last().files[0]?.streamURL }
  },
  check: () =>
    new Promise<void>((resolve, reject) =>
      last().rescanFiles(error =>
        error || last().progress !== 1 ? reject(error ?? new Error('bad data')) : resolve(),
      ),
    ),
  async many(command) {
    for (const path of command['torrents'] as string[]) {
      const torrent = add(command, path)
      await new Promise<void>(resolve => torrent.once('ready', resolve))
    }
  },
  count: () => ({ count: client.torrents.length }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command
  let answer: unknown
  try {
    answer = (await operations[command.op]?.(command)) ?? {}
    if (failure !== '') answer = { error: failure }
  } catch (error) {
    answer = { error: String(error) }
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
process.exit(0)
