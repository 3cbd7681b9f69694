// Files of the market and the key of the node, on a real disk.

import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { MarketFolder } from '../../../../../src/chapters/market/io/market-folder.ts'
import { openNodeKey } from '../../../../../src/chapters/market/io/node-key.ts'
import { makeTestFolder } from '../../../../kit/content/content-on-disk.ts'

let folder: Awaited<ReturnType<typeof makeTestFolder>>
let at = ''
beforeEach(async () => {
  folder = await makeTestFolder()
  at = path.join(folder.path, 'market')
})
afterEach(() => folder.remove())
const mode = async (name: string) => (await stat(path.join(at, name))).mode & 0o777

test('texts are kept, replaced, listed and taken away; only their owner reads them', async () => {
  const files = new MarketFolder(at)
  assert.deepEqual([await files.read('swap-a.json'), await files.list('')], [null, []])
  await files.remove('swap-a.json')
  await files.write('swap-a.json', 'first')
  await files.write('swap-b.json', 'other')
  await files.write('orders.json', '[]')
  await files.write('swap-a.json', 'second')
  assert.equal(await files.read('swap-a.json'), 'second')
  assert.deepEqual(await files.list('swap-'), ['swap-a.json', 'swap-b.json'])
  assert.deepEqual([await mode('swap-a.json'), (await stat(at)).mode & 0o777], [0o600, 0o700])
  await files.remove('swap-a.json')
  assert.deepEqual(await files.list(''), ['orders.json', 'swap-b.json'])
})

test('of many writers of one file the last one stays, whole', async () => {
  const files = new MarketFolder(at)
  const texts = Array.from({ length: 40 }, (_none, index) => `${index}`.repeat(20_000 - index * 400))
  await Promise.all(texts.map(text => files.write('swap.json', text)))
  assert.equal(await files.read('swap.json'), texts.at(-1))
  assert.deepEqual(await readdir(at), ['swap.json'])
})

test('what a writer left when it was killed is no file, and names are plain', async () => {
  const files = new MarketFolder(at)
  await files.write('swap.json', 'whole')
  await writeFile(path.join(at, 'swap.json.new'), 'ha')
  await writeFile(path.join(at, '.hidden'), '')
  await mkdir(path.join(at, 'folder'))
  assert.deepEqual([await files.read('swap.json'), await files.list('')], ['whole', ['swap.json']])
  await files.write('swap.json', 'more')
  for (const name of ['../x', 'a/b', '.x', '', 'x.new', 'node.key']) {
    assert.throws(() => files.write(name, ''), /name of a file|key of the node/, name)
    await assert.rejects(files.read(name), /name of a file|key of the node/, name)
  }
  await symlink('/etc/hostname', path.join(at, 'link.json'))
  await assert.rejects(files.read('link.json'), { code: 'StateUnreadable' })
})

test('the key is made once, for its owner, and opens what it sealed also after a restart', async () => {
  const seal = await openNodeKey(at)
  assert.deepEqual([await mode('node.key'), (await stat(path.join(at, 'node.key'))).size], [0o600, 32])
  const first = await readFile(path.join(at, 'node.key'))
  const secret = Buffer.from('ab'.repeat(32), 'hex')
  const [one, two] = [seal.seal(secret), seal.seal(secret)]
  assert.notEqual(one, two)
  assert.ok(!one.includes(secret.toString('hex')) && !one.includes(secret.toString('base64')))
  const again = await openNodeKey(at)
  assert.deepEqual(await readFile(path.join(at, 'node.key')), first)
  assert.deepEqual([Buffer.from(again.open(one)), Buffer.from(again.open(two))], [secret, secret])
  assert.deepEqual(await new MarketFolder(at).list(''), [])
})

test('what was changed or sealed elsewhere is not opened', async () => {
  const seal = await openNodeKey(at)
  const sealed = seal.seal(Buffer.from('secret'))
  const bytes = Buffer.from(sealed.slice(8), 'base64')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    assert.throws(() => seal.open(`sealed1:${changed.toString('base64')}`), { code: 'StateUnreadable' })
  }
  const other = await openNodeKey(path.join(folder.path, 'other'))
  for (const text of [sealed.slice(8), `sealed1:${bytes.subarray(0, 20).toString('base64')}`, '', 'sealed1:'])
    assert.throws(() => seal.open(text), { code: 'StateUnreadable' })
  assert.throws(() => other.open(sealed), { code: 'StateUnreadable' })
})

test('a key that others can read, that is cut short or a link is refused, and stays as it is', async () => {
  await openNodeKey(at)
  const key = path.join(at, 'node.key')
  for (const open of [0o640, 0o604, 0o620, 0o666]) {
    await chmod(key, open)
    await assert.rejects(openNodeKey(at), { code: 'StateUnreadable', message: /0600/ }, open.toString(8))
  }
  await chmod(key, 0o600)
  await openNodeKey(at)
  const linked = path.join(folder.path, 'linked')
  await mkdir(linked)
  await symlink(key, path.join(linked, 'node.key'))
  await assert.rejects(openNodeKey(linked), { code: 'StateUnreadable' })
  for (const size of [0, 31, 33]) {
    await writeFile(key, Buffer.alloc(size))
    await assert.rejects(openNodeKey(at), { code: 'StateUnreadable', message: /32 bytes/ })
    assert.equal((await stat(key)).size, size)
  }
})
