// The configuration file: what survives a change, and what is refused.

import assert from 'node:assert/strict'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigFile } from '../../../src/node/settings/config-file.ts'

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-config-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const TEXT = `# head comment
libtorrent: # about peers
  # the port
  port: 6881 # forwarded
  future_option: [1, 2]

unknown_section:
  x: {a: 1}
# tail comment
`

test('comments, order and unknown keys survive a change', async t => {
  const path = join(temporaryFolder(t), 'c.yaml')
  writeFileSync(path, TEXT)
  const file = await ConfigFile.open(path)
  assert.deepEqual(
    file.entries().map(({ section, option, line }) => [section, option, line]),
    [
      ['libtorrent', 'port', 4],
      ['libtorrent', 'future_option', 5],
      ['unknown_section', 'x', 8],
    ],
  )
  await file.write([
    ['libtorrent', 'port', 7000],
    ['api', 'host_names', ['a', 'b']],
  ])
  const text = readFileSync(path, 'utf8')
  for (const kept of [
    '# head comment',
    '# about peers',
    '# the port',
    '7000 # forwarded',
    'future_option: [',
    '# tail comment',
  ]) {
    assert.ok(text.includes(kept), `${kept} is gone from\n${text}`)
  }
  const again = await ConfigFile.open(path)
  const values = Object.fromEntries(again.entries().map(entry => [`${entry.section}.${entry.option}`, entry.value]))
  assert.deepEqual(values, {
    'libtorrent.port': 7000,
    'libtorrent.future_option': [1, 2],
    'unknown_section.x': { a: 1 },
    'api.host_names': ['a', 'b'],
  })
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('edits that somebody made meanwhile are kept; unreadable ones stop the change', async t => {
  const path = join(temporaryFolder(t), 'c.yaml')
  const file = await ConfigFile.open(path)
  await file.write([['api', 'http_port', 1]])
  writeFileSync(path, `${readFileSync(path, 'utf8')}libtorrent:\n  port: 5 # mine\n`)
  await file.write([['api', 'http_port', 2]])
  const text = readFileSync(path, 'utf8')
  assert.match(text, /port: 5 # mine/)
  assert.match(text, /http_port: 2/)
  writeFileSync(path, 'a: [')
  await assert.rejects(file.write([['api', 'http_port', 3]]), { code: 'BadConfiguration' })
  assert.equal(readFileSync(path, 'utf8'), 'a: [')
})

test('a file of comments, an empty section and a missing file can be written', async t => {
  const folder = temporaryFolder(t)
  for (const text of ['# only this\n', 'api:\n', 'api: ~ # none\n', '', null]) {
    const path = join(folder, 'c.yaml')
    rmSync(path, { force: true })
    if (text !== null) writeFileSync(path, text)
    const file = await ConfigFile.open(path)
    await file.write([['api', 'key', '123']])
    const [entry] = (await ConfigFile.open(path)).entries()
    assert.deepEqual([entry?.option, entry?.value], ['key', '123'], JSON.stringify(text))
    if (text === '# only this\n') assert.match(readFileSync(path, 'utf8'), /^# only this/)
  }
})

test('nothing is left beside the file, and a leftover of a crash is no hindrance', async t => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'c.yaml')
  writeFileSync(`${path}.new`, 'half a fi')
  await (await ConfigFile.open(path)).write([['api', 'key', 'k']])
  assert.deepEqual(readdirSync(folder), ['c.yaml'])
})

test('a link stays a link and the file behind it is changed', async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'real.yaml'), 'api:\n  key: a\n')
  symlinkSync('real.yaml', join(folder, 'c.yaml'))
  await (await ConfigFile.open(join(folder, 'c.yaml'))).write([['api', 'key', 'b']])
  assert.ok(lstatSync(join(folder, 'c.yaml')).isSymbolicLink())
  assert.equal(readFileSync(join(folder, 'real.yaml'), 'utf8'), 'api:\n  key: b\n')
})

test('what is no readable file is refused', async t => {
  const folder = temporaryFolder(t)
  await assert.rejects(ConfigFile.open(folder), { code: 'BadConfiguration', message: /cannot be read/ })
  // A bomb of aliases: nine levels of nine would be 387 million values.
  const levels = Array.from({ length: 9 }, (_, n) => `  l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`)
  writeFileSync(join(folder, 'bomb.yaml'), `a:\n  l0: &l0 x\n${levels.join('\n')}\n`)
  const bomb = await ConfigFile.open(join(folder, 'bomb.yaml'))
  assert.throws(() => bomb.entries(), { code: 'BadConfiguration', message: /line \d+: .*alias/i })
})

test('a folder that cannot be written is reported and the old file stays', async t => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'c.yaml')
  writeFileSync(path, 'api:\n  key: a\n')
  const file = await ConfigFile.open(path)
  // A folder in the place of the temporary file stops root too.
  mkdirSync(`${path}.new`)
  await assert.rejects(file.write([['api', 'key', 'b']]), { code: 'DiskError', message: /cannot be written/ })
  assert.equal(readFileSync(path, 'utf8'), 'api:\n  key: a\n')
})
