// A peer is called by its address.

import { useId, useState } from 'preact/hooks'
import { session } from '../../node/context.ts'
import { text } from '../../texts/downloads/peers.ts'

const EXAMPLE = '192.0.2.1:6881'

/** The form that calls a peer by its address. */
export function AddPeer({ infohash }: { infohash: string }) {
  const [typed, setTyped] = useState('')
  const field = useId()
  const address = typed.trim()
  const submit = async (event: Event) => {
    event.preventDefault()
    await session.attempt(async () => {
      const request = { path: { infohash }, parameters: { address } }
      const { added } = await session.api.call('PUT /downloads/{infohash}/peers', request)
      session.notify(added ? text('peerCalled', { address }) : text('peerKnown', { address }))
      setTyped('')
    })
  }
  return (
    <div class="part-tools">
      <form class="line-form" onSubmit={event => void submit(event)}>
        <label for={field} class="visually-hidden">
          {text('peerAddress')}
        </label>
        <input
          id={field}
          value={typed}
          placeholder={EXAMPLE}
          spellcheck={false}
          autocomplete="off"
          onInput={event => setTyped(event.currentTarget.value)}
        />
        <button type="submit" disabled={address === ''}>
          {text('add')}
        </button>
      </form>
    </div>
  )
}
