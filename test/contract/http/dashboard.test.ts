// The dashboard's routes: page and parts without a key, their policy, and nothing else from their folder; the list on
// the event stream.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { after, before, test } from 'node:test'
import { BuiltFiles } from '../../../src/io/files/built-files.ts'
import { ask, KEY, type Running, startServer, until } from './harness.ts'
import { HASH } from './service-double.ts'

let server: Running
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('the page needs no key, and its policy allows nothing but its own parts', async () => {
  const page = await ask(server.port, '/', { key: false })
  assert.equal(page.status, 200)
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.match(policy, /require-trusted-types-for 'script'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.equal(page.headers['cache-control'], 'no-cache')
  assert.equal(page.headers['x-content-type-options'], 'nosniff')
  const part = await ask(server.port, '/dashboard/icon.svg', { key: false })
  assert.equal(part.status, 200)
  assert.equal(part.headers['content-type'], 'image/svg+xml')
  assert.match(String(part.headers['cache-control']), /immutable/)
})

test('WebAssembly runs in the worker of the player alone, which has a policy of its own', async () => {
  const page = await ask(server.port, '/', { key: false })
  assert.match(String(page.headers['content-security-policy']), /; trusted-types tributary-worker$/)
  const worker = await ask(server.port, '/dashboard/worker-film-abc.js', { key: false })
  assert.equal(
    worker.headers['content-security-policy'],
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self'; base-uri 'none'",
  )
  for (const name of ['icon.svg', 'film-worker-abc.js']) {
    const other = await ask(server.port, `/dashboard/${name}`, { key: false })
    assert.equal(other.status, 200)
    assert.equal(other.headers['content-security-policy'], undefined, name)
  }
})

test('other methods and other names are refused', async () => {
  assert.equal((await ask(server.port, '/', { method: 'PUT' })).status, 405)
  for (const name of ['nothing.js', 'index.html', '..%2Findex.html', 'icon', '%2e%2e', 'licences.md'])
    assert.equal((await ask(server.port, `/dashboard/${name}`, { key: false })).status, 404, name)
})

test('files are read from their folder and the one below it, by plain names alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-built-'))
  try {
    await mkdir(join(folder, 'page', 'dashboard'), { recursive: true })
    await writeFile(join(folder, 'secret.js'), 'no')
    await writeFile(join(folder, 'page', 'index.html'), 'page')
    await writeFile(join(folder, 'page', 'dashboard', 'a-B_1.js'), 'part')
    const files = new BuiltFiles(pathToFileURL(`${join(folder, 'page')}/`))
    assert.equal(String(await files.read('index.html')), 'page')
    assert.equal(String(await files.read('dashboard/a-B_1.js')), 'part')
    for (const name of ['../secret.js', 'dashboard/../../secret.js', '/etc/passwd', 'a//b', 'dashboard', '', '.', 'x'])
      assert.equal(await files.read(name), null, name)
    assert.equal(await new BuiltFiles(new URL('file:///nowhere/at/all/')).read('index.html'), null)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Lines of an event stream that have `word` in them, as soon as one is there; then the client goes. */
function linesOf(path: string, word: string, headers: Record<string, string> = {}): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: server.port, path, headers: { 'X-Api-Key': KEY, ...headers } },
      answer => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          const lines = text.split('\n').filter(line => line.includes(word))
          if (lines.length === 0 || !text.endsWith('\n')) return
          sent.destroy()
          resolve(lines)
        })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

test('the event stream tells the list to those who ask for it, and lets it go with its client', async () => {
  server.double.calls.length = 0
  const [line = ''] = await linesOf('/events?downloads=1', 'downloads_changed')
  const { type, event, ...rest } = JSON.parse(line) as { type: string; event: { downloads: { infohash: string }[] } }
  assert.equal(type, 'downloads_changed')
  assert.equal(event.downloads[0]?.infohash, HASH)
  assert.deepEqual(rest, {}, 'it has no id: it is not in the log')
  await until(() => server.double.calls.some(call => call[0] === 'unfollowList'))
  const served = await linesOf('/events?downloads=1', 'downloads_changed', { accept: 'text/event-stream' })
  assert.ok(served.some(each => each.startsWith('data: {"type":"downloads_changed"')))
  assert.ok(!served.some(each => each.startsWith('id:')))
})

test('those who do not ask for the list do not get it', async () => {
  server.double.calls.length = 0
  const sent = request({ host: '127.0.0.1', port: server.port, path: '/events', headers: { 'X-Api-Key': KEY } })
  sent.on('error', () => undefined)
  sent.end()
  await until(() => server.double.followers.size > 0)
  assert.ok(!server.double.calls.some(call => call[0] === 'followList'))
  sent.destroy()
})

test('one download by itself, with the parts asked for', async () => {
  const answer = await ask(server.port, `/downloads/${HASH}?get_peers=1`)
  const { download } = answer.json() as { download: { infohash: string; peers: unknown[] } }
  assert.equal(download.infohash, HASH)
  assert.deepEqual(server.double.calls.at(-1), ['record', HASH, { peers: true, pieces: false, files: false }])
})
