// Puts torrents into a channel: magnet links and web addresses, one a line, and torrent files. What the node refuses
// stays in the dialog with the reason beside it.

import { useId, useState } from 'preact/hooks'
import { sourcesIn } from '../model/channel-words.ts'
import { textOf } from '../../../../web/node/api.ts'
import { addTorrentFile, addTorrentSource } from '../node/channel-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { Field } from '../../../../web/parts/field.tsx'
import { FilePick } from '../../../../web/parts/file-pick.tsx'
import { text } from '../texts/channel.ts'

/** Torrent files that the node takes are at most this long. */
const MAX_TORRENT_BYTES = 16 * 1024 * 1024
const EXAMPLE = 'magnet:?xt=urn:btih:…'

interface Failure {
  readonly of: string
  readonly reason: string
}

async function addFile(cid: string, file: File, description: string): Promise<void> {
  if (file.size > MAX_TORRENT_BYTES) throw new Error(text('tooLarge'))
  await addTorrentFile(cid, file, description)
}

/** Adds everything; what was refused. */
async function addAll(
  cid: string,
  { sources, files, description }: { sources: string; files: readonly File[]; description: string },
): Promise<{ failures: Failure[]; done: number }> {
  const tasks = [
    ...sourcesIn(sources).map(source => [source, () => addTorrentSource(cid, source, description)] as const),
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
  const [typed, setTyped] = useState('')
  const [files, setFiles] = useState<readonly File[]>([])
  const [description, setDescription] = useState('')
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const [busy, setBusy] = useState(false)
  const field = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const result = await addAll(cid, { sources: typed, files, description })
    setBusy(false)
    if (result.done > 0) changed()
    if (result.failures.length === 0) {
      session.notify(text('added', { count: result.done }))
      return onClose()
    }
    const failed = new Set(result.failures.map(({ of }) => of))
    setFailures(result.failures)
    setFiles(files.filter(file => failed.has(file.name)))
    setTyped(
      sourcesIn(typed)
        .filter(source => failed.has(source))
        .join('\n'),
    )
  }
  return (
    <Dialog title={text('addTitle')} onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <label for={field}>{text('addField')}</label>
        <textarea
          id={field}
          rows={4}
          autofocus
          spellcheck={false}
          placeholder={EXAMPLE}
          value={typed}
          onInput={event => setTyped(event.currentTarget.value)}
        />
        <FilePick files={files} setFiles={setFiles} />
        <Field label={text('description')} value={description} help={text('addDescriptionHelp')} set={setDescription} />
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
            {text('cancel')}
          </button>
          <button type="submit" class="primary" disabled={busy || (typed.trim() === '' && files.length === 0)}>
            {busy ? text('adding') : text('add')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
