// Signing in on a phone: a code that works once as a QR code, for a key of its own. Loaded with the list of devices.

import { useEffect, useId, useState } from 'preact/hooks'
import { isBeyondNetwork } from '../../model/login-reach.ts'
import { linkCode } from '../../model/link-code.ts'
import { phoneLink, type PhoneLink } from '../../model/phone-link.ts'
import { addressOf } from '../../node/api.ts'
import { nodeReach } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { text } from '../../texts/node/devices.ts'

const choices = {
  mayWatch: ['read', 'stream'],
  mayAdd: ['read', 'stream', 'add'],
  mayAdmin: ['admin'],
} as const

type Choice = keyof typeof choices
const order: readonly Choice[] = ['mayWatch', 'mayAdd', 'mayAdmin']
const LOOK_MS = 2_000

/** A link for the phone, and the name by which its code is looked at. */
interface Offer {
  readonly id: string
  readonly url: string
}

/** Where a phone reaches the page, with a path of the same length as that of a link. */
async function reachable(signal: AbortSignal): Promise<PhoneLink> {
  const here = addressOf('/#/login/')
  const direct = phoneLink(here, null)
  return direct.url === null ? phoneLink(here, await nodeReach(signal)) : direct
}

async function offerTo(url: string, choice: Choice): Promise<Offer> {
  const anywhere = isBeyondNetwork(new URL(url).hostname)
  const parameters = { scopes: [...choices[choice]], anywhere }
  const { id, code } = await session.api.call('PUT /login', { parameters })
  return { id, url: url + code }
}

/** The state of a code in words, for screen readers too. */
function LoginState({ id, used }: { readonly id: string; used(): void }) {
  const ask = (signal: AbortSignal) => session.api.call('GET /login/{id}', { path: { id }, signal })
  const { value, problem } = useAnswer(ask, [id], LOOK_MS)
  const state = value?.state ?? 'waiting'
  useEffect(() => {
    if (state === 'used') used()
  }, [state])
  if (problem !== '') return <p class="muted">{problem}</p>
  const words = {
    waiting: text('waiting'),
    expired: text('expired'),
    used: value?.name ? text('used', { name: value.name }) : text('spent'),
  }
  return <p role="status">{words[state]}</p>
}

function LoginCode({ offer: { id, url }, used }: { readonly offer: Offer; used(): void }) {
  const [done, setDone] = useState(false)
  const code = linkCode(url)
  // Whoever leaves the page takes the code with them.
  useEffect(() => () => void session.api.call('DELETE /login/{id}', { path: { id } }).catch(() => undefined), [id])
  const finish = () => {
    setDone(true)
    used()
  }
  return (
    <figure class="link-code">
      {code !== null && !done && (
        <svg viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={text('code')}>
          <path d={code.path} />
        </svg>
      )}
      <figcaption>
        {!done && <p class="muted">{text('scan', { host: new URL(url).host })}</p>}
        {!done && url.startsWith('http:') && <p class="muted">{text('unencrypted')}</p>}
        <LoginState id={id} used={finish} />
      </figcaption>
    </figure>
  )
}

/** Makes a code for a phone; `used`: one was used. */
export function PhoneLogin({ used }: { used(): void }) {
  const [choice, setChoice] = useState<Choice>('mayAdd')
  const [offer, setOffer] = useState<Offer | null>(null)
  const { value: reach, problem } = useAnswer(reachable, [], 0)
  const field = useId()
  if (reach === null) return problem === '' ? null : <p class="muted">{problem}</p>
  const { url } = reach
  if (url === null) return <p class="link-code-none">{text(reach.why)}</p>
  const show = () => session.attempt(async () => setOffer(await offerTo(url, choice)))
  return (
    <>
      <div class="field">
        <label for={field}>{text('mayField')}</label>
        <select id={field} value={choice} onChange={event => setChoice(event.currentTarget.value as Choice)}>
          {order.map(each => (
            <option key={each} value={each}>
              {text(each)}
            </option>
          ))}
        </select>
      </div>
      <button type="button" onClick={() => void show()}>
        {text('show')}
      </button>
      {offer !== null && <LoginCode key={offer.id} offer={offer} used={used} />}
    </>
  )
}
