// Commands for many downloads: which a text means, what is said of them and what is asked before they are removed;
// settings as people type them; groups of the help.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { changeEach, confirmRemoval, doneText, removalQuestion } from '../../../src/cli/change-each.ts'
import { limitText } from '../../../src/cli/change-commands.ts'
import { isLike, isSelector, selected } from '../../../src/cli/chosen.ts'
import { movedText } from '../../../src/cli/queue-command.ts'
import { CommandError, EXIT } from '../../../src/cli/node-client.ts'
import { settingValue } from '../../../src/cli/setting-value.ts'
import { durationOf } from '../../../src/cli/units.ts'
import type { OptionSpec } from '../../../src/node/settings/settings-option.ts'
import { addAllCommands } from '../../kit/all-commands.ts'
import { settingsTable } from '../../kit/all-settings.ts'
import { downloadRow } from './download-row.ts'

const row = (name: string, digit: string, ...labels: string[]) =>
  downloadRow({ name, infohash: digit.repeat(40), labels })
const all = [
  row('Ubuntu 24.04', 'a', 'linux'),
  row('ubuntu 22.04 [x*y]', 'b', 'Linux', 'old'),
  row('Debian', 'c', 'linux-arm'),
  // A stranger names his torrent as a selector.
  row('label:linux', 'd'),
  row('ubuntu*', 'e'),
]
const names = (text: string): string[] => selected(all, text).map(({ name }) => name)

test('patterns, labels and all mean as many as fit', () => {
  assert.equal(names('all').length, all.length)
  assert.deepEqual(names('ubuntu*'), ['Ubuntu 24.04', 'ubuntu 22.04 [x*y]', 'ubuntu*'])
  assert.deepEqual(names('*.04'), ['Ubuntu 24.04'])
  assert.deepEqual(names('?ebian'), ['Debian'])
  assert.deepEqual(names('cccc*'), ['Debian'])
  assert.deepEqual(names('label:linux'), ['Ubuntu 24.04', 'ubuntu 22.04 [x*y]'], 'never the torrent of that name')
  assert.deepEqual(names('label:linux*'), ['Ubuntu 24.04', 'ubuntu 22.04 [x*y]', 'Debian'])
  assert.deepEqual(names('debi'), ['Debian'])
  assert.throws(() => names('label:none\u001b'), /No download has the label none\ufffd\./)
  assert.throws(() => names('fedora*'), /No download is like fedora\*\./)
  assert.throws(() => names('ubuntu'), /3 downloads are like ubuntu/)
  assert.deepEqual(['all', 'label:x', 'a*', 'a?', 'a', 'ALL', '[ab]'].map(isSelector), [
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

test('a pattern with many stars over a long name ends at once', () => {
  const began = process.cpuUsage()
  assert.equal(isLike('a'.repeat(4000), `${'*a'.repeat(200)}*b`), false)
  assert.equal(isLike('ab'.repeat(2000), '*a*b*'), true)
  assert.equal(isLike('', '*'), true)
  assert.equal(isLike('', '?'), false)
  assert.ok(process.cpuUsage(began).user < 2_000_000)
})

test('each change is said; many are counted; what is refused is said and the others go on', async () => {
  const shown: string[] = []
  const asked: string[] = []
  const context = {
    json: false,
    show: <T>(value: T, human?: (value: T) => string) => {
      shown.push(human?.(value) ?? '')
    },
  }
  const ask = (one: { name: string }): Promise<object> => {
    asked.push(one.name)
    return one.name === 'Debian' ? Promise.reject(new CommandError('It is moving.')) : Promise.resolve({})
  }
  const failure = await changeEach(context, all, ask, name => `Paused ${name}.`).catch((error: unknown) => error)
  assert.equal(asked.length, all.length)
  assert.match(shown[0] ?? '', /^Paused Ubuntu 24\.04\.\nPaused ubuntu 22\.04 \[x\*y\]\.\nPaused label:linux\.\n/)
  assert.match(String(failure), /1 of 5 were refused:\n {2}Debian: It is moving\./)
  const gone = () => Promise.reject(new CommandError('gone', EXIT.unreachable))
  await assert.rejects(changeEach(context, all, gone, String), { exitCode: EXIT.unreachable })
  shown.length = 0
  await changeEach(context, [], ask, String)
  assert.deepEqual(shown, ['There are no downloads.\n'])
  const text = doneText(Array.from({ length: 500 }, (_, at) => `Paused ${at}.`))
  assert.equal(text.split('\n').length, 21)
  assert.match(text, /And 481 more: 500 in all\.\n$/)
})

test('many are removed without a terminal by all, or by a pattern with --yes', async () => {
  await confirmRemoval(['all'], all, true)
  await confirmRemoval(['debian', 'label'], all.slice(0, 2), true)
  await confirmRemoval(['debian*'], all.slice(0, 1), true)
  if (!process.stdin.isTTY)
    await assert.rejects(
      confirmRemoval(['all', 'label:linux'], all.slice(0, 2), false),
      /label:linux means 2 downloads; --yes/,
    )
  assert.match(
    removalQuestion(all, true),
    /^ {2}Ubuntu 24\.04\n[\s\S]*Remove 5 downloads and delete their files\? \[y\/N\] $/,
  )
  assert.match(removalQuestion([...all, ...all], false), /and 5 more\nRemove 10 downloads\? /)
})

test('what a limit does is said in units', () => {
  assert.equal(
    limitText({ max_download_speed: 512_000, seeding_ratio: 2, labels: ['a\u001b', 'b'] }),
    'down at most 500 KiB/s, ratio 2, labels a\ufffd, b',
  )
  assert.equal(
    limitText({ max_upload_speed: 0, seeding_time: -1, labels: [], sequential: true, watch_and_forget: false }),
    'up without a limit, seeding time without an end, no labels, in order on, watch and forget off',
  )
})

test('settings as they are typed', () => {
  const specOf = (name: string): OptionSpec => {
    const [section = '', option = ''] = name.split('.')
    const spec = settingsTable[section]?.[option]
    assert.ok(spec !== undefined, name)
    return spec
  }
  const read = (name: string, text: string): unknown => settingValue(name, specOf(name), text)
  assert.equal(read('libtorrent.max_upload_rate', '1M'), 1_048_576)
  assert.equal(read('libtorrent.max_upload_rate', '8Mbit/s'), 1_000_000)
  assert.equal(read('libtorrent.max_upload_rate', '1000'), 1000)
  assert.equal(read('disk.watch_cache_bytes', '2GB'), 2e9)
  assert.equal(read('api.link_hours', '30d'), 720)
  assert.equal(read('download_defaults.seeding_time', '30d'), 43_200)
  assert.equal(read('disk.scrub_days', '4w'), 28)
  assert.equal(read('libtorrent.port', '-1'), -1)
  assert.equal(read('general.family_filter', 'off'), false)
  assert.equal(read('general.family_filter', 'On'), true)
  assert.deepEqual(read('network.allow_private', '127.0.0.0/8'), ['127.0.0.0/8'])
  assert.deepEqual(read('network.allow_private', '127.0.0.0/8, 10.0.0.0/8'), ['127.0.0.0/8', '10.0.0.0/8'])
  assert.deepEqual(read('network.allow_private', '["::1/128"]'), ['::1/128'])
  assert.deepEqual(read('network.allow_private', ''), [])
  assert.equal(read('download_defaults.saveas', '/srv/a,b'), '/srv/a,b')
  assert.equal(read('download_defaults.saveas', '"/srv"'), '/srv', 'as it had to be typed before')
  assert.equal(read('general.log_level', 'debug'), 'debug')
  for (const [name, text, how] of [
    ['libtorrent.max_upload_rate', '1Mb', /max_upload_rate=1Mb: it must be bytes, or end in k, M, G .*as 500k/],
    ['api.link_hours', 'long', /it must be hours, as 12, 12h or 30d\./],
    ['general.family_filter', 'maybe', /it must be on or off\./],
    ['general.log_level', 'loud', /it must be one of debug, info, warn, error\./],
    ['network.allow_private', '["a"', /it must be a list: a,b,c or/],
    ['libtorrent.upload_slots', '8k', /it must be a whole number from /],
  ] as const)
    assert.throws(() => read(name, text), how, name)
  assert.deepEqual([durationOf('1.5h', 60), durationOf('90', 60), durationOf('2y', 1)], [90, null, null])
})

test('every number of the settings that counts bytes or a time says so', () => {
  for (const [section, options] of Object.entries(settingsTable))
    for (const [name, spec] of Object.entries(options)) {
      if (spec.kind !== 'integer' && spec.kind !== 'number') continue
      const counted = /^(?:Bytes|Seconds|Minutes|Hours|Days)\b|_(?:bytes|rate|seconds|minutes|hours|days)$/
      if (counted.test(spec.doc) || counted.test(name)) assert.ok(spec.unit !== undefined, `${section}.${name}`)
    }
})

test('a move in the queue says where each is now, or that nothing moved', () => {
  const moved = all.slice(0, 2).map(({ infohash }, at) => ({ infohash, queue_position: at }))
  const text = 'Ubuntu 24.04 is number 1 of the queue.\nubuntu 22.04 [x*y] is number 2 of the queue.\n'
  assert.equal(movedText({ modified: true, downloads: moved }, all), text)
  assert.equal(movedText({ modified: false, downloads: moved }, all), 'They were there already.\n')
  assert.equal(movedText({ modified: false, downloads: moved.slice(1) }, all), 'It was there already.\n')
  const hostile = [{ ...row('a\u001b[2Jb', 'e') }]
  const one = hostile.map(({ infohash }) => ({ infohash, queue_position: 4 }))
  assert.ok(!movedText({ modified: true, downloads: one }, hostile).includes('\u001b'))
})

test('the help shows every command in a group', () => {
  const program = new Command('tributary')
  for (const name of ['start', 'doctor', 'settings', 'key', 'create']) program.command(name)
  addAllCommands(program)
  for (const command of program.commands)
    assert.notEqual(command.helpGroup(), 'More:', `${command.name()}: give it a group in src/cli/help-groups.ts`)
  const help = program.helpInformation()
  assert.match(help, /\nDownloads:\n {2}add <source\.\.\.> [\s\S]*\nThe node:\n[\s\S]*\nFor scripts and programs:\n/)
  assert.ok(!help.includes('[options] <'), help)
})
