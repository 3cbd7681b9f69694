// The certificate of HTTPS: can it be read, does the key belong to it, does it still count.

import { errorText } from '../../base/errors.ts'
import { PemFiles } from '../../io/files/certificate-files.ts'
import type { Settings } from '../settings/settings-schema.ts'
import { fine, type Finding, problem, warning } from './finding.ts'

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
    const text = `The certificate ${files.certFile} ends on ${new Date(endsAtMs).toISOString()}`
    if (days < 0)
      return problem('certificate', `${text}: it is over.`, 'Renew it; a node that runs takes the new one by itself.')
    if (days < SOON_DAYS)
      return warning('certificate', `${text}.`, 'Renew it; a node that runs takes the new one by itself.')
    return fine('certificate', `${text}.`)
  } catch (error) {
    return problem(
      'certificate',
      errorText(error),
      'Set api.https_certfile and api.https_keyfile to PEM files that belong together, or api.https_enabled to false.',
    )
  }
}
