// The playlist of a download over a real socket: its links open what they should and nothing else, names of strangers
// stay names, and the headers that television sets look for.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FileRecord } from '../../../src/services/api.ts'
import { type Answer, ask, realClock, type Running, startServer } from './harness.ts'
import { HASH } from './service-double.ts'

const HOUR_MS = 3_600_000
let skewMs = 0
let server: Running
before(async () => {
  server = await startServer({}, 8, { clock: { ...realClock, wallMs: () => Date.now() + skewMs } })
  server.double.content = Buffer.from('the content of the film')
})
after(() => server.stop())

function files(...names: string[]): void {
  const plain = { size: 10, included: true, progress: 1, priority: 4 }
  const records: FileRecord[] = names.map((name, index) => ({
    ...plain,
    index,
    name,
    included: !name.startsWith('no'),
  }))
  server.double.listedFiles = () => records
}

const open = (path: string): Promise<Answer> => ask(server.port, path, { key: false })

async function playlistUrl(): Promise<string> {
  const listed = (await ask(server.port, `/downloads/${HASH}/files`)).json() as { playlist_url: string }
  return listed.playlist_url
}

async function playlistLines(): Promise<string[]> {
  const answer = await open(await playlistUrl())
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'audio/x-mpegurl')
  return answer.body.toString().split('\n')
}

test('a signed link opens the playlist, and its lines open the files', async () => {
  files('e2.mkv', 'e1.mkv', 'e1.en.srt', 'no.mkv', 'readme.txt')
  const lines = await playlistLines()
  assert.deepEqual([lines[0], lines[1], lines[2]], ['#EXTM3U', '#PLAYLIST:Film', '#EXTINF:-1,e1.mkv'])
  assert.match(lines[3] ?? '', /^#EXTVLCOPT:input-slave=http:\/\/127\.0\.0\.1[^#]*\/stream\/2\/e1\.en\.srt\?token=/)
  const links = lines.filter(line => line.startsWith('http'))
  assert.equal(links.length, 2)
  assert.ok(links[0]?.startsWith(`http://127.0.0.1:${server.port}/downloads/${HASH}/stream/1/e1.mkv?token=`), links[0])
  for (const link of links) assert.equal((await open(new URL(link).pathname + new URL(link).search)).status, 206)
})

test('asked for by a key it tells where films go on, by a link it does not', async () => {
  files('e1.mkv', 'e2.mkv')
  const byKey = (await ask(server.port, `/downloads/${HASH}/playlist.m3u`)).body.toString().split('\n')
  const start = byKey.indexOf('#EXTVLCOPT:start-time=101')
  assert.ok(start > 0 && byKey[start + 1]?.includes('/stream/0/e1.mkv'), byKey.join('\n'))
  assert.equal(byKey.filter(line => line.includes('start-time')).length, 1)
  assert.ok(!(await playlistLines()).some(line => line.includes('start-time')))
  // A key beside a link is a key.
  const both = await ask(server.port, await playlistUrl())
  assert.ok(both.body.toString().includes('start-time=101'))
})

test('a link opens its own thing only, and not for ever', async () => {
  files('a.mkv', 'b.mkv')
  const url = await playlistUrl()
  const token = new URL(url, 'http://x').searchParams.get('token') ?? ''
  const [first = ''] = (await playlistLines()).filter(line => line.startsWith('http'))
  const fileToken = new URL(first).searchParams.get('token') ?? ''
  const refused = async (path: string): Promise<void> => {
    const answer = await open(path)
    assert.equal(answer.status, 403, path)
    assert.equal((answer.json() as { error: { code: string } }).error.code, 'LinkInvalid')
  }
  await refused(`/downloads/${HASH}/stream/0?token=${token}`)
  await refused(`/downloads/${HASH}/stream/1/b.mkv?token=${fileToken}`)
  await refused(`/downloads/${HASH}/playlist.m3u?token=${fileToken}`)
  await refused(`/downloads/${'ab'.repeat(20)}/playlist.m3u?token=${token}`)
  await refused(`${url}x`)
  assert.equal((await open(`/downloads/${HASH}/playlist.m3u`)).status, 401)
  assert.equal((await open(`/downloads?token=${token}`)).status, 401)
  skewMs = 25 * HOUR_MS
  await refused(url)
  await refused(new URL(first).pathname + new URL(first).search)
  skewMs = 0
})

test('names with line ends, markup and odd characters stay names', async () => {
  files('x/a\r\n#EXTVLCOPT:sout=x\nhttp://evil.example/evil.mkv', 'x/..', 'x/ü #?%&"<b>.mkv', 'x/\ud800.mkv')
  const lines = await playlistLines()
  assert.ok(!lines.some(line => line.startsWith('#EXTVLCOPT') || line.startsWith('http://evil')))
  const links = lines.filter(line => line.startsWith('http'))
  assert.equal(links.length, 3)
  for (const link of links) {
    assert.match(
      link,
      /^http:\/\/127\.0\.0\.1:\d+\/downloads\/[0-9a-f]{40}\/stream\/\d\/[A-Za-z0-9%._~!'()*-]+\?token=/,
    )
    assert.equal((await open(new URL(link).pathname + new URL(link).search)).status, 206)
  }
})

test('nothing to play is 404, a host that is not served 403', async () => {
  files('readme.txt', 'no.mkv')
  const answer = await open(await playlistUrl())
  assert.equal((answer.json() as { error: { code: string } }).error.code, 'FileNotFound')
  files('a.mkv')
  const foreign = await ask(server.port, await playlistUrl(), { key: false, headers: { Host: 'evil.example' } })
  assert.equal(foreign.status, 403)
  const named = await ask(server.port, await playlistUrl(), { key: false, headers: { Host: 'node.example:81' } })
  assert.match(named.body.toString(), /\nhttp:\/\/node\.example:81\/downloads\//)
})

test('films and sound have the headers of DLNA, other files none', async () => {
  const kinds: [string, string | undefined][] = [
    ['a.mkv', 'Streaming'],
    ['a.mp3', 'Streaming'],
    ['a.jpg', 'Interactive'],
    ['a.html', undefined],
    ['a', undefined],
  ]
  for (const [name, mode] of kinds) {
    server.double.fileName = name
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await ask(server.port, `/downloads/${HASH}/stream/0`, { method })
      assert.equal(headers['transfermode.dlna.org'], mode, name)
      assert.equal(headers['contentfeatures.dlna.org'] === undefined, mode === undefined)
    }
  }
})

test('behind a proxy that speaks HTTPS the links do too', async () => {
  files('a.mkv')
  const url = await playlistUrl()
  const linkOf = async (headers: Record<string, string>): Promise<string> =>
    (await ask(server.port, url, { key: false, headers })).body
      .toString()
      .split('\n')
      .find(line => /^https?:/.test(line)) ?? ''
  assert.match(await linkOf({ 'X-Forwarded-Proto': 'https' }), /^https:\/\/127\.0\.0\.1/)
  assert.match(await linkOf({ 'X-Forwarded-Proto': 'gopher' }), /^http:\/\/127\.0\.0\.1/)
})
