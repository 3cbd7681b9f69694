// The first visit: asks for the key once. It is kept in this browser's local storage and sent as a header, never as a
// cookie.

import { useId, useState } from 'preact/hooks'
import { session } from '../../node/context.ts'
import { isWrongKey } from '../../node/session.ts'
import { textOf } from '../../node/api.ts'
import { text } from '../../texts/key.ts'
import { Brand } from '../../parts/brand.tsx'

/** Where a link that signs in, and the key, come from. */
const ways: readonly (readonly [where: string, command: string])[] = [
  [text('terminal'), 'tributary open'],
  [text('debian'), 'sudo -u tributary tributary open --state-dir /var/lib/tributary'],
  [text('container'), 'docker exec CONTAINER tributary open'],
]

function WaysIn() {
  return (
    <section class="ways-in" aria-labelledby="ways-in">
      <h2 id="ways-in">{text('noKey')}</h2>
      <p class="muted">{text('link')}</p>
      <dl>
        {ways.map(([where, command]) => (
          <div key={where}>
            <dt>{where}</dt>
            <dd>
              <code>{command}</code>
            </dd>
          </div>
        ))}
      </dl>
      <p class="muted">{text('keyShow', { command: 'open', other: 'key show' })}</p>
    </section>
  )
}

/** While the code of a link is exchanged, or asks until the node takes a key. */
export function KeyPage() {
  return session.signingIn.value ? (
    <main class="key-page">
      <div class="key-card">
        <Brand />
        <p role="status">{text('asking')}</p>
      </div>
    </main>
  ) : (
    <KeyForm />
  )
}

function KeyForm() {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState(session.keyProblem.value)
  const [asking, setAsking] = useState(false)
  const [field, help, fault] = [useId(), useId(), useId()]
  const submit = async (event: Event) => {
    event.preventDefault()
    setAsking(true)
    try {
      await session.tryKey(key.trim())
    } catch (error) {
      setProblem(isWrongKey(error) ? text('wrong') : textOf(error))
      setAsking(false)
    }
  }
  return (
    <main class="key-page">
      <form class="key-card" onSubmit={event => void submit(event)}>
        <Brand />
        <h1>{text('heading')}</h1>
        <label for={field}>{text('key')}</label>
        <input
          id={field}
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          autofocus
          value={key}
          aria-describedby={`${help} ${problem === '' ? '' : fault}`}
          aria-invalid={problem !== ''}
          onInput={event => setKey(event.currentTarget.value)}
        />
        {problem !== '' && (
          <p id={fault} class="fault" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary" disabled={asking}>
          {asking ? text('asking') : text('open')}
        </button>
        <p id={help} class="muted">
          {text('kept')}
        </p>
        <WaysIn />
      </form>
    </main>
  )
}
