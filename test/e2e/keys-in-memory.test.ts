// A heap snapshot of a running node holds no key, wherever the key came from and however requests carried it. A text
// that is known to be there shows that the test would find one.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { type NodeProcess, runCli, startNode, type StartNodeOptions } from '../kit/nodes/node-process.ts'
import { takenOut } from '../kit/taken-out.ts'
import { assertNowhere, heapOf, writtenBy } from '../kit/nodes/secret-search.ts'
import { waitFor } from '../kit/wait-for.ts'

/** Stands in the snapshot of every node: the name of a class. */
const PRESENT = 'TributaryNode'

describe('keys in the memory of a node', { concurrency: 1 }, () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-heap-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))
  const running: NodeProcess[] = []
  const followers: AbortController[] = []
  afterEach(async () => {
    for (const held of followers.splice(0)) held.abort()
    await Promise.all(running.splice(0).map(node => node.stop()))
  })

  const start = async (options: StartNodeOptions, name: string): Promise<NodeProcess> => {
    const NODE_OPTIONS = `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`
    const stateDir = path.join(folder, name)
    const node = await startNode({ ...options, stateDir, env: { ...options.env, NODE_OPTIONS } })
    running.push(node)
    return node
  }

  /** The text of a snapshot of all that lives now. */
  const snapshot = async (node: NodeProcess): Promise<string> => {
    const before = new Set(await readdir(folder))
    node.process.kill('SIGUSR2')
    const file = await waitFor('a whole snapshot', async () => {
      const name = (await readdir(folder)).find(each => each.endsWith('.heapsnapshot') && !before.has(each))
      if (name === undefined) return null
      const text = await readFile(path.join(folder, name), 'latin1')
      return text.trimEnd().endsWith('}') ? { name, text } : null
    })
    await rm(path.join(folder, file.name))
    assert.ok(file.text.includes(PRESENT), 'the snapshot shows what is there')
    return file.text
  }

  /** Sends the key in all places, right and with long answers; some answers stay open. */
  const useKey = async (node: NodeProcess, key: string): Promise<void> => {
    const { baseUrl } = node
    const held = new AbortController()
    followers.push(held)
    for (let round = 0; round < 20; round++) {
      const ask = (target: string, headers: Record<string, string>, more: RequestInit = {}): Promise<Response> =>
        fetch(`${baseUrl}${target}`, { headers, ...more })
      await (await ask('/state', { 'x-api-key': key })).text()
      await (await ask('/downloads?get_peers=1', { authorization: `Bearer ${key}` })).text()
      await (await ask(`/state?a=${'b'.repeat(30)}&key=${key}`, {})).text()
      await (await ask(`/nothing?apikey=${key}`, {})).text()
      const body = JSON.stringify({ uri: `magnet:?xt=urn:btih:${'a'.repeat(40)}` })
      await (await ask('/downloads', { 'x-api-key': key }, { method: 'PUT', body })).text()
      await (await ask('/settings', { 'x-api-key': key }, { method: 'POST', body: '{}' })).text()
      if (round > 3) continue
      // These are answered after a minute, if at all.
      const late = `/torrentinfo?torrent=${encodeURIComponent(`magnet:?xt=urn:btih:${String(round).repeat(40)}`)}`
      void ask(late, { 'x-api-key': key }, { signal: held.signal }).catch(() => undefined)
      void ask(`${late}&key=${key}`, {}, { signal: held.signal }).catch(() => undefined)
      void ask(late, { authorization: `Bearer ${key}` }, { signal: held.signal }).catch(() => undefined)
      // Followers stay: their heads live as long as they do.
      const signal = held.signal
      await ask('/events', { 'x-api-key': key }, { signal })
      await ask(`/events?since=0&key=${key}`, {}, { signal })
      await ask('/events', { authorization: `Bearer ${key}`, accept: 'text/event-stream' }, { signal })
    }
  }

  const keyIsNowhere = async (node: NodeProcess, keys: readonly string[]): Promise<void> => {
    for (const key of keys) await useKey(node, key)
    const bySignal = await snapshot(node)
    const { status, body } = await node.request('GET', '/debug/memory/dump')
    const byRoute = body.toString('latin1')
    assert.ok(status < 300 && byRoute.includes(PRESENT))
    const text = bySignal + byRoute
    // A text may stand there in parts.
    for (const key of keys) for (const part of [key, key.slice(0, 32), key.slice(-32)]) assert.ok(!text.includes(part))
  }

  test('one that the node made', async () => {
    const node = await start({}, 'made')
    await keyIsNowhere(node, [node.key])
    for (const held of followers.splice(0)) held.abort()
    await node.stop()
    const again = await start({}, 'made')
    assert.equal(again.key, node.key)
    await keyIsNowhere(again, [again.key])
  })

  test('one from the command line, the environment, a file; further ones beside it', async () => {
    const key = 'k3y-0f-th3-c0mmand-l1ne-'.repeat(3)
    await keyIsNowhere(await start({ args: ['--api-key', key] }, 'flag'), [key])
    const environment = 'k3y-0f-th3-env1r0nm3nt-'.repeat(3)
    await keyIsNowhere(await start({ env: { CORE_API_KEY: environment } }, 'environment'), [environment])
    const inFile = 'k3y-0f-a-f1l3-'.repeat(4)
    const file = path.join(folder, 'key')
    await writeFile(file, `${inFile}\n`)
    const node = await start({ args: ['--api-key-file', file] }, 'file')
    const made = await runCli(['key', 'add', 'other', '--scope', 'admin', '--state-dir', path.join(folder, 'file')])
    await keyIsNowhere(node, [inFile, made.stdout.trim()])
  })

  test('one that was set while the node ran', async () => {
    const key = 'n3w-k3y-'.repeat(8)
    const node = await start({}, 'changed')
    const reply = await node.request('POST', '/settings', { api: { key } })
    assert.deepEqual([reply.status, reply.json<{ restart_required: string[] }>().restart_required], [200, ['api.key']])
    await node.request('POST', '/settings', { general: { log_level: 'warn' } })
    const text = await snapshot(node)
    assert.ok(!text.includes(key) && !text.includes(node.key))
  })

  const skip = takenOut.includes('wallets')
  test('the words and the password of wallets, whatever was done with them', { skip }, async () => {
    const password = 'correct horse battery staple'
    const settings = { 'wallets.tbtc_server': 'http://127.0.0.1:9', 'wallets.teth_server': 'http://127.0.0.1:9' }
    const node = await start({ settings }, 'wallets')
    const ask = (method: string, target: string, body: object) => node.request(method, `/wallets/${target}`, body)
    const made = await ask('PUT', 'TBTC', { password })
    const { seed_words: words } = made.json<{ seed_words: string }>()
    const secrets = new Map<string, string | Uint8Array>([
      ['the password', password],
      ['the words', words],
      ['the seed', mnemonicToSeedSync(words)],
      ['the entropy', mnemonicToEntropy(words, wordlist)],
      ['the spend key', 'spend key of the owner'],
    ])
    const nowhere = async (): Promise<void> => {
      assertNowhere(secrets, (await writtenBy(node)).set('the heap', await heapOf(node)))
    }
    await nowhere()
    await ask('PUT', 'TETH', { password })
    await nowhere()
    assert.equal((await ask('POST', 'TBTC/unlock', { password: 'wrong' })).status, 403)
    assert.equal((await ask('POST', 'seed/export', { password })).json<{ seed_words: string }>().seed_words, words)
    // The last thing that was done with it: nothing took its place.
    await nowhere()
    await ask('PUT', 'seed/spendkey', { password, new_key: 'spend key of the owner' })
    await ask('POST', 'TBTC/unlock', { password, spend_key: 'spend key of the owner' })
    await nowhere()
  })
})
