// Asks before downloads are removed; files stay unless that is asked for.

import { useState } from 'preact/hooks'
import { dueRemovals } from '../../node/removals.ts'
import { text } from '../../texts/downloads/list.ts'
import { go, place, session } from '../../node/context.ts'
import { glanceOf } from '../../node/session.ts'
import { Dialog } from '../../parts/dialog.tsx'

/** For one download or many. */
export function RemoveDialog({ infohashes, onClose }: { infohashes: readonly string[]; onClose: () => void }) {
  const [withFiles, setWithFiles] = useState(false)
  const first = glanceOf(session, infohashes[0] ?? '')
  const what =
    infohashes.length === 1 ? first?.name || (infohashes[0] ?? '') : text('count', { count: infohashes.length })
  const submit = (event: Event) => {
    event.preventDefault()
    onClose()
    const at = place.value
    if (at.page === 'downloads' && infohashes.includes(at.infohash)) go({ ...at, infohash: '' })
    dueRemovals.add(infohashes, withFiles)
  }
  return (
    <Dialog title={text('remove')} onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <p class="removed-name">
          <bdi>{what}</bdi>
        </p>
        <label class="check">
          <input type="checkbox" checked={withFiles} onChange={event => setWithFiles(event.currentTarget.checked)} />
          {text('deleteFiles')}
        </label>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {text('keepDownload')}
          </button>
          <button type="submit" class={withFiles ? 'danger' : 'primary'}>
            {text(withFiles ? 'removeFiles' : 'remove')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
