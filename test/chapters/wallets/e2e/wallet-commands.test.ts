// Commands of wallets that take secrets: out of files, the environment, standard input and a terminal, never out of
// arguments; what they print, and what they hide.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { cliPath, type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'

const PASSWORD = 'correct horse battery staple'
const SPEND_KEY = 'spend key of the owner'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

describe('commands of wallets', { concurrency: 1 }, () => {
  let node: NodeProcess
  let folder = ''
  let words = ''

  /** Runs a command with this on its standard input. */
  const tributary = async (
    args: readonly string[],
    { input = '', env = {}, prefix = [] }: { input?: string; env?: Record<string, string>; prefix?: string[] } = {},
  ): Promise<Ended> => {
    const plain = [process.execPath, cliPath, ...args]
    const [command = '', ...rest] =
      prefix.length === 0 ? plain : [...prefix, plain.map(word => `'${word}'`).join(' '), '/dev/null']
    const clean = { ...process.env, TRIBUTARY_STATE_DIR: node.stateDir, ...env }
    const child = spawn(command, rest, { env: clean, stdio: ['pipe', 'pipe', 'pipe'] })
    const out = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out.stdout += text
      // A terminal is answered when it asks.
      if (prefix.length > 0 && text.endsWith(': ')) child.stdin.write(`${input}\n`)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (out.stderr += text))
    if (prefix.length === 0) child.stdin.end(input)
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, ...out }
  }
  const done = async (...asked: Parameters<typeof tributary>): Promise<Record<string, unknown>> => {
    const [args, more] = asked
    const ended = await tributary([...args, '--json'], more)
    assert.equal(ended.code, 0, `${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`)
    return JSON.parse(ended.stdout) as Record<string, unknown>
  }
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(folder, name), text, { mode: 0o600 })
    return path.join(folder, name)
  }

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-wallets-'))
    // Nobody answers there.
    const settings = { 'wallets.tbtc_server': 'http://127.0.0.1:9', 'wallets.eth_server': 'http://127.0.0.1:9' }
    node = await startNode({ settings })
  })
  after(async () => {
    await node?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('a password comes by standard input, out of a file, or the environment', async () => {
    const made = await done(['wallets', 'create', 'TBTC'], { input: `${PASSWORD}\n` })
    words = String(made['seed_words'])
    assert.equal(words.split(' ').length, 24)
    const wrong = await tributary(['wallets', 'create', 'ETH'], { input: 'another' })
    assert.deepEqual([wrong.code, wrong.stderr.includes('password')], [1, true])
    assert.deepEqual(await done(['wallets', 'create', 'ETH', '--password-file', await file('password', PASSWORD)]), {
      created: true,
    })
    const env = { TRIBUTARY_WALLET_PASSWORD: PASSWORD }
    const open = await done(['wallets', 'unlock', 'TBTC', '--seconds', '60'], { env })
    assert.equal(open['unlocked'], true)
    assert.deepEqual(await done(['wallets', 'export-seed'], { env }), { seed_words: words })
    const nothing = await tributary(['wallets', 'unlock', 'TBTC'], { input: '' })
    assert.deepEqual([nothing.code, /nothing in the first line/.test(nothing.stderr)], [1, true])
  })

  test('a terminal is asked, and does not show what is typed', { skip: needs('script') }, async () => {
    const prefix = ['script', '-qec']
    const command = (args: string[]) => tributary(args, { input: PASSWORD, prefix: [...prefix] })
    // The transcript itself is not kept.
    const { stdout, code } = await command(['wallets', 'unlock', 'TBTC'])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /Password: /)
    assert.match(stdout, /unlocked/)
    assert.ok(!stdout.includes(PASSWORD))
  })

  test('a spend key comes out of a file or the environment', async () => {
    const env = { TRIBUTARY_WALLET_PASSWORD: PASSWORD }
    const key = await file('spend-key', `${SPEND_KEY}\n`)
    assert.deepEqual(await done(['wallets', 'set-spend-key', '--new-key-file', key], { env }), { required: true })
    assert.equal((await tributary(['wallets', 'unlock', 'TBTC'], { env })).code, 1)
    await done(['wallets', 'unlock', 'TBTC', '--spend-key-file', key], { env })
    await done(['wallets', 'unlock', 'TBTC'], { env: { ...env, TRIBUTARY_SPEND_KEY: SPEND_KEY } })
    assert.deepEqual(await done(['wallets', 'remove-spend-key', '--spend-key-file', key], { env }), { required: false })
  })

  test('the words come back elsewhere', async () => {
    const other = await startNode()
    try {
      const args = ['wallets', 'restore-seed', '--words-file', await file('words', words)]
      const env = { TRIBUTARY_STATE_DIR: other.stateDir, TRIBUTARY_WALLET_PASSWORD: 'of the other node' }
      assert.deepEqual(await done(args, { env }), { restored: true })
      assert.deepEqual(
        await done(['wallets', 'export-seed'], {
          env: { TRIBUTARY_STATE_DIR: other.stateDir },
          input: 'of the other node',
        }),
        { seed_words: words },
      )
    } finally {
      await other.stop()
    }
  })

  test('no secret is an argument, of commands about wallets or of any request', async () => {
    const commands = ['create', 'unlock', 'transfer', 'raise-fee', 'export-seed', 'restore-seed', 'set-spend-key']
    for (const command of [...commands, 'remove-spend-key']) {
      const { stdout } = await tributary(['wallets', command, '--help'])
      assert.doesNotMatch(stdout, /--(password|words|spend-key|new-key) /, command)
    }
    const more = await tributary(['wallets', 'unlock', 'TBTC', PASSWORD])
    assert.notEqual(more.code, 0)
    for (const name of ['password', 'seed_words', 'new_key', 'spend_key']) {
      const refused = await tributary(['call', 'POST', '/wallets/TBTC/unlock', `${name}=${PASSWORD}`])
      assert.deepEqual([refused.code, refused.stdout], [1, ''], name)
      assert.match(refused.stderr, new RegExp(`${name} is a secret`))
      assert.ok(!refused.stderr.includes(PASSWORD))
    }
  })

  test('none of them stands in the log or the files of the node', async () => {
    const { stdout, stderr } = node.logs()
    const texts = [stdout, stderr]
    for (const name of ['wallets/audit.log', 'wallets/seed.json', 'tributary.yaml', 'log/tributary.log'])
      texts.push(await readFile(path.join(node.stateDir, name), 'utf8'))
    for (const text of texts) for (const secret of [PASSWORD, SPEND_KEY, words]) assert.ok(!text.includes(secret))
  })
})
