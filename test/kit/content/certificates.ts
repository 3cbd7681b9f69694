// Certificates for tests, made by the openssl command.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of PEM files. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

/** Makes a certificate for localhost and 127.0.0.1 in a new folder in `folder`; `name` is its subject. */
export function makeCertificate(folder: string, name: string, days = 2): TestCertificate {
  const place = mkdtempSync(join(folder, 'pem-'))
  const [cert, key] = [join(place, 'cert.pem'), join(place, 'key.pem')]
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const rest = ['-keyout', key, '-out', cert, '-days', String(days), '-subj', `/CN=${name}`, '-addext', names]
  execFileSync('openssl', ['req', '-x509', ...kind, ...rest], { stdio: 'ignore' })
  return { cert, key }
}

/** Puts one certificate in the place of another, file by file as renewing programs do. */
export function replaceCertificate(at: TestCertificate, by: TestCertificate): void {
  renameSync(by.cert, at.cert)
  renameSync(by.key, at.key)
}

/** The text of a certificate. */
export function textOf({ cert }: TestCertificate): string {
  return readFileSync(cert, 'utf8')
}
