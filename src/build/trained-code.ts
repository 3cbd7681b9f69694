// Lets a node work for a second before its compiled code is kept: it streams a torrent and fetches the metadata of a
// magnet from a second node, on loopback, in a folder that is removed. V8 compiles a function when it first runs; what
// ran here is in the cache, and the first download of a user need not wait for it (decision 0235). Of the scripts that
// a start waits for, what a start has run is kept: the more there is, the longer it takes to read (decision 0521). No
// node outlives this.

import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WrittenCode } from './recording-launcher.ts'
import { PROGRAM } from './script-list.ts'

/** A node that does not stop by then is killed. */
const STOP_MS = 5000
const LAUNCHER = fileURLToPath(new URL('./recording-launcher.js', import.meta.url))
const KEY = 'training'
const PIECE_BYTES = 256 * 1024
const PIECES = 24

/** Scripts that the first answer waits for. */
const AWAITED: ReadonlySet<string> = new Set([PROGRAM, 'chapters', 'node'])

/** A running node. */
interface Trainee {
  readonly child: ChildProcess
  readonly url: string
}

/** A torrent whose content lies in `folder`. */
interface Torrent {
  readonly infoHash: string
  readonly path: string
}

/**
 * Writes the code that a node has compiled after a start and after a little work beside the scripts in `bundle`.
 * `folder` is made and removed, on the same volume. Rejects when that does not come about within `limitMs`; then
 * nothing is written there. The nodes are stopped either way.
 */
export async function writeTrainedCode(bundle: string, folder: string, limitMs = 20_000): Promise<void> {
  mkdirSync(folder)
  const limit = AbortSignal.timeout(limitMs)
  const nodes: ChildProcess[] = []
  const late = once(limit, 'abort').then(() => {
    throw new Error(`the training of the program took over ${limitMs} ms`)
  })
  try {
    const codes = await Promise.race([train(folder, nodes), late])
    for (const path of codes) renameSync(path, join(bundle, basename(path)))
  } finally {
    await Promise.all(nodes.map(end))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Paths of the files that it has written in `folder`. */
async function train(folder: string, nodes: ChildProcess[]): Promise<readonly string[]> {
  const [seeder, leecher] = await Promise.all([
    startNode(join(folder, 'seeder'), nodes),
    startNode(join(folder, 'leecher'), nodes),
  ])
  const { variables } = await json<{ variables: { ports: Record<string, number> } }>(seeder, 'GET', '/variables')
  const started = await write(leecher.child, join(folder, 'after-start'))
  const peer = variables.ports['libtorrent~port'] ?? 0
  const tracker = await startTracker(peer)
  try {
    const announce = `http://127.0.0.1:${(tracker.address() as AddressInfo).port}/announce`
    const [film, song] = [makeTorrent(folder, 'film', announce), makeTorrent(folder, 'song', announce)]
    for (const torrent of [film, song]) await seed(seeder, torrent, folder)
    const into = join(folder, 'into')
    mkdirSync(into)
    await json(leecher, 'PUT', '/downloads', { uri: `file:${film.path}`, destination: into })
    await readParts(leecher, film)
    const magnet = `magnet:?xt=urn:btih:${song.infoHash}&x.pe=127.0.0.1:${peer}`
    await json(leecher, 'PUT', '/downloads', { uri: magnet, destination: into })
    await until(async () => (await call(leecher, 'GET', `/downloads/${song.infoHash}/torrent`)).ok)
    await readParts(leecher, song)
    await look(leecher)
    const worked = await write(leecher.child, join(folder, 'after-work'))
    const isAwaited = (path: string): boolean => AWAITED.has(basename(path, '.cjs.cache'))
    return [...started.filter(isAwaited), ...worked.filter(path => !isAwaited(path))]
  } finally {
    tracker.close()
  }
}

async function startNode(stateDir: string, nodes: ChildProcess[]): Promise<Trainee> {
  // Many nodes have settings that are not the plainest: what reads these runs too.
  mkdirSync(stateDir, { mode: 0o700 })
  writeFileSync(join(stateDir, 'tributary.yaml'), 'libtorrent:\n  port: 0 # any\n')
  // Nothing that would look for others outside of this machine.
  const off = ['dht', 'lsd', 'upnp', 'natpmp'].map(option => `libtorrent.${option}=false`)
  const settings = ['libtorrent.port=0', 'libtorrent.interface=127.0.0.1', ...off].flatMap(value => ['--set', value])
  const args = ['start', '--state-dir', stateDir, '--port', '0', '--api-key', KEY, ...settings]
  // The builder's own Node settings must not count here, and V8 takes code only where its flags are those that made it.
  const plain = { execArgv: [], env: {} }
  const child = fork(LAUNCHER, args, { ...plain, stdio: ['ignore', 'pipe', 'ignore', 'ipc'] })
  // What cannot be started says nothing below.
  child.on('error', () => undefined)
  nodes.push(child)
  let text = ''
  for await (const chunk of child.stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
    text += String(chunk)
    if (text.includes('Ready.\n')) break
  }
  const url = / listens at (http:\/\/\S+)/.exec(text)?.[1]
  if (url === undefined) throw new Error(`a node did not start: ${text}`)
  child.stdout?.resume()
  return { child, url }
}

/** What V8 has compiled of each script by now, to files in `folder`, which is made; answers their paths. */
async function write(child: ChildProcess, folder: string): Promise<readonly string[]> {
  mkdirSync(folder)
  child.send(folder)
  const [{ scripts, failure }] = (await once(child, 'message')) as [WrittenCode]
  if (failure !== '') throw new Error(failure)
  return scripts.map(name => join(folder, `${name}.cjs.cache`))
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}

/** Names one peer to everybody. */
async function startTracker(port: number): Promise<Server> {
  const peers = Buffer.from([127, 0, 0, 1, port >> 8, port & 255])
  const answer = Buffer.concat([Buffer.from('d8:intervali1800e5:peers6:'), peers, Buffer.from('e')])
  const server = createServer((_, reply) => reply.end(answer))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function makeTorrent(folder: string, name: string, announce: string): Torrent {
  const content = randomBytes(PIECES * PIECE_BYTES - 1)
  writeFileSync(join(folder, name), content)
  const hashes: Buffer[] = []
  for (let at = 0; at < content.length; at += PIECE_BYTES) hashes.push(sha1(content.subarray(at, at + PIECE_BYTES)))
  const facts = `6:lengthi${content.length}e4:name${name.length}:${name}12:piece lengthi${PIECE_BYTES}e`
  const info = Buffer.concat([Buffer.from(`d${facts}6:pieces${hashes.length * 20}:`), ...hashes, Buffer.from('e')])
  const path = join(folder, `${name}.torrent`)
  const head = Buffer.from(`d8:announce${announce.length}:${announce}4:info`)
  writeFileSync(path, Buffer.concat([head, info, Buffer.from('e')]))
  return { infoHash: sha1(info).toString('hex'), path }
}

function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest()
}

async function seed(node: Trainee, torrent: Torrent, folder: string): Promise<void> {
  await json(node, 'PUT', '/downloads', { uri: `file:${torrent.path}`, destination: folder })
  await until(async () => {
    const { downloads } = await json<{ downloads: Record<string, unknown>[] }>(node, 'GET', '/downloads')
    return downloads.some(each => each['infohash'] === torrent.infoHash && each['status'] === 'DLSTATUS_SEEDING')
  })
}

/** As a player does: somewhere in the middle first, then from the start. */
async function readParts(node: Trainee, torrent: Torrent): Promise<void> {
  for (const first of [Math.floor(PIECES / 2) * PIECE_BYTES, 0]) {
    const path = `/downloads/${torrent.infoHash}/stream/0`
    const answer = await call(node, 'GET', path, undefined, { range: `bytes=${first}-` })
    if (answer.status !== 206) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}

/** What interfaces and players ask for all the time. */
async function look(node: Trainee): Promise<void> {
  for (const path of ['/state', '/downloads', '/downloads?get_peers=1&get_pieces=1', '/variables'])
    await json(node, 'GET', path)
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise(resolve => setTimeout(resolve, 5))
}

function call(node: Trainee, method: string, path: string, body?: object, headers = {}): Promise<Response> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return fetch(`${node.url}${path}`, { method, ...sent, headers: { 'x-api-key': KEY, ...sent.headers, ...headers } })
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it expects
async function json<T>(node: Trainee, method: string, path: string, body?: object): Promise<T> {
  const answer = await call(node, method, path, body)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}
