// HTTPS of the guarded client: the certificate is checked against the host, the host is named to the server, and what
// cannot be trusted gets no request.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { AppError } from '../../src/base/errors.ts'
import { needs } from '../kit/requirements.ts'
import { getSecure } from './hostile-http.ts'

async function startSecure(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-tls-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const names = ['-subj', '/CN=tracker.test', '-addext', 'subjectAltName=DNS:tracker.test']
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...made, '-days', '2', ...names], { stdio: 'ignore' })
  const seen = { requests: 0, names: [] as string[] }
  const pair = { key: readFileSync(key), cert: readFileSync(cert) }
  const server = createServer(
    { ...pair, SNICallback: (name, done) => (seen.names.push(name), done(null)) },
    (_, reply) => {
      seen.requests++
      reply.end('secret')
    },
  )
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return { seen, cert, port: (server.address() as AddressInfo).port }
}

test('a certificate nobody vouches for ends the request before it is sent', { skip: needs('openssl') }, async t => {
  const { seen, port } = await startSecure(t)
  const refused = (error: unknown): boolean => error instanceof AppError && /self.signed/.test(error.message)
  for (const host of ['tracker.test', '127.0.0.1']) await assert.rejects(getSecure(host, port), refused)
  assert.deepEqual(seen, { requests: 0, names: ['tracker.test'] })
})

test('a certificate that is trusted counts for its host only', { skip: needs('openssl') }, async t => {
  const { seen, port, cert } = await startSecure(t)
  const ask = async (host: string): Promise<string> => {
    const world = new URL('./hostile-http.js', import.meta.url).href
    const print = '.then(console.log, error => console.log(error.message))'
    const code = `import('${world}').then(m => m.getSecure('${host}', ${port}))${print}`
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert }
    return (await promisify(execFile)(process.execPath, ['-e', code], { env, timeout: 20_000 })).stdout
  }
  assert.match(await ask('tracker.test'), /^secret/)
  assert.match(await ask('other.test'), /altnames|does not match/)
  assert.equal(seen.requests, 1)
})
