// Debian's nginx before a node, with the example of src/docs: the dashboard, events as they happen, seeking in films,
// playlists with links that lead back through the proxy, torrent files of some size, pages of the proxy's own origin.

import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeCertificate } from '../kit/content/certificates.ts'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { type DaemonProcess, startDaemon } from '../kit/nodes/daemon-process.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const NAME = 'node.example'
const film = makeTorrent({ name: 'film.mkv', length: 3_000_000, pieceLength: 64 * 1024 })
const content = film.files[0]?.content ?? Buffer.alloc(0)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>(resolve => server.close(() => resolve()))
  return port
}

/** The example with the places of this test. */
async function configuration(home: string, ports: { plain: number; secure: number; node: number }): Promise<string> {
  const example = await readFile(join(projectRoot, 'src/docs/examples/nginx.conf'), 'utf8')
  const { cert, key } = makeCertificate(home, NAME)
  const here = example
    .replace('127.0.0.1:52194', `127.0.0.1:${ports.node}`)
    .replace('listen 80;', `listen 127.0.0.1:${ports.plain};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${ports.secure} ssl;`)
    .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, cert)
    .replace(/\/etc\/letsencrypt\S+privkey\.pem/, key)
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${home}/${name};`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `daemon off; ${user} worker_processes 1; pid ${home}/nginx.pid;
events { worker_connections 256; }
http { ${own.join(' ')} access_log off;
${here}}
`
}

describe('behind nginx', { skip: needs('nginx', 'openssl'), concurrency: 1, timeout: 120_000 }, () => {
  let folder: TestFolder
  let node: NodeProcess
  let nginx: DaemonProcess
  let infohash = ''
  const ports = { plain: 0, secure: 0, node: 0 }

  /** The head of an answer through the proxy; `body` is sent as it is. */
  const open = (path: string, more: { method?: string; body?: Buffer; headers?: object } = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method = 'GET', body, headers } = more
      const length = body === undefined ? {} : { 'Content-Length': body.length }
      const asked = request(
        {
          host: '127.0.0.1',
          port: ports.secure,
          path,
          method,
          rejectUnauthorized: false,
          agent: false,
          headers: { Host: NAME, ...length, ...headers },
        },
        resolve,
      )
      asked.on('error', reject)
      asked.end(body)
    })
  const read = async (answer: IncomingMessage): Promise<Buffer> => {
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }
  const withKey = (): object => ({ headers: { 'X-Api-Key': node.key } })

  before(async () => {
    folder = await makeTestFolder()
    node = await startNode({ settings: { 'api.host_names': JSON.stringify([NAME]) } })
    await writeFile(join(folder.path, 'film.mkv'), content)
    await writeFile(join(folder.path, 'film.torrent'), film.torrent)
    infohash = await addDownload(node, join(folder.path, 'film.torrent'), folder.path)
    await downloadComplete(node, infohash)
    Object.assign(ports, { plain: await freePort(), secure: await freePort(), node: node.port })
    const home = join(folder.path, 'nginx')
    await mkdir(home)
    await writeFile(join(home, 'nginx.conf'), await configuration(home, ports))
    nginx = startDaemon('nginx', ['-p', home, '-c', join(home, 'nginx.conf'), '-e', 'stderr'])
    const answers = async (): Promise<boolean> => {
      nginx.assertRunning()
      const answer = await open('/healthz').catch(() => null)
      answer?.resume()
      return answer?.statusCode === 200
    }
    await waitFor('nginx answers', answers, 10_000, () => nginx.output())
  })
  after(async () => {
    // The master would leave its worker behind when it is killed.
    nginx?.child.kill('SIGTERM')
    if (nginx !== undefined) await waitFor('nginx ends', () => nginx.child.exitCode !== null, 10_000)
    await node?.stop()
    await folder?.remove()
  })

  test('plain HTTP leads to HTTPS; the dashboard comes with its policy', async () => {
    const moved = await new Promise<IncomingMessage>((resolve, reject) => {
      const to = { host: '127.0.0.1', port: ports.plain, path: '/x?y', headers: { Host: NAME }, agent: false }
      plainRequest(to, resolve).on('error', reject).end()
    })
    moved.resume()
    assert.deepEqual([moved.statusCode, moved.headers.location], [301, `https://${NAME}/x?y`])
    const page = await open('/')
    assert.equal(page.statusCode, 200)
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'/)
    // What the entry loads is longer than itself.
    const [, script = ''] = /href="\.?\/?(dashboard\/[^"]+\.js)"/.exec((await read(page)).toString()) ?? []
    const part = await open(`/${script}`)
    assert.equal(part.statusCode, 200, script)
    assert.ok((await read(part)).length > 10_000)
  })

  test('events come as they happen', async () => {
    const events = await open('/events?downloads=1', withKey())
    let text = ''
    events.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    await waitFor('the list', () => text.includes(infohash), 10_000)
    const other = 'cd'.repeat(20)
    await addDownload(node, `magnet:?xt=urn:btih:${other}`, folder.path)
    await waitFor('the change', () => text.includes(other), 10_000)
    events.destroy()
  })

  test('a film is sought in, by links that lead through the proxy', async () => {
    const files = JSON.parse((await read(await open(`/downloads/${infohash}/files`, withKey()))).toString()) as {
      playlist_url: string
    }
    const playlist = (await read(await open(files.playlist_url))).toString()
    const link = playlist.split('\n').find(line => line.startsWith('http')) ?? ''
    assert.ok(link.startsWith(`https://${NAME}/downloads/`), playlist)
    const path = link.slice(`https://${NAME}`.length)
    const part = await open(path, { headers: { Range: 'bytes=2000000-2000099' } })
    assert.equal(part.statusCode, 206)
    assert.equal(part.headers['content-range'], 'bytes 2000000-2000099/3000000')
    assert.deepEqual(await read(part), Buffer.from(content.subarray(2_000_000, 2_000_100)))
    assert.deepEqual(await read(await open(path)), Buffer.from(content))
  })

  test('torrent files of some size pass, and pages of the proxy are no strangers', async () => {
    const headers = { 'X-Api-Key': node.key, Origin: `https://${NAME}`, 'Sec-Fetch-Site': 'same-origin' }
    const long = await open('/downloads', { method: 'POST', body: Buffer.alloc(8_000_000, 'x'), headers })
    assert.equal(long.statusCode, 400)
    assert.match((await read(long)).toString(), /TorrentUnreadable/)
    const foreign = { ...headers, Origin: 'https://elsewhere.example' }
    const refused = await open('/downloads', { method: 'POST', body: Buffer.alloc(10), headers: foreign })
    assert.equal(refused.statusCode, 403)
    refused.resume()
  })

  test('the RPC of Transmission is reached', async () => {
    const headers = { Authorization: `Basic ${Buffer.from(`me:${node.key}`).toString('base64')}` }
    const body = Buffer.from('{"method":"session-get"}')
    const first = await open('/transmission/rpc', { method: 'POST', body, headers })
    first.resume()
    const session = String(first.headers['x-transmission-session-id'])
    const more = { ...headers, 'X-Transmission-Session-Id': session }
    const answer = await open('/transmission/rpc', { method: 'POST', body, headers: more })
    assert.equal(answer.statusCode, 200)
    assert.match((await read(answer)).toString(), /"result":"success"/)
  })
})
