// Certificate and private key in files. They are read here only to see whether they belong together; the bytes of the
// key are wiped at once.

import { constants, type Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { AppError, errorText } from '../../base/errors.ts'
import type { CertificateFiles } from '../../ports/certificate-files.ts'

/** Chains of certificates are some KiB. */
const MAX_BYTES = 1024 * 1024

/** See CertificateFiles. */
export class PemFiles implements CertificateFiles {
  readonly certFile: string
  readonly keyFile: string

  constructor(certFile: string, keyFile: string) {
    this.certFile = certFile
    this.keyFile = keyFile
  }

  async stamp(): Promise<string> {
    const facts = await Promise.all([this.certFile, this.keyFile].map(file => stat(file).catch(() => null)))
    return facts.map(stampOf).join(' ')
  }

  async check(): Promise<void> {
    const cert = await readPem(this.certFile, 'api.https_certfile')
    const key = await readPem(this.keyFile, 'api.https_keyfile')
    try {
      const { createSecureContext } = await import('node:tls')
      createSecureContext({ cert, key })
    } catch (error) {
      const text = `The certificate ${this.certFile} and the key ${this.keyFile} cannot be used together: ${errorText(error)}.`
      throw new AppError('BadConfiguration', text, { cause: error })
    } finally {
      key.fill(0)
    }
  }

  /** When the certificate ends, milliseconds since 1970. AppError BadConfiguration. */
  async endsAtMs(): Promise<number> {
    const { X509Certificate } = await import('node:crypto')
    return Date.parse(new X509Certificate(await readPem(this.certFile, 'api.https_certfile')).validTo)
  }
}

function stampOf(facts: Stats | null): string {
  return facts === null ? 'none' : `${facts.dev}:${facts.ino}:${facts.size}:${facts.mtimeMs}`
}

async function readPem(file: string, setting: string): Promise<Buffer> {
  if (file === '') throw new AppError('BadConfiguration', `HTTPS needs a certificate and its key: ${setting} is empty.`)
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const facts = await handle.stat()
      if (!facts.isFile()) throw new Error('it is not a file')
      if (facts.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`)
      const bytes = Buffer.alloc(facts.size)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
      return bytes.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new AppError('BadConfiguration', `The setting ${setting}: ${file} cannot be read: ${errorText(error)}.`, {
      cause: error,
    })
  }
}
