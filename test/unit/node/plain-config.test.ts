// Plain configuration files: read as the reader of YAML reads them, or left to it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { plainEntries } from '../../../src/node/settings/plain-config.ts'
import { fuzz } from '../../kit/sim/fuzz.ts'

/** What YAML makes of it, as the entries say it. */
function byYaml(text: string): string[] {
  const sections = (parse(text) ?? {}) as Record<string, Record<string, unknown> | null>
  return Object.entries(sections).flatMap(([section, options]) =>
    Object.entries(options ?? {}).map(([option, value]) => `${section}.${option}=${typeof value} ${String(value)}`),
  )
}

function plain(text: string): string[] | null {
  const said = plainEntries(text)?.map(
    ({ section, option, value }) => `${section}.${option}=${typeof value} ${String(value)}`,
  )
  return said ?? null
}

test('the file that a node makes, and one with settings of its own', () => {
  const text =
    '# Settings.\n#   libtorrent:\n\n\napi:\n  key: f7b50a8d5e79e3\n  http_port: 52194\n\nlibtorrent:\n  utp: true\n'
  assert.deepEqual(plainEntries(text), [
    { section: 'api', option: 'key', value: 'f7b50a8d5e79e3', line: 6 },
    { section: 'api', option: 'http_port', value: 52_194, line: 7 },
    { section: 'libtorrent', option: 'utp', value: true, line: 10 },
  ])
  for (const each of ['', '# nothing\n', 'api:\n', 'download_defaults:\n  saveas: /srv/films\n  seeding_ratio: -1\n'])
    assert.deepEqual(plain(each), byYaml(each), each)
})

test('everything else is left to the reader of YAML', () => {
  const values = [
    '',
    '"a"',
    "'a'",
    '1.5',
    '1e5',
    '0x10',
    '0o17',
    '01',
    '-0',
    'null',
    '~',
    'yes',
    'a b',
    'a: b',
    '[a]',
    '{}',
    '&a b',
  ]
  const more = [
    '*a',
    '!!str a',
    '|',
    'a # b',
    'a ',
    '.inf',
    '-',
    '+1',
    '1_000',
    '\u00e9',
    '1234567890123456',
    '9:30',
    '2020-01-01',
  ]
  for (const value of [...values, ...more]) assert.equal(plain(`api:\n  key: ${value}\n`), null, value)
  const texts = ['a: 1\n', '  a: 1\n', 'api: {}\n', 'api:\n   key: 1\n', 'api:\n\tkey: 1\n', '---\napi:\n', 'api:\r\n']
  const twice = [
    'api:\napi:\n',
    'api:\n  key: a\n  key: b\n',
    'api:\n  key: a\n    b\n',
    'api:\n  null: a\n',
    'true:\n  a: b\n',
  ]
  for (const text of [...texts, ...twice]) assert.equal(plain(text), null, text)
})

fuzz('whatever is taken for plain says what YAML says', 1, source => {
  const words = [
    'a',
    'key',
    '1',
    '0',
    '007',
    '1e3',
    '12ab',
    '0xff',
    '0b1',
    'true',
    'No',
    '/a/b',
    'a-b',
    '-',
    '-1',
    '-01',
    '.5',
    'x.y',
    '~',
    'NULL',
  ]
  const lines = Array.from({ length: source.below(6) + 1 }, () => {
    const [name, word] = [source.pick(['api', 'key', 'b2', 'on', 'null']), source.pick(words)]
    return source.pick([
      `${name}:`,
      `  ${name}: ${word}`,
      `  ${name}:${word}`,
      `   ${name}: ${word}`,
      '# x',
      '',
      '  # y',
      `${name}: ${word}`,
      word,
    ])
  })
  const text = `${lines.join('\n')}${source.pick(['', '\n'])}`
  const found = plain(text)
  if (found !== null) assert.deepEqual(found.toSorted(), byYaml(text).toSorted(), text)
})
