// Settings: which source wins, what a change may do, what is refused.

import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { SettingsOptions } from '../../../src/node/settings/settings-layers.ts'
import { allSettings, settingsTable } from '../../kit/all-settings.ts'
import { SettingsStore } from '../../../src/node/settings/settings-store.ts'

interface Place {
  readonly stateDir: string
  readonly path: string
  open(change?: Partial<SettingsOptions>): Promise<SettingsStore>
  /** The message of the BadConfiguration that open() rejects with, without the file's path. */
  refusal(text: string | null, change?: Partial<SettingsOptions>): Promise<string>
}

function makePlace(t: TestContext): Place {
  const stateDir = mkdtempSync(join(tmpdir(), 'tributary-settings-'))
  t.after(() => rmSync(stateDir, { recursive: true, force: true }))
  const path = join(stateDir, 'tributary.yaml')
  const open = (change: Partial<SettingsOptions> = {}): Promise<SettingsStore> =>
    SettingsStore.open({
      stateDir,
      stateDirChosen: true,
      homeDir: '/home/u',
      env: {},
      flags: [],
      table: allSettings,
      ...change,
    })
  const refusal = async (text: string | null, change: Partial<SettingsOptions> = {}): Promise<string> => {
    if (text !== null) writeFileSync(path, text)
    const error = await open(change).then(
      () => assert.fail('it was accepted'),
      (reason: unknown) => reason as { code: string; message: string },
    )
    assert.equal(error.code, 'BadConfiguration')
    return error.message.replace(path, 'FILE')
  }
  return { stateDir, path, open, refusal }
}

test('the first start makes a key in a file that only its owner reads; later starts keep it', async t => {
  const place = makePlace(t)
  const first = await place.open()
  assert.match(first.values.api.key.reveal(), /^[0-9a-f]{64}$/)
  assert.equal(first.keyIsNew, true)
  assert.equal(first.path, place.path)
  assert.equal(statSync(place.path).mode & 0o777, 0o600)
  assert.ok(readFileSync(place.path, 'utf8').includes(first.values.api.key.reveal()))
  const second = await place.open()
  assert.equal(second.values.api.key.reveal(), first.values.api.key.reveal())
  assert.equal(second.keyIsNew, false)
  assert.notEqual((await makePlace(t).open()).values.api.key.reveal(), first.values.api.key.reveal())
})

test('a file that others may read is closed at the start', async t => {
  const place = makePlace(t)
  writeFileSync(place.path, 'api:\n  key: abc\n')
  chmodSync(place.path, 0o644)
  await place.open()
  assert.equal(statSync(place.path).mode & 0o777, 0o600)
})

test('flag before environment before file before default', async t => {
  const place = makePlace(t)
  writeFileSync(place.path, 'api:\n  http_port: 1\n  key: from-file\nlibtorrent:\n  port: 7\n')
  const env = { CORE_API_PORT: '2', CORE_API_KEY: 'from-env' }
  const store = await place.open({
    env,
    flags: [
      ['api.http_port', '9'],
      ['api.http_port', '3'],
    ],
  })
  assert.deepEqual([store.values.api.http_port, store.source('api.http_port')], [3, 'flag'])
  assert.deepEqual([store.values.api.key.reveal(), store.source('api.key')], ['from-env', 'environment'])
  assert.deepEqual([store.values.libtorrent.port, store.source('libtorrent.port')], [7, 'file'])
  assert.deepEqual([store.values.api.http_host, store.source('api.http_host')], ['127.0.0.1', 'default'])
  const plain = await place.open({ env: { CORE_API_PORT: '', CORE_API_KEY: '' } })
  assert.deepEqual([plain.values.api.http_port, plain.values.api.key.reveal()], [1, 'from-file'])
})

test('a key given from outside makes none in the file', async t => {
  const place = makePlace(t)
  assert.equal((await place.open({ env: { CORE_API_KEY: 'k' } })).keyIsNew, false)
  assert.equal((await place.open({ flags: [['api.key', 'k']] })).keyIsNew, false)
  assert.equal((await place.open()).keyIsNew, true)
})

test('no key only on purpose and only on a loopback address', async t => {
  const place = makePlace(t)
  assert.equal((await place.open({ flags: [['api.key', '']] })).values.api.key.reveal(), '')
  writeFileSync(place.path, 'api:\n  key: ""\n')
  assert.equal((await place.open({ flags: [['api.http_host', '::1']] })).values.api.key.reveal(), '')
  const message = await place.refusal(null, { flags: [['api.http_host', '0.0.0.0']] })
  assert.match(message, /api\.key may be empty only when api\.http_host is a loopback address \(it is 0\.0\.0\.0\)/)
  const store = await place.open()
  await assert.rejects(store.change({ api: { http_host: '10.0.0.1' } }), { code: 'InvalidSetting' })
  await store.change({ api: { http_host: '10.0.0.1', key: 'k' } })
})

test('the destination follows the state directory only when that was chosen', async t => {
  const place = makePlace(t)
  const saveas = async (change: Partial<SettingsOptions>): Promise<string> =>
    (await place.open(change)).values.download_defaults.saveas
  assert.equal(await saveas({}), join(place.stateDir, 'downloads'))
  assert.equal(await saveas({ stateDirChosen: false }), '/home/u/Downloads')
  assert.equal(await saveas({ stateDirChosen: false, homeDir: null }), join(place.stateDir, 'downloads'))
})

test('every default passes its own check', async t => {
  const store = await makePlace(t).open()
  const read = store.read()
  const body = Object.fromEntries(Object.entries(read).map(([section, values]) => [section, { ...values }]))
  assert.deepEqual(await store.change(body), { changed: [], restartRequired: [], overridden: [] })
  for (const [section, options] of Object.entries(settingsTable)) {
    for (const [option, spec] of Object.entries(options)) assert.ok(spec.doc.endsWith('.'), `${section}.${option}`)
  }
})

test('secrets do not leave through read, and null leaves them alone', async t => {
  const store = await makePlace(t).open()
  const key = store.values.api.key.reveal()
  assert.equal(store.read()['api']?.['key'], null)
  assert.ok(!JSON.stringify(store.read()).includes(key))
  await store.change({ api: { key: null } })
  assert.equal(store.values.api.key.reveal(), key)
  assert.deepEqual(await store.change({ api: { key: 'new-key' } }), {
    changed: ['api.key'],
    restartRequired: ['api.key'],
    overridden: [],
  })
})

test('a change is durable, tells listeners what changed, and says what needs a restart', async t => {
  const place = makePlace(t)
  const store = await place.open({ flags: [['libtorrent.upload_slots', '5']] })
  const heard: unknown[] = []
  const end = store.onChange((changed, settings) => heard.push([changed, settings.libtorrent.max_upload_rate]))
  const answer = await store.change({
    libtorrent: { max_upload_rate: '1000', port: 5, upload_slots: 6, max_download_rate: 0 },
    Tribler: {},
  })
  const changed = ['libtorrent.max_upload_rate', 'libtorrent.port', 'libtorrent.upload_slots']
  const overridden = ['libtorrent.upload_slots']
  assert.deepEqual(answer, { changed, restartRequired: ['libtorrent.port'], overridden })
  assert.deepEqual(heard, [[['libtorrent.max_upload_rate', 'libtorrent.port'], 1000]])
  assert.equal(store.values.libtorrent.upload_slots, 5)
  end()
  await store.change({ libtorrent: { max_upload_rate: 2 } })
  assert.equal(heard.length, 1)
  const again = (await place.open()).values.libtorrent
  assert.deepEqual([again.max_upload_rate, again.port, again.upload_slots], [2, 5, 6])
})

test('what a flag or the environment holds is kept for later, and each answer says so', async t => {
  const place = makePlace(t)
  const settings = { env: { CORE_API_PORT: '7001' }, flags: [['libtorrent.upload_slots', '5']] as const }
  const store = await place.open(settings)
  const heard: unknown[] = []
  store.onChange(changed => heard.push(changed))
  const overridden = ['libtorrent.upload_slots', 'api.http_port']
  const ask = { libtorrent: { upload_slots: 6 }, api: { http_port: 7002 } }
  assert.deepEqual(await store.change(ask), { changed: overridden, restartRequired: [], overridden })
  const text = readFileSync(place.path, 'utf8')
  assert.deepEqual(await store.change(ask), { changed: [], restartRequired: [], overridden })
  assert.equal(readFileSync(place.path, 'utf8'), text)
  assert.deepEqual(heard, [])
  // What the flag says already is no change, and is not told as one that cannot be.
  const same = { libtorrent: { upload_slots: 5 } }
  assert.deepEqual(await store.change(same), { changed: [], restartRequired: [], overridden: [] })
  const later = (await place.open()).values
  assert.deepEqual([later.libtorrent.upload_slots, later.api.http_port], [6, 7002])
})

test('a fraction is kept as it is, also as text, and over a restart; the secret of webhooks does not come back', async t => {
  const place = makePlace(t)
  const store = await place.open()
  const webhooks = { urls: ['https://a.example/hook?x=1'], events: [], secret: 'geheim' }
  await store.change({
    download_defaults: { seeding_mode: 'either', seeding_ratio: '1.25', seeding_time: 30 },
    webhooks,
  })
  const { values } = await place.open()
  const { seeding_mode, seeding_ratio, seeding_time } = values.download_defaults
  assert.deepEqual([seeding_mode, seeding_ratio, seeding_time], ['either', 1.25, 30])
  assert.deepEqual(values.webhooks, webhooks)
  assert.equal(store.read()['webhooks']?.['secret'], null)
  assert.equal(store.read()['download_defaults']?.['seeding_ratio'], 1.25)
})

test('a body with one fault changes nothing', async t => {
  const place = makePlace(t)
  const store = await place.open()
  const before = readFileSync(place.path, 'utf8')
  const good = { max_upload_rate: 9 }
  const faults: [unknown, RegExp][] = [
    [{ libtorrent: { ...good, nope: 1 } }, /libtorrent\.nope is unknown/],
    [{ libtorrent: good, nope: { x: 1 } }, /nope\.x is unknown/],
    [{ libtorrent: good, api: { http_port: { deep: 1 } } }, /api\.http_port\.deep is nested too deep/],
    [{ libtorrent: good, api: 5 }, /api must be an object/],
    [{ libtorrent: good, api: { http_port: 65536 } }, /api\.http_port must be from -1 to 65535/],
    [{ libtorrent: good, api: { http_port: -2 } }, /api\.http_port must be from/],
    [{ libtorrent: good, api: { http_port: 1.5 } }, /api\.http_port must be a whole number/],
    [{ libtorrent: good, api: { http_port: 'x' } }, /api\.http_port must be a whole number/],
    [{ libtorrent: good, api: { http_port: null } }, /api\.http_port must be a whole number/],
    [{ libtorrent: good, api: { http_host: 'localhost:1' } }, /api\.http_host must be an IPv4/],
    [{ libtorrent: good, api: { key: 'has space' } }, /api\.key must have only printable/],
    [{ libtorrent: good, api: { host_names: 'a' } }, /api\.host_names must be a list/],
    [{ libtorrent: good, api: { host_names: ['a', 'b/c'] } }, /api\.host_names entry 1: must be a host name/],
    [{ libtorrent: good, api: { origins: ['http://a/path'] } }, /api\.origins entry 0: must be an origin/],
    [{ libtorrent: good, network: { allow_private: ['10.0.0.0/33'] } }, /network\.allow_private entry 0/],
    [{ libtorrent: good, network: { allow_private: Array(257).fill('10.0.0.0/8') } }, /at most 256 entries/],
    [{ libtorrent: good, download_defaults: { saveas: 'relative' } }, /saveas must be an absolute path/],
    [{ libtorrent: good, download_defaults: { saveas: `/${'x'.repeat(5000)}` } }, /at most 4096 characters/],
    [{ libtorrent: good, download_defaults: { anonymity_enabled: 'yes' } }, /must be true or false/],
    [{ libtorrent: good, general: { log_level: 'loud' } }, /must be one of debug, info, warn, error/],
    [{ libtorrent: good, download_defaults: { seeding_ratio: 'much' } }, /seeding_ratio must be a number/],
    [{ libtorrent: good, download_defaults: { seeding_ratio: -0.5 } }, /seeding_ratio must be from 0 to 1000000/],
    [{ libtorrent: good, download_defaults: { seeding_ratio: null } }, /seeding_ratio must be a number/],
    [
      { libtorrent: good, webhooks: { urls: ['ftp://a/'] } },
      /webhooks\.urls entry 0: must be an http or https address/,
    ],
    [{ libtorrent: good, webhooks: { urls: Array(17).fill('http://a/') } }, /at most 16 entries/],
    [{ libtorrent: good, webhooks: { events: ['Not A Name'] } }, /webhooks\.events entry 0: must be a name/],
    [JSON.parse('{"__proto__":{"x":1}}'), /__proto__\.x is unknown/],
    [JSON.parse('{"libtorrent":{"constructor":1}}'), /libtorrent\.constructor is unknown/],
    [[], /body must be an object/],
    [null, /body must be an object/],
    ['x', /body must be an object/],
  ]
  for (const [body, message] of faults) {
    await assert.rejects(store.change(body), { code: 'InvalidSetting', message }, JSON.stringify(body)?.slice(0, 100))
  }
  assert.equal(store.values.libtorrent.max_upload_rate, 0)
  assert.equal(readFileSync(place.path, 'utf8'), before)
})

test('limits of the queue: the ends of each range are taken, what lies beyond is refused by name', async t => {
  const store = await makePlace(t).open()
  const ranges = {
    active_downloads: [-1, 1_000_000],
    active_seeds: [-1, 1_000_000],
    active_checking: [-1, 1_000_000],
    active_limit: [-1, 1_000_000],
    inactive_down_rate: [0, 1_000_000_000_000],
    inactive_up_rate: [0, 1_000_000_000_000],
    auto_manage_startup: [5, 86_400],
  } as const
  for (const [option, [low, high]] of Object.entries(ranges)) {
    const change = (value: unknown) => store.change({ libtorrent: { [option]: value } })
    for (const value of [high, low]) {
      await change(value)
      assert.equal(store.values.libtorrent[option as keyof typeof ranges], value)
    }
    const message = new RegExp(`libtorrent\\.${option} must be from ${low} to ${high}`)
    for (const value of [low - 1, high + 1]) {
      await assert.rejects(change(value), { code: 'InvalidSetting', message }, `${option} = ${value}`)
    }
    for (const value of [1e30, 1.5, 'many', null, true, [1]]) {
      const whole = new RegExp(`libtorrent\\.${option} must be a whole number`)
      await assert.rejects(change(value), { code: 'InvalidSetting', message: whole }, `${option} = ${value}`)
    }
    assert.equal(store.values.libtorrent[option as keyof typeof ranges], low, 'nothing changed')
  }
  const slow = (value: unknown) => store.change({ libtorrent: { dont_count_slow_torrents: value } })
  await assert.rejects(slow('sometimes'), { code: 'InvalidSetting', message: /must be true or false/ })
  await assert.rejects(slow(null), { code: 'InvalidSetting' })
  assert.equal(store.values.libtorrent.dont_count_slow_torrents, true)
})

test('values that clients in the field send are taken', async t => {
  const store = await makePlace(t).open()
  await store.change({ libtorrent: { max_upload_rate: ' 12 ', port: '-1', max_download_rate: '2.0' } })
  await store.change({ download_defaults: { anonymity_enabled: 1, safeseeding_enabled: 'false' }, trustchain: {} })
  const { libtorrent, download_defaults } = store.values
  assert.deepEqual([libtorrent.max_upload_rate, libtorrent.port, libtorrent.max_download_rate], [12, -1, 2])
  assert.deepEqual([download_defaults.anonymity_enabled, download_defaults.safeseeding_enabled], [true, false])
})

test('changes at the same time happen one after the other', async t => {
  const place = makePlace(t)
  const store = await place.open()
  await Promise.all([1, 2, 3, 4, 5].map(n => store.change({ libtorrent: { max_upload_rate: n, port: 1000 + n } })))
  const { libtorrent } = (await place.open()).values
  assert.deepEqual([libtorrent.max_upload_rate, libtorrent.port], [5, 1005])
})

test('a configuration that cannot be used is refused by line or by name', async t => {
  const place = makePlace(t)
  assert.match(await place.refusal('api:\n  http_port: 70000\n'), /^FILE, line 2: api\.http_port must be from -1/)
  assert.match(
    await place.refusal('libtorrent:\n  active_seeds: -2\n'),
    /line 2: libtorrent\.active_seeds must be from -1/,
  )
  assert.match(await place.refusal('a: 1\nb: [\n'), /^FILE, line \d: .*\.$/)
  assert.match(await place.refusal('api: {}\napi: {}\n'), /^FILE, line 2: .*unique/)
  assert.match(await place.refusal('- x\n'), /^FILE, line 1: the file must hold sections/)
  assert.match(await place.refusal('api:\n  key: a\nlibtorrent: 5\n'), /^FILE, line 3: section libtorrent must hold/)
  assert.match(await place.refusal('x'.repeat(1024 * 1024 + 1)), /FILE cannot be read: it is larger/)
  rmSync(place.path)
  assert.match(
    await place.refusal(null, { env: { CORE_API_PORT: 'x' } }),
    /variable CORE_API_PORT for api\.http_port must/,
  )
  assert.match(await place.refusal(null, { flags: [['api.nope', '1']] }), /flag api\.nope: there is no such setting/)
  assert.match(await place.refusal(null, { flags: [['api.http_port.x', '1']] }), /there is no such setting/)
  assert.match(await place.refusal(null, { flags: [['libtorrent.port', '1e3']] }), /libtorrent\.port must be a whole/)
})

test('lists may be given as text', async t => {
  const place = makePlace(t)
  const flags: [string, string][] = [
    ['api.host_names', 'a.example, b.example'],
    ['network.allow_private', '["10.0.0.0/8"]'],
    ['general.allowed_paths', ''],
  ]
  const { values } = await place.open({ flags })
  assert.deepEqual(values.api.host_names, ['a.example', 'b.example'])
  assert.deepEqual(values.network.allow_private, ['10.0.0.0/8'])
  assert.deepEqual(values.general.allowed_paths, [])
})
