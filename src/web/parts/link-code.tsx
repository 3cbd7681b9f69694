// A link as a QR code, for the camera of another device. Loaded when one is shown: what makes codes is no part of the
// first load.

import { linkCode } from '../model/link-code.ts'
import { phoneLink } from '../model/phone-link.ts'
import { nodeReach } from '../node/commands.ts'
import { useAnswer } from '../node/use-answer.ts'
import { text } from '../texts/links.ts'

/** The code of a link, or why there is none. */
export function LinkCode({ url }: { readonly url: string }) {
  const direct = phoneLink(url, null)
  const ask = async (signal: AbortSignal) => (direct.url === null ? phoneLink(url, await nodeReach(signal)) : direct)
  const { value: link, problem } = useAnswer(ask, [url], 0)
  if (link === null) return problem === '' ? null : <p class="muted">{problem}</p>
  if (link.url === null) return <p class="link-code-none">{text(link.why)}</p>
  const code = linkCode(link.url)
  if (code === null) return <p class="link-code-none">{text('tooLong')}</p>
  return (
    <figure class="link-code">
      <svg viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={text('codeOf', { url: link.url })}>
        <path d={code.path} />
      </svg>
      <figcaption class="muted">
        {text('whoever')} <bdi>{new URL(link.url).host}</bdi>
      </figcaption>
    </figure>
  )
}
