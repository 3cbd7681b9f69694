// Puts torrents into a channel: magnet links and web addresses, one a line, and torrent files. What the node refuses
// stays in the dialog with the reason beside it.

import { useId, useState } from 'preact/hooks'
import { sourcesIn } from '../model/channel-words.ts'
import { counted } from '../../../../web/model/format.ts'
import { textOf } from '../../../../web/node/api.ts'
import { addTorrentFile, addTorrentSource } from '../node/channel-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { Field } from '../../../../web/parts/field.tsx'
import { FilePick } from '../../../../web/parts/file-pick.tsx'

/** Torrent files that the node takes are at most this long. */
const MAX_TORRENT_BYTES = 16 * 1024 * 1024

interface Failure {
  readonly of: string
  readonly reason: string
}

async function addFile(cid: string, file: File, description: string): Promise<void> {
  if (file.size > MAX_TORRENT_BYTES) throw new Error('It is larger than any torrent file (16 MiB).')
  await addTorrentFile(cid, file, description)
}

/** Adds everything; what was refused. */
async function addAll(
  cid: string,
  { text, files, description }: { text: string; files: readonly File[]; description: string },
): Promise<{ failures: Failure[]; done: number }> {
  const tasks = [
    ...sourcesIn(text).map(source => [source, () => addTorrentSource(cid, source, description)] as const),
    ...files.map(file => [file.name, () => addFile(cid, file, description)] as const),
  ]
  const failures: Failure[] = []
  for (const [of, run] of tasks) await run().catch((error: unknown) => failures.push({ of, reason: textOf(error) }))
  return { failures, done: tasks.length - failures.length }
}

interface ChannelAddDialogProps {
  readonly cid: string
  changed(): void
  onClose(): void
}

/** Puts torrents into a channel: magnet links and web addresses, one a line, and torrent files. */
export function ChannelAddDialog({ cid, changed, onClose }: ChannelAddDialogProps) {
  const [text, setText] = useState('')
  const [files, setFiles] = useState<readonly File[]>([])
  const [description, setDescription] = useState('')
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const [busy, setBusy] = useState(false)
  const field = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const result = await addAll(cid, { text, files, description })
    setBusy(false)
    if (result.done > 0) changed()
    if (result.failures.length === 0) {
      session.notify(`${counted(result.done, 'torrent')} added to the channel.`)
      return onClose()
    }
    const failed = new Set(result.failures.map(({ of }) => of))
    setFailures(result.failures)
    setFiles(files.filter(file => failed.has(file.name)))
    setText(
      sourcesIn(text)
        .filter(source => failed.has(source))
        .join('\n'),
    )
  }
  return (
    <Dialog title="Add torrents to the channel" onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <label for={field}>Magnet links or web addresses of torrent files, one a line</label>
        <textarea
          id={field}
          rows={4}
          autofocus
          spellcheck={false}
          placeholder="magnet:?xt=urn:btih:…"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <FilePick files={files} setFiles={setFiles} />
        <Field label="Description" value={description} help="Goes with each of them." set={setDescription} />
        {failures.length > 0 && (
          <div role="alert">
            <ul class="faults">
              {failures.map(({ of, reason }) => (
                <li key={of}>
                  <bdi class="fault-of">{of}</bdi>
                  <span dir="auto">{reason}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy || (text.trim() === '' && files.length === 0)}>
            {busy ? 'Adding…' : 'Add'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
