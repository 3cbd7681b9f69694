// Goes on with a download that stopped at a file that is not its own, and writes over that file: asked for twice, with
// its name.

import { useState } from 'preact/hooks'
import { change } from '../node/commands.ts'
import { session } from '../node/context.ts'
import { text } from '../texts/downloads/detail.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icons.tsx'

interface OverwriteButtonProps {
  readonly infohash: string
  /** Which file it is, as the node says it. */
  readonly message: string
}

function Question({ infohash, message, onClose }: OverwriteButtonProps & { readonly onClose: () => void }) {
  const submit = (event: Event) => {
    event.preventDefault()
    onClose()
    void session.attempt(() => change(infohash, { state: 'resume', overwrite: true }), text('overwriting'))
  }
  return (
    <Dialog title={text('overwriteTitle')} onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <p>
          <bdi>{message}</bdi>
        </p>
        <p>{text('overwriteHelp')}</p>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {text('keepFiles')}
          </button>
          <button type="submit" class="danger">
            {text('overwrite')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/**
 * Goes on with a download that stopped at a file that is not its own, and writes over that file: asked for twice, with
 * its name.
 */
export function OverwriteButton({ infohash, message }: OverwriteButtonProps) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        <Icon name="play" size={16} /> {text('resumeOverwriting')}
      </button>
      {asking && <Question infohash={infohash} message={message} onClose={() => setAsking(false)} />}
    </>
  )
}
