// Keys and files: with keys of every scope every operation of the node's own OpenAPI document is asked with paths,
// links, URIs and settings that reach for the node's files. Afterwards these are what they were, nothing lies outside
// the allowed folders, and no key has learned to spend. Made from README, src/docs and /docs of a running node alone.

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTestFolder } from '../kit/content/content-on-disk.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { forge } from './forged-links.ts'
import { type Bait, changes, filesBelow, LIVING, startBait, swapLinks, withWebSeed } from './guarded-files.ts'
import {
  hostileArguments,
  type Operation,
  operationsOf,
  type Places,
  settingsBodies,
  strayPaths,
} from './hostile-values.ts'
import { ask, type RawAnswer } from './raw-request.ts'
import { keysOf, ownersSettings } from './owners-view.ts'
import { runAttack, type Tally } from './tally.ts'

const SECONDS = Number(process.env['SECONDS'] ?? '75')
/** Scopes of the keys that attack; the last one has all but spend. */
const SCOPES = [['read'], ['stream'], ['add'], ['admin'], ['read', 'stream', 'add', 'admin']]
/** Operations that a key may use to end or slow the node lawfully. */
const LEFT_OUT = /^put \/shutdown|memory\/dump|^delete \/keys|profiler|^delete \/downloads/
interface Attacker {
  readonly scopes: readonly string[]
  readonly key: string
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
  // The one 500 that the interface's document has for a request that cannot be met.
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
