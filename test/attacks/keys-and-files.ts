// Keys and files: with keys of every scope every operation of the node's own OpenAPI document is asked with paths, links,
// URIs and settings that reach for the node's files. Afterwards these are what they were, nothing lies outside the allowed
// folders, and no key has learned to spend. Made from README, src/docs and /docs of a running node alone.

import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeTestFolder } from '../kit/content-on-disk.ts'
import { type MadeTorrent, makeTorrent } from '../kit/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/node-process.ts'
import {
  hostileArguments,
  type Operation,
  operationsOf,
  type Places,
  settingsBodies,
  strayPaths,
} from './hostile-values.ts'
import { ask, type RawAnswer } from './raw-request.ts'
import { runAttack, type Tally } from './tally.ts'

const SECONDS = Number(process.env['SECONDS'] ?? '75')
/** Scopes of the keys that attack; the last one has all but spend. */
const SCOPES = [['read'], ['stream'], ['add'], ['admin'], ['read', 'stream', 'add', 'admin']]
/** Operations that a key may use to end or slow the node lawfully. */
const LEFT_OUT = /^put \/shutdown|memory\/dump|^delete \/keys|profiler|^delete \/downloads/
/** What the node itself changes in its folder all the time. */
// channel-packs: what an own channel gives out, made when a key of scope admin makes one.
const LIVING =
  /^(overlay-key$|channel-packs|tributary\.db|catalogue\.db|lock\.db|log\/|log$|node\.|keys\.json|tributary\.yaml|downloads|dht|.*\.tmp$)/
/** Settings that only the first key changes (src/docs/security.md). */
const OWNERS = ['wallets', 'market_community', 'api']

interface Attacker {
  readonly scopes: readonly string[]
  readonly key: string
}

/** Names and hashes of all that lies below `root`, but for names that `living` matches. */
function filesBelow(root: string, living = /^$/): Map<string, string> {
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

function changes(before: Map<string, string>, after: Map<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter(name => before.get(name) !== after.get(name))
}

/** The torrent with a web seed that has its content, so that it would be written at once. */
function withWebSeed(made: MadeTorrent, url: string): Uint8Array {
  return Buffer.concat([made.torrent.subarray(0, -1), Buffer.from(`8:url-list${url.length}:${url}e`)])
}

/** A server that gives `content` to web seed requests and counts who fetches a link from a private address. */
async function startBait() {
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

type Bait = Awaited<ReturnType<typeof startBait>>

/** Exchanges a folder and a link to the state directory under one name, as long as it runs. */
function swapLinks(places: Places): () => void {
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

/** Every operation once with drawn hostile values. */
async function walk(tally: Tally, node: NodeProcess, places: Places, who: Attacker, operations: readonly Operation[]) {
  for (const operation of operations) {
    if (LEFT_OUT.test(`${operation.method} ${operation.path}`)) continue
    const { path, body } = hostileArguments(tally, operation, places)
    const headers = { 'x-api-key': who.key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const limitMs = operation.path === '/events' ? 100 : 4000
    const answer = await ask(node.port, operation.method.toUpperCase(), path, {
      headers,
      limitMs,
      ...(body === undefined ? {} : { body }),
    })
    judge(tally, operation, who, answer, `${operation.method} ${path} ${body ?? ''}`)
  }
}

/** What an answer must not be: of an operation beyond the scope, an exception, or a text with a secret in it. */
function judge(tally: Tally, operation: Operation, who: Attacker, answer: RawAnswer, sent: string): void {
  const about = () => `${who.scopes.join()} ${sent} -> ${answer.status} ${answer.body.slice(0, 160)}`
  const beyond =
    operation.scope === 'spend' || (who.scopes.length === 1 && who.scopes[0] === 'read' && operation.scope !== 'read')
  const let_in = answer.status >= 200 && answer.status < 300
  if (beyond && operation.scope !== 'open') tally.check('no answer beyond the scope', !let_in, about)
  // The one 500 that the interface's document has for a wish that cannot be met.
  const known = /"handled":true,"code":"DuplicateChannelIdError"/.test(answer.body)
  tally.check('no exception', answer.status !== 500 || known, about)
  tally.check('no secret in an answer', !/SECRET-OF-THE-OWNER|root:x:0/.test(answer.body), about)
}

/** A torrent with the name of a file of the node; never the same twice, a known one would only be named again. */
function planted(tally: Tally, bait: Bait): Uint8Array {
  const name = tally.pick(['keys.json', 'link-secret', 'tributary.yaml', 'precious.txt', 'node.pid'])
  const content = Buffer.from(`planted ${++plantings} `.repeat(20))
  const made = makeTorrent({ name, content })
  const path = `/seed/${plantings}/${name}`
  bait.content.set(path, content)
  return withWebSeed(made, `http://127.0.0.1:${bait.port}${path}`)
}
let plantings = 0

/** Such torrents into every place, with their content at hand. */
async function plant(tally: Tally, node: NodeProcess, places: Places, who: Attacker, bait: Bait) {
  for (const destination of strayPaths(places)) {
    const query = `destination=${encodeURIComponent(destination)}&overwrite=1`
    const headers = { 'x-api-key': who.key, 'content-type': 'application/x-bittorrent' }
    const answer = await ask(node.port, 'POST', `/downloads?${query}`, { headers, body: planted(tally, bait) })
    const stray = !destination.startsWith(`${places.allowed}/turn`)
    const told = () => `${who.scopes.join()} ${destination} -> ${answer.status} ${answer.body.slice(0, 160)}`
    if (stray) tally.check('no download into a stray folder', answer.status !== 200, told)
  }
}

/** Settings and the other door, which name folders too. */
async function settle(tally: Tally, node: NodeProcess, places: Places, who: Attacker) {
  const headers = { 'x-api-key': who.key, 'content-type': 'application/json' }
  for (const { path, body } of settingsBodies(places)) {
    const answer = await ask(node.port, 'POST', path, { headers, body: JSON.stringify(body) })
    const done = answer.status === 200 && /"success"|"modified":true/.test(answer.body)
    tally.check(
      'no setting of the owner',
      !done,
      () => `${who.scopes.join()} ${JSON.stringify(body)} -> ${answer.body.slice(0, 160)}`,
    )
  }
}

/** Keys in addresses that foreign pages ask for, and signed links with one byte changed. */
async function forge(tally: Tally, node: NodeProcess, infoHash: string) {
  for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1.evil.example', 'https://127.0.0.1']) {
    const headers = { origin, 'sec-fetch-site': 'cross-site' }
    const answer = await ask(node.port, 'GET', `/settings?key=${node.key}`, { headers })
    tally.check('no foreign origin with a key in its address', answer.status >= 400, () => `${origin} ${answer.status}`)
  }
  for (let wrong = 0; wrong < 30; wrong++)
    void ask(node.port, 'GET', `/state?key=wrong${wrong}`, {
      headers: { 'sec-fetch-site': 'cross-site' },
      limitMs: 500,
    })
  const own = await ask(node.port, 'GET', '/state', { headers: { 'x-api-key': node.key } })
  tally.check('the owner is let in beside wrong keys', own.status === 200, () => own.status)
  const { files } = await node.get<{ files: { stream_url: string }[] }>(`/downloads/${infoHash}/files`)
  const link = new URL(files[0]?.stream_url ?? '', node.baseUrl)
  const signed = link.pathname + link.search
  const good = await ask(node.port, 'GET', signed)
  tally.check('a signed link plays', good.status === 200 || good.status === 206, () => good.status)
  const start = `/downloads/${infoHash}/stream/`.length
  for (let at = start; at < signed.length; at++) {
    const other = signed[at] === 'a' ? 'b' : 'a'
    // A name behind the index is for players alone and not signed.
    const changed = signed.slice(0, at) + other + signed.slice(at + 1)
    if (at < link.pathname.length && /\/stream\/\d+\//.test(changed)) continue
    const answer = await ask(node.port, 'GET', changed)
    tally.check('no changed link plays', answer.status >= 400, () => `${changed} ${answer.status}`)
  }
}

/** The entries of keys.json by name, as text. */
async function keysOf(node: NodeProcess): Promise<{ name: string; scopes: string[] }[]> {
  return (await node.get<{ keys: { name: string; scopes: string[] }[] }>('/keys')).keys
}

/** What the settings say that only the first key may change. */
async function ownersSettings(node: NodeProcess): Promise<string> {
  const { settings } = await node.get<{ settings: Record<string, Record<string, unknown>> }>('/settings')
  const { general = {}, network = {} } = settings
  return JSON.stringify([
    OWNERS.map(name => settings[name]),
    general['allowed_paths'],
    general['log_dir'],
    network['allow_private'],
  ])
}

await runAttack('keys and files', async tally => {
  const folder = await makeTestFolder()
  const places: Places = {
    state: await folder.sub('state'),
    allowed: await folder.sub('allowed'),
    secret: await folder.sub('secret'),
    bait: '',
  }
  writeFileSync(join(places.secret, 'precious.txt'), 'SECRET-OF-THE-OWNER')
  writeFileSync(
    join(places.state, 'tributary.yaml'),
    `general:\n  allowed_paths: ["${places.allowed}"]\ndownload_defaults:\n  saveas: "${places.allowed}"\n`,
  )
  symlinkSync(places.state, join(places.allowed, 'link'))
  symlinkSync(places.secret, join(places.allowed, 'away'))
  process.chdir(await folder.sub('here'))
  const bait = await startBait()
  const attacked = { ...places, bait: `http://127.0.0.1:${bait.port}/bait` }
  const node = await startNode({
    stateDir: places.state,
    env: { HOME: await folder.sub('home'), XDG_CONFIG_HOME: join(folder.path, 'home') },
  })
  const stopSwaps = swapLinks(places)
  try {
    const attackers: Attacker[] = []
    for (const scopes of SCOPES) {
      const reply = await node.request('PUT', '/keys', { name: `key-${scopes.join('-')}`, scopes })
      attackers.push({ scopes, key: reply.json<{ key: string }>().key })
    }
    const film = makeTorrent({ name: 'film.bin', length: 5000 })
    writeFileSync(join(places.allowed, 'film.bin'), film.content)
    await node.request('POST', '/downloads', film.torrent, { 'content-type': 'application/x-bittorrent' })
    const stored = (text: string) => text.replaceAll(/\s+/g, ' ')
    const own = filesBelow(places.state, LIVING)
    const around = () => filesBelow(folder.path, /^(state|allowed)(\/|$)/)
    const [outside, keys, settings] = [around(), await keysOf(node), await ownersSettings(node)]
    const keysFile = stored(readFileSync(join(places.state, 'keys.json'), 'utf8'))
    const operations = operationsOf(await node.get('/docs/openapi.json'))
    const end = performance.now() + SECONDS * 1000
    let rounds = 0
    for (; rounds === 0 || performance.now() < end; rounds++) {
      for (const who of attackers) {
        await walk(tally, node, { ...attacked, infoHash: film.infoHash }, who, operations)
        await settle(tally, node, attacked, who)
        await plant(tally, node, attacked, who, bait)
      }
      await plant(tally, node, attacked, { scopes: ['the first key'], key: node.key }, bait)
      if (rounds === 0) await forge(tally, node, film.infoHash)
    }
    tally.note(
      `${plantings} planted torrents; ${bait.fetched()} fetched; ${operations.length} operations, ${rounds} rounds, ${attackers.length} keys`,
    )
    stopSwaps()
    const now = await keysOf(node)
    const known = keys.map(({ name }) => name)
    tally.check(
      'keys are what they were',
      JSON.stringify(now.filter(({ name }) => known.includes(name))) === JSON.stringify(keys),
      () => JSON.stringify(now),
    )
    tally.check(
      'no key has learned to spend',
      now.every(({ scopes }) => !scopes.includes('spend')),
      () => JSON.stringify(now),
    )
    const hashes = keysFile.match(/[0-9a-f]{64}/g) ?? []
    const after = readFileSync(join(places.state, 'keys.json'), 'utf8')
    tally.check(
      'hashes of keys are what they were',
      hashes.length >= keys.length && hashes.every(hash => after.includes(hash)),
      () => after,
    )
    tally.check('settings of the owner are what they were', (await ownersSettings(node)) === settings, () => settings)
    const [inside, beyond] = [changes(own, filesBelow(places.state, LIVING)), changes(outside, around())]
    tally.check('the files of the node are what they were', inside.length === 0, () => inside.join())
    tally.check('nothing lies outside the allowed folders', beyond.length === 0, () => beyond.join())
    tally.check('no link was fetched from a private address', bait.hits.length === 0, () =>
      bait.hits.slice(0, 5).join(),
    )
    const { stderr } = node.logs()
    tally.check('nothing unhandled in the log', !/unhandled/i.test(stderr), () => /^.*unhandled.*$/im.exec(stderr)?.[0])
    const ended = await node.kill('SIGTERM')
    tally.check('the node ends', ended.code === 0, () => `${ended.code} ${ended.signal}`)
  } finally {
    stopSwaps()
    bait.stop()
    await node.kill('SIGKILL')
    process.chdir('/')
    await folder.remove()
  }
})
