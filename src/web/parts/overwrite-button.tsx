// Goes on with a download that stopped at a file that is not its own, and writes over that file: asked for twice, with
// its name.

import { useState } from 'preact/hooks'
import { change } from '../node/commands.ts'
import { session } from '../node/context.ts'
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
    void session.attempt(() => change(infohash, { state: 'resume', overwrite: true }), 'It goes on, overwriting.')
  }
  return (
    <Dialog title="Overwrite files" onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <p>
          <bdi>{message}</bdi>
        </p>
        <p>
          Files in its places that are not of this download are written over. What they hold cannot be brought back.
        </p>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Keep the files
          </button>
          <button type="submit" class="danger">
            Overwrite
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
        <Icon name="play" size={16} /> Resume, overwriting…
      </button>
      {asking && <Question infohash={infohash} message={message} onClose={() => setAsking(false)} />}
    </>
  )
}
