// A key of scope admin could change general.allowed_paths, and with it write the list of keys; also the limits of
// wallets. Every option is walked with every scope over HTTP, the door for Transmission clients and the command line.

import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sessionFields } from '../../../src/http/transmission/session-fields.ts'
import type { OptionSpec, TextFormat } from '../../../src/node/settings/settings-option.ts'
import { settingsTable } from '../../kit/all-settings.ts'
import { makeTestFolder, type TestFolder } from '../../kit/content/content-on-disk.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, type NodeReply, runCli, startNode } from '../../kit/nodes/node-process.ts'

const SCOPES = ['read', 'stream', 'add', 'spend', 'admin'] as const
type Values = Record<string, Record<string, unknown>>

/** Said here once more, not read from the table: what the first key alone may change. */
const FIRST_ALONE = /^(api|dlna|wallets|market_community)\.|^(general\.(allowed_paths|log_dir)|.*allow_private)$/

/** The same of what nobody may change by a request, as it names a program. */
const OWNER_ALONE = /^media\.ffmpeg$/

const TEXTS: Readonly<Partial<Record<TextFormat, string>>> = {
  ip: '127.0.0.2',
  key: 'another-key-of-the-attacker',
  hostname: 'node.example',
  origin: 'https://page.example',
  cidr: '10.0.0.0/8',
  'listen-list': '127.0.0.1',
  'host-port': '127.0.0.1:9',
  'host-ports': '127.0.0.1:9',
  'hex-40': 'ab'.repeat(20),
  'http-url': 'http://127.0.0.1:9/x',
  word: 'torrent_finished',
  'part-level': 'disk=warn',
  'coin-limit': 'BTC=0.5',
}

/** Another valid value. */
function otherValue(spec: OptionSpec, now: unknown, path: string): unknown {
  switch (spec.kind) {
    case 'boolean':
      return now !== true
    case 'integer':
    case 'number':
      return Number(now) + 1 <= spec.max ? Number(now) + 1 : spec.min
    case 'choice':
      return spec.values.find(value => value !== now)
    case 'list':
      return [spec.of === 'path' ? path : (TEXTS[spec.of] ?? 'text')]
    default:
      return spec.format === 'path' ? path : (TEXTS[spec.format] ?? 'text')
  }
}

function namesPath(spec: OptionSpec): boolean {
  return (spec.kind === 'text' && spec.format === 'path') || (spec.kind === 'list' && spec.of === 'path')
}

const options = Object.entries(settingsTable).flatMap(([section, specs]) =>
  Object.entries(specs).map(([option, spec]) => ({ section, option, path: `${section}.${option}`, spec })),
)

describe('settings by scope', { concurrency: 1 }, () => {
  let folder: TestFolder
  let node: NodeProcess
  let allowed: string
  const keys: Record<string, string> = {}

  before(async () => {
    folder = await makeTestFolder()
    allowed = await folder.sub('allowed')
    const settings = { 'general.allowed_paths': allowed, 'download_defaults.saveas': join(allowed, 'downloads') }
    const file = Object.entries(settings).map(([path, value]) => {
      const [section, option] = path.split('.')
      return `${section}:\n  ${option}: ${option === 'allowed_paths' ? `[${value}]` : value}\n`
    })
    const stateDir = await folder.sub('state')
    await writeFile(join(stateDir, 'tributary.yaml'), file.join(''))
    node = await startNode({ stateDir })
    for (const scope of SCOPES) {
      const made = await node.request('PUT', '/keys', { name: scope, scopes: [scope] })
      keys[scope] = made.json<{ key: string }>().key
    }
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  const valuesNow = async (): Promise<Values> => (await node.get<{ settings: Values }>('/settings')).settings
  const post = (key: string, path: string, value: unknown): Promise<NodeReply> => {
    const [section = '', option = ''] = path.split('.')
    return node.request('POST', '/settings', { [section]: { [option]: value } }, { 'x-api-key': key })
  }
  const codeOf = (reply: NodeReply): string =>
    reply.status === 200 ? 'done' : reply.json<{ error: { code: string } }>().error.code

  test('the attack: from admin to the list of keys', async () => {
    const { stateDir } = node
    const admin = keys['admin'] ?? ''
    for (const [path, value] of [
      ['general.allowed_paths', [stateDir]],
      ['download_defaults.saveas', stateDir],
      ['watch_folder.directory', stateDir],
      ...('wallets' in settingsTable ? [['wallets.transfer_limits', ['BTC=100']] as const] : []),
    ] as const) {
      assert.equal((await post(admin, path, value)).status, 403, path)
    }
    const torrent = makeTorrent({ name: 'keys.json', length: 1000 })
    const add = await node.request('POST', `/downloads?destination=${encodeURIComponent(stateDir)}`, torrent.torrent, {
      'x-api-key': admin,
    })
    assert.equal(codeOf(add), 'PathNotAllowed')
  })

  test('every option with every scope over HTTP', async () => {
    const before = await valuesNow()
    for (const { section, option, path, spec } of options) {
      const now = before[section]?.[option]
      for (const scope of SCOPES) {
        const key = keys[scope] ?? ''
        const value = otherValue(spec, now, join(dirname(allowed), 'elsewhere'))
        const first = FIRST_ALONE.test(path)
        const owner = OWNER_ALONE.test(path) ? 'InvalidSetting' : 'done'
        const forAdmin = owner === 'done' && namesPath(spec) ? 'PathNotAllowed' : owner
        const refused = scope !== 'admin' || first ? 'ScopeMissing' : forAdmin
        const got = codeOf(await post(key, path, value))
        // Some values do not go together with others, which is no matter of rights.
        if (refused !== 'done' || got !== 'InvalidSetting') assert.equal(got, refused, `${scope} ${path}`)
        if (scope !== 'admin' || first || owner !== 'done' || !namesPath(spec)) continue
        const inside = otherValue(spec, now, join(allowed, option))
        await mkdir(join(allowed, option), { recursive: true })
        if (path !== 'download_defaults.trackers_file')
          assert.equal(codeOf(await post(key, path, inside)), 'done', path)
      }
    }
    const now = await valuesNow()
    for (const { section, option, path } of options) {
      if (FIRST_ALONE.test(path) || OWNER_ALONE.test(path))
        assert.deepEqual(now[section]?.[option], before[section]?.[option], path)
    }
    for (const { path } of options) {
      if (OWNER_ALONE.test(path)) assert.equal(codeOf(await post(node.key, path, '/bin/true')), 'InvalidSetting', path)
    }
    if ('wallets' in settingsTable)
      assert.equal(codeOf(await post(node.key, 'wallets.transfer_limits', ['BTC=0.25'])), 'done')
    assert.equal(codeOf(await post(node.key, 'download_defaults.completed_dir', dirname(allowed))), 'done')
  })

  test('what was there already is not judged: clients send whole sections back', async () => {
    const { general = {}, api = {}, wallets } = await valuesNow()
    const same = await node.request(
      'POST',
      '/settings',
      { general, api, ...(wallets === undefined ? {} : { wallets }) },
      { 'x-api-key': keys['admin'] ?? '' },
    )
    assert.deepEqual([same.status, same.json<{ modified: boolean }>().modified], [200, false])
  })

  test('every field of the session with every scope over the door for Transmission clients', async () => {
    const before = await valuesNow()
    const id = (await node.request('POST', '/transmission/rpc', {})).headers.get('x-transmission-session-id') ?? ''
    const rpc = async (key: string, args: object): Promise<string> => {
      const headers = { 'x-api-key': key, 'x-transmission-session-id': id }
      const reply = await node.request('POST', '/transmission/rpc', { method: 'session-set', arguments: args }, headers)
      return reply.status === 200 ? reply.json<{ result: string }>().result : `${reply.status}`
    }
    for (const scope of SCOPES) {
      const atFirst = JSON.stringify(await valuesNow())
      for (const name of sessionFields.keys()) {
        for (const value of [true, 7, '/etc', node.stateDir]) await rpc(keys[scope] ?? '', { [name]: value })
      }
      if (scope !== 'admin') assert.equal(JSON.stringify(await valuesNow()), atFirst, scope)
    }
    const now = await valuesNow()
    for (const { section, option, path, spec } of options) {
      if (FIRST_ALONE.test(path) || namesPath(spec))
        assert.deepEqual(now[section]?.[option], before[section]?.[option] ?? null, path)
    }
    assert.notEqual(await rpc(keys['admin'] ?? '', { 'download-dir': '/etc' }), 'success')
    assert.notEqual(await rpc(keys['admin'] ?? '', { 'script-torrent-done-filename': '/bin/true' }), 'success')
    assert.equal(await rpc(keys['admin'] ?? '', { 'download-dir': join(allowed, 'other') }), 'success')
  })

  test('every option over the command line', async () => {
    const before = await valuesNow()
    const set = async (scope: string, pairs: readonly string[]): Promise<number | null> => {
      const file = join(allowed, `${scope}.key`)
      await writeFile(file, `${keys[scope] ?? ''}\n`)
      return (await runCli(['settings', 'set', '--url', node.baseUrl, '--key-file', file, ...pairs])).code
    }
    const pairOf = ({ section, option, path, spec }: (typeof options)[number]): string =>
      `${path}=${JSON.stringify(otherValue(spec, before[section]?.[option], '/etc/elsewhere'))}`
    for (const scope of SCOPES) if (scope !== 'admin') assert.equal(await set(scope, options.map(pairOf)), 1, scope)
    const refused = options.filter(({ path, spec }) => FIRST_ALONE.test(path) || namesPath(spec))
    for (let at = 0; at < refused.length; at += 4) {
      const some = refused.slice(at, at + 4)
      const codes = await Promise.all(some.map(option => set('admin', [pairOf(option)])))
      some.forEach(({ path }, index) => assert.equal(codes[index], 1, path))
    }
    assert.deepEqual(await valuesNow(), before)
    assert.equal(await set('admin', ['updates.interval=77']), 0)
  })
})
