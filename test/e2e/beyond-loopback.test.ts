// A node that is reached from elsewhere: HTTPS with a certificate that is replaced while it runs, no listener outside
// without a key, keys of limited scope and the paths they may name.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { makeCertificate, replaceCertificate, textOf } from '../kit/content/certificates.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

describe('beyond loopback', { concurrency: 1 }, () => {
  let folder = ''
  before(async () => {
    folder = await realpath(mkdtempSync(path.join(tmpdir(), 'tributary-beyond-')))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const subjectAt = (port: number, key: string, ca: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        path: '/state',
        ca,
        agent: false as const,
        headers: { 'x-api-key': key },
      }
      const asked = request(options, answer => {
        const { CN } = (answer.socket as TLSSocket).getPeerCertificate().subject
        answer.resume().on('end', () => resolve(`${answer.statusCode} ${String(CN)}`))
      })
      asked.on('error', reject).end()
    })

  test('HTTPS of a running node, whose certificate is replaced', async () => {
    const pair = makeCertificate(folder, 'first')
    const next = makeCertificate(folder, 'second')
    const ca = [textOf(pair), textOf(next)]
    const node = await startNode({
      settings: {
        'api.https_enabled': true,
        'api.https_port': 0,
        'api.https_certfile': pair.cert,
        'api.https_keyfile': pair.key,
      },
    })
    const port = Number(/^and at https:\/\/127\.0\.0\.1:(\d+)$/m.exec(node.logs().stdout)?.[1])
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    assert.equal(variables.ports['https_api~port'], port)
    assert.equal(await subjectAt(port, node.key, ca), '200 first')
    assert.match(await subjectAt(port, 'wrong', ca), /^401/)
    replaceCertificate(pair, next)
    // A connection that comes in the very moment of the change may be reset (decision 0341): whoever asks again is
    // answered.
    const subject = (): Promise<string> =>
      subjectAt(port, node.key, ca).catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
    const seen = new Set<string>()
    await waitFor('the new certificate', async () => seen.add(await subject()).has('200 second'), 40_000)
    seen.delete('ECONNRESET')
    assert.deepEqual([...seen], ['200 first', '200 second'])
    assert.equal((await node.stop()).code, 0)
  })

  test('nothing listens elsewhere without a key, plain or not; one of both must be on', async () => {
    const start = (...settings: string[]): Promise<{ code: number | null; stderr: string }> =>
      runCli([
        'start',
        '--state-dir',
        path.join(folder, 'never'),
        '--port',
        '0',
        '--api-key',
        '',
        ...settings.flatMap(each => ['--set', each]),
      ])
    for (const settings of [['api.http_host=0.0.0.0'], ['api.https_enabled=true', 'api.https_host=::']]) {
      const { code, stderr } = await start(...settings)
      assert.equal(code, 1)
      assert.match(stderr, /api\.key may be empty only when api\.https?_host is a loopback address/)
    }
    assert.match((await start('api.http_enabled=false')).stderr, /One of api.http_enabled and api.https_enabled/)
    const { code, stderr } = await start('api.https_enabled=true')
    assert.equal(code, 1)
    assert.match(stderr, /api.https_certfile is empty/)
  })

  test('keys of limited scope, made by the command line while the node runs', async () => {
    const stateDir = path.join(folder, 'keys')
    const node = await startNode({ stateDir })
    const keys: Record<string, string> = {}
    for (const scope of ['read', 'add', 'admin']) {
      const { code, stdout } = await runCli(['key', 'add', scope, '--scope', scope, '--state-dir', stateDir])
      assert.equal(code, 0)
      keys[scope] = stdout.trim()
    }
    const ask = async (scope: string, method: string, target: string, body?: object): Promise<string> => {
      const reply = await asWith(node, keys[scope] ?? '').request(method, target, body)
      return `${reply.status} ${reply.json<{ error?: { code: string } }>().error?.code ?? 'ok'}`
    }
    const magnet = (digit: string): string => `magnet:?xt=urn:btih:${digit.repeat(40)}`
    assert.equal(await ask('read', 'GET', '/downloads'), '200 ok')
    assert.equal(await ask('read', 'PUT', '/downloads', { uri: magnet('1') }), '403 ScopeMissing')
    assert.equal(await ask('add', 'PUT', '/downloads', { uri: magnet('1') }), '200 ok')
    const inside = path.join(stateDir, 'downloads', 'new', 'folder')
    const outside = path.join(folder, 'outside')
    assert.equal(await ask('add', 'PUT', '/downloads', { uri: magnet('2'), destination: inside }), '200 ok')
    assert.equal(
      await ask('add', 'PUT', '/downloads', { uri: magnet('3'), destination: outside }),
      '403 PathNotAllowed',
    )
    assert.equal(
      await ask('add', 'PATCH', `/downloads/${'1'.repeat(40)}`, { destination: outside }),
      '403 PathNotAllowed',
    )
    await mkdir(outside)
    const file = path.join(outside, 'x.torrent')
    await writeFile(file, makeTorrent({ name: 'x', length: 1000, pieceLength: 16_384 }).torrent)
    assert.equal(await ask('add', 'PUT', '/downloads', { uri: file }), '403 ScopeMissing')
    assert.equal(await ask('add', 'GET', `/torrentinfo?torrent=${file}`), '403 ScopeMissing')
    assert.equal(await ask('admin', 'PUT', '/downloads', { uri: file }), '403 PathNotAllowed')
    assert.equal(await ask('admin', 'POST', '/createtorrent', { path: outside }), '403 PathNotAllowed')
    const wider = { general: { allowed_paths: [outside] } }
    assert.equal(await ask('admin', 'POST', '/settings', wider), '403 ScopeMissing')
    assert.equal((await node.request('POST', '/settings', wider)).status, 200)
    assert.equal(await ask('admin', 'PUT', '/downloads', { uri: file, destination: outside }), '200 ok')
    assert.equal((await runCli(['key', 'remove', 'admin', '--state-dir', stateDir])).code, 0)
    await waitFor('it is taken back', async () => (await ask('admin', 'GET', '/settings')) === '401 Unauthorized')
    assert.equal(
      (await node.request('PUT', '/downloads', { uri: magnet('4'), destination: path.join(folder, 'any') })).status,
      200,
    )
    await node.stop()
  })
})

/** The same node with another key. */
function asWith(node: NodeProcess, key: string): Pick<NodeProcess, 'request'> {
  return { request: (method, target, body) => node.request(method, target, body, { 'x-api-key': key }) }
}
