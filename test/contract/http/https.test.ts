// HTTPS beside plain HTTP: the same answers, long ones too; certificates that are replaced, broken or mixed up; ports
// that are taken; slower answers to wrong keys over the real socket.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { PemFiles } from '../../../src/io/files/certificate-files.ts'
import { makeCertificate, replaceCertificate, type TestCertificate, textOf } from '../../kit/content/certificates.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { ask, KEY, type Running, startServer } from './harness.ts'
import { HASH } from './service-double.ts'

interface SecureAnswer {
  readonly status: number
  readonly body: Buffer
  /** Subject of the certificate of the other end. */
  readonly subject: string
}

let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-https-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

function get(port: number, path: string, ca: string | string[], agent: Agent | false = false): Promise<SecureAnswer> {
  const options = { host: '127.0.0.1', port, path, agent, ca, headers: { 'X-Api-Key': KEY } }
  return new Promise((resolve, reject) => {
    const asked = request(options, answer => {
      const chunks: Buffer[] = []
      const subject = (answer.socket as TLSSocket).getPeerCertificate().subject.CN
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks), subject: String(subject) }),
      )
    })
    asked.on('error', reject)
    asked.end()
  })
}

const filesOf = (pair: TestCertificate): PemFiles => new PemFiles(pair.cert, pair.key)
const httpsWith = (pair: TestCertificate, port = 0, clock?: VirtualClock): Promise<Running> =>
  startServer(
    { https: { host: '127.0.0.1', port, certificate: filesOf(pair) } },
    8,
    clock === undefined ? {} : { clock },
  )

describe('HTTPS', { concurrency: 1 }, () => {
  test('both listeners give the same answers; streams and keys work', async () => {
    const pair = makeCertificate(folder, 'first')
    const server = await httpsWith(pair)
    server.double.content = Buffer.alloc(20 * 1024 * 1024, 'film')
    const ca = textOf(pair)
    const plain = await ask(server.port, '/downloads')
    const secure = await get(server.httpsPort, '/downloads', ca)
    assert.deepEqual([secure.status, secure.body], [plain.status, plain.body])
    const film = await get(server.httpsPort, `/downloads/${HASH}/stream/0`, ca)
    assert.equal(film.status, 206)
    assert.ok(film.body.equals(server.double.content))
    await assert.rejects(get(server.httpsPort, '/state', textOf(makeCertificate(folder, 'other'))), /certificate/)
    await server.stop()
    await assert.rejects(get(server.httpsPort, '/state', ca), /ECONNREFUSED/)
  })

  test('HTTPS alone', async () => {
    const pair = makeCertificate(folder, 'alone')
    const server = await startServer({
      plain: false,
      https: { host: '127.0.0.1', port: 0, certificate: filesOf(pair) },
    })
    assert.equal(server.port, 0)
    assert.equal((await get(server.httpsPort, '/state', textOf(pair))).status, 200)
    await server.stop()
  })

  test('a new certificate counts without a restart; connections go on, and no moment refuses one', async () => {
    const clock = new VirtualClock()
    const pair = makeCertificate(folder, 'old')
    const old = textOf(pair)
    const server = await httpsWith(pair, 0, clock)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const next = makeCertificate(folder, 'new')
    const fresh = textOf(next)
    const both = [old, fresh]
    assert.equal((await get(server.httpsPort, '/state', both, agent)).subject, 'old')
    // Half of the pair is there at one look: that is not used.
    writeFileSync(pair.cert, fresh)
    await clock.advance(10_000)
    assert.equal((await get(server.httpsPort, '/state', both)).subject, 'old')
    replaceCertificate(pair, next)
    await clock.advance(10_000)
    const subject = await waitFor('the new one', async () => {
      await clock.advance(10_000)
      // Every single connection is answered, whichever certificate it gets.
      const answer = await get(server.httpsPort, '/state', both)
      return answer.subject === 'new' && answer.subject
    })
    assert.equal(subject, 'new')
    assert.equal((await get(server.httpsPort, '/state', both, agent)).subject, 'old', 'the open connection goes on')
    agent.destroy()
    await server.stop()
    assert.equal(clock.pending, 0)
  })

  test('a broken certificate leaves the old one in force, and is said once', async () => {
    const clock = new VirtualClock()
    const pair = makeCertificate(folder, 'good')
    const ca = textOf(pair)
    const server = await httpsWith(pair, 0, clock)
    writeFileSync(pair.cert, 'no certificate')
    const said = (): number => server.log.lines.filter(line => line.includes('cannot be used')).length
    const look = async (): Promise<void> => {
      await clock.advance(10_000)
      await new Promise(resolve => setTimeout(resolve, 30))
    }
    await waitFor('the reason', async () => {
      await look()
      return said() > 0
    })
    for (let more = 0; more < 5; more++) await look()
    assert.equal((await get(server.httpsPort, '/state', ca)).subject, 'good')
    assert.equal(said(), 1, server.log.lines.join('\n'))
    await server.stop()
  })

  test('a start with files that cannot be used, or a port that is taken, ends with the reason', async () => {
    const [one, two] = [makeCertificate(folder, 'one'), makeCertificate(folder, 'two')]
    await assert.rejects(httpsWith({ cert: one.cert, key: two.key }), /cannot be used together/)
    await assert.rejects(
      httpsWith({ cert: one.cert, key: join(folder, 'none') }),
      /https_keyfile: .*none cannot be read/,
    )
    await assert.rejects(httpsWith({ cert: '', key: '' }), /https_certfile is empty/)
    const first = await httpsWith(one)
    await assert.rejects(httpsWith(two, first.httpsPort), /already in use/)
    assert.equal((await get(first.httpsPort, '/state', textOf(one))).subject, 'one')
    await first.stop()
  })
})

test('wrong keys over the socket: slower and slower, the right one is not slowed; a client that goes costs nothing', async () => {
  const clock = new VirtualClock()
  const server = await startServer({}, 8, { clock })
  const wrong = { key: false, headers: { 'X-Api-Key': 'wrong' } }
  for (let n = 0; n < 3; n++) assert.equal((await ask(server.port, '/state', wrong)).status, 401)
  let answered = 0
  const late = Array.from({ length: 8 }, () =>
    ask(server.port, '/state', wrong).then(({ status }) => (answered++, status)),
  )
  // With so many waiting, no key of this address is looked at: who guesses in parallel learns nothing.
  const more = await waitFor('a refusal', async () => {
    const answer = await ask(server.port, '/state')
    return answer.status === 503 && answer
  })
  assert.ok(more.headers['retry-after'] !== undefined)
  assert.equal(answered, 0)
  assert.equal((await ask(server.port, '/healthz', { key: false })).status, 200)
  await clock.advance(20_000)
  assert.deepEqual(
    await Promise.all(late),
    Array.from({ length: 8 }, () => 401),
  )
  assert.equal((await ask(server.port, '/state')).status, 200)
  await server.stop()
})
