// A link as a QR code, for the camera of another device. Loaded when one is shown: what makes codes is no part of the
// first load.

import { linkCode } from '../model/link-code.ts'
import { phoneLink } from '../model/phone-link.ts'
import { nodeReach } from '../node/commands.ts'
import { useAnswer } from '../node/use-answer.ts'

/** Why another device could not open it. */
const reasons = {
  alone:
    'Another device cannot open this: the node listens on this machine alone. Let it listen in your network ' +
    '(setting api.http_host), and open the dashboard by the address that this machine has there.',
  unnamed:
    'Another device cannot open this: the link names this machine as only the machine itself does. Open the dashboard ' +
    'by the address or name that this machine has in your network.',
} as const

/** The code of a link, or why there is none. */
export function LinkCode({ url }: { readonly url: string }) {
  const direct = phoneLink(url, null)
  const ask = async (signal: AbortSignal) => (direct.url === null ? phoneLink(url, await nodeReach(signal)) : direct)
  const { value: link, problem } = useAnswer(ask, [url], 0)
  if (link === null) return problem === '' ? null : <p class="muted">{problem}</p>
  if (link.url === null) return <p class="link-code-none">{reasons[link.why]}</p>
  const code = linkCode(link.url)
  if (code === null) return <p class="link-code-none">This link is too long for a code.</p>
  return (
    <figure class="link-code">
      <svg viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={`QR code of ${link.url}`}>
        <path d={code.path} />
      </svg>
      <figcaption class="muted">
        Whoever points a camera at it can play this, without a key, at <bdi>{new URL(link.url).host}</bdi>.
      </figcaption>
    </figure>
  )
}
