// Makes a channel: its name, what it is about, and who may write in it.

import { useState } from 'preact/hooks'
import { textOf } from '../../../../web/node/api.ts'
import { channelPlace } from '../model/channel-places.ts'
import { type ChannelWords, createChannel } from '../node/channel-requests.ts'
import { go } from '../../../../web/node/context.ts'
import { ChannelFields } from '../parts/channel-fields.tsx'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { text } from '../texts/channel.ts'

/** Makes a channel: its name, what it is about, and who may write in it. */
export function CreateChannelDialog({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState<ChannelWords>({ name: '', description: '', mode: 'closed' })
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const channel = await createChannel({ ...words, name: words.name.trim() })
      onClose()
      if (channel !== '') go(channelPlace(channel))
    } catch (error) {
      setProblem(textOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={text('createTitle')} onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <ChannelFields words={words} set={setWords} />
        {problem !== '' && (
          <p role="alert" class="faults" dir="auto">
            {problem}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {text('cancel')}
          </button>
          <button type="submit" class="primary" disabled={busy || words.name.trim() === ''}>
            {busy ? text('creating') : text('create')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
