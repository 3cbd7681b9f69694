// The first visit: asks for the key once. It is kept in this browser's local storage and sent as a header, never as a
// cookie.

import { useId, useState } from 'preact/hooks'
import { session } from '../../node/context.ts'
import { isWrongKey } from '../../node/session.ts'
import { textOf } from '../../node/api.ts'
import { Brand } from '../../parts/brand.tsx'

/** Asks until the node takes a key. */
export function KeyPage() {
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
      setProblem(isWrongKey(error) ? 'This is not the key of this node. Check for missing characters.' : textOf(error))
      setAsking(false)
    }
  }
  return (
    <main class="key-page">
      <form class="key-card" onSubmit={event => void submit(event)}>
        <Brand />
        <h1>Open the dashboard</h1>
        <label for={field}>API key</label>
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
          {asking ? 'Asking the node…' : 'Open'}
        </button>
        <p id={help} class="muted">
          The node made its key at its first start. It stands in <code>tributary.yaml</code> in the node’s state folder:
          section <code>api</code>, option <code>key</code>. This browser keeps it until you sign out.
        </p>
      </form>
    </main>
  )
}
