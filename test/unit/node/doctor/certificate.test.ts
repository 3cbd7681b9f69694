// What the doctor says of the certificate of HTTPS: fine, over soon, over, of another key, not there.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { checkCertificate } from '../../../../src/node/doctor/certificate.ts'
import { makeCertificate } from '../../../kit/content/certificates.ts'

const DAY_MS = 24 * 3600 * 1000

let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-certificate-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

async function stateOf(cert: string, key: string, inDays = 0): Promise<string> {
  const files = { https_certfile: cert, https_keyfile: key }
  const { state, check, text, advice } = await checkCertificate(files, Date.now() + inDays * DAY_MS)
  assert.equal(check, 'certificate')
  assert.equal(advice === '', state === 'ok', text)
  return `${state}: ${text}`
}

test('a certificate is judged by the time it has left', async () => {
  const { cert, key } = makeCertificate(folder, 'node', 100)
  assert.match(await stateOf(cert, key), /^ok: .* ends on \d{4}-/)
  assert.match(await stateOf(cert, key, 80), /^ok: /)
  assert.match(await stateOf(cert, key, 90), /^warning: .* ends on /)
  assert.match(await stateOf(cert, key, 101), /^problem: .* is over/)
})

test('a certificate that cannot be used is named with its cause', async () => {
  const [one, two] = [makeCertificate(folder, 'one'), makeCertificate(folder, 'two')]
  const text = join(folder, 'text')
  writeFileSync(text, 'no certificate')
  assert.match(await stateOf(one.cert, two.key), /^problem: .*cannot be used together/)
  assert.match(await stateOf(text, two.key), /^problem: .*cannot be used together/)
  assert.match(await stateOf(join(folder, 'none'), one.key), /^problem: .*https_certfile: .*none cannot be read/)
  assert.match(await stateOf(one.cert, ''), /^problem: .*https_keyfile is empty/)
  assert.match(await stateOf(folder, one.key), /^problem: .*it is not a file/)
})
