// The certificate of HTTPS: can it be read, does the key belong to it, does it still count.

import { errorText } from '../../base/errors.ts'
import { PemFiles } from '../../io/files/certificate-files.ts'
import type { Settings } from '../settings/settings-schema.ts'
import type { Finding } from './finding.ts'
import { coreFinding } from './finding-table.ts'

const DAY_MS = 24 * 3600 * 1000
/** Certificates are renewed a month before they end. */
const SOON_DAYS = 14

/** `nowMs`: since 1970. */
export async function checkCertificate(
  api: Pick<Settings['api'], 'https_certfile' | 'https_keyfile'>,
  nowMs: number,
): Promise<Finding> {
  const files = new PemFiles(api.https_certfile, api.https_keyfile)
  try {
    await files.check()
    const endsAtMs = await files.endsAtMs()
    const days = Math.floor((endsAtMs - nowMs) / DAY_MS)
    const facts = { path: files.certFile, time: new Date(endsAtMs).toISOString() }
    if (days < 0) return coreFinding('certificate_over', facts)
    return coreFinding(days < SOON_DAYS ? 'certificate_soon_over' : 'certificate_ok', facts)
  } catch (error) {
    return coreFinding('certificate_unusable', { error: errorText(error) })
  }
}
