// The system's ways of looking up names: hosts file, order of services, search domains, other services by a program.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type SystemFiles, systemLookup } from '../../../src/io/net/system-lookup.ts'
import { findInHosts, readNameServices, readSearchList, searchedNames } from '../../../src/io/net/system-names.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'

const skip = process.platform === 'linux' ? false : 'the files are those of Linux'
type Answer = string[] | 'ENOTFOUND' | 'ETIMEOUT'

/** A look-up over files with these texts; `known`: what name servers say, by name. Asked names are noted. */
async function makeLookup(texts: Partial<SystemFiles>, known: Record<string, Answer>, byProgram: string[] = []) {
  const folder = await makeTestFolder()
  const files = { hosts: join(folder.path, 'h'), nsswitch: join(folder.path, 'n'), resolvConf: join(folder.path, 'r') }
  for (const [name, text] of Object.entries(texts)) await writeFile(files[name as keyof SystemFiles], text)
  const asked: string[] = []
  const answer = (name: string, done: (error: NodeJS.ErrnoException | null, ips: string[]) => void): void => {
    asked.push(name)
    const found = known[name] ?? 'ENOTFOUND'
    if (typeof found === 'string') done(Object.assign(new Error(found), { code: found }), [])
    else done(null, found)
  }
  const none = (_: string, done: (error: null, ips: string[]) => void): void => done(null, [])
  const lookup = systemLookup({
    files,
    makeResolver: () => ({ resolve4: answer, resolve6: none }) as never,
    askProgram: host => {
      asked.push(`getent ${host}`)
      return Promise.resolve(byProgram)
    },
  })
  const find = (host: string) =>
    new Promise<{ error: string | null; ips: readonly string[] }>(resolve =>
      lookup(host, (error, ips) => resolve({ error: error?.message ?? null, ips })),
    )
  return { find, asked, files, remove: () => folder.remove() }
}

test('a hosts file is read first, and read again when it was changed', { skip }, async () => {
  const { find, asked, files, remove } = await makeLookup({ hosts: '10.0.0.7 Box box.lan # mine\n::7 box\n' }, {})
  assert.deepEqual((await find('box')).ips, ['10.0.0.7', '::7'])
  assert.deepEqual((await find('BOX.lan')).ips, ['10.0.0.7'])
  assert.deepEqual((await find('mine')).ips, [])
  await writeFile(files.hosts, '10.0.0.80 box\n')
  assert.deepEqual((await find('box')).ips, ['10.0.0.80'])
  assert.deepEqual(asked, ['mine'])
  await remove()
})

test('search domains are tried as ndots says, until a name is known', { skip }, async () => {
  const texts = { resolvConf: 'search lan.example corp.example\n' }
  const { find, asked, remove } = await makeLookup(texts, { 'nas.corp.example': ['10.1.1.1'], 'a.b': ['10.2.2.2'] })
  assert.deepEqual((await find('nas')).ips, ['10.1.1.1'])
  assert.deepEqual((await find('a.b')).ips, ['10.2.2.2'])
  assert.deepEqual(asked, ['nas.lan.example', 'nas.corp.example', 'a.b'])
  await remove()
})

test('other services are asked by a program: where they come first, or where DNS knows nothing', { skip }, async () => {
  const nsswitch = 'passwd: files\nhosts: files mdns4_minimal [NOTFOUND=return] dns\n'
  const { find, asked, remove } = await makeLookup({ nsswitch }, { 't.example': ['10.3.3.3'] }, ['10.4.4.4'])
  assert.deepEqual((await find('nas.local')).ips, ['10.4.4.4'])
  assert.deepEqual((await find('t.example')).ips, ['10.3.3.3'])
  assert.deepEqual((await find('u.example')).ips, ['10.4.4.4'])
  assert.deepEqual(asked, ['getent nas.local', 't.example', 'u.example', 'getent u.example'])
  await remove()
})

test('silence is an error and asks nobody else; localhost asks nobody at all', { skip }, async () => {
  const nsswitch = 'hosts: files dns myhostname\n'
  const { find, asked, remove } = await makeLookup({ nsswitch }, { 't.example': 'ETIMEOUT' })
  assert.equal((await find('t.example')).error, 'ETIMEOUT')
  assert.deepEqual((await find('x.localhost')).ips, ['127.0.0.1', '::1'])
  assert.deepEqual(asked, ['t.example'])
  await remove()
})

test('files are read as the system reads them', () => {
  assert.deepEqual(readNameServices(''), { files: true, dns: true, othersBefore: false, othersAfter: false })
  const { othersBefore, othersAfter } = readNameServices(
    'hosts: mymachines resolve [!UNAVAIL=return] files myhostname dns',
  )
  assert.deepEqual([othersBefore, othersAfter], [true, true])
  assert.deepEqual(readNameServices('hosts: files # dns').dns, false)
  assert.deepEqual(findInHosts('10.0.0.1 mybox box2\n#10.0.0.2 box\n10.0.0.3\tbox', 'box'), ['10.0.0.3'])
  const text = 'domain one.example\nsearch a.example b.example. # two\noptions rotate ndots:2\n'
  const list = readSearchList(text, {})
  assert.deepEqual(list, { domains: ['a.example', 'b.example'], ndots: 2 })
  assert.deepEqual(readSearchList(text, { LOCALDOMAIN: 'c', RES_OPTIONS: 'ndots:0' }), { domains: ['c'], ndots: 0 })
  assert.deepEqual(searchedNames('x.y', list), ['x.y.a.example', 'x.y.b.example', 'x.y'])
  assert.deepEqual(searchedNames('x.y.', list), ['x.y'])
})
