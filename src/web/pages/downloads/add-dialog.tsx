// Adds downloads: magnet links, web addresses and paths, one a line, and torrent files that were dropped or chosen.
// What the node refuses stays in the dialog with the reason beside it.

import { useEffect, useId, useState } from 'preact/hooks'
import { textOf } from '../../node/api.ts'
import { addFile, type AddOptions, addSource } from '../../node/commands.ts'
import { go, session } from '../../node/context.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { FilePick } from '../../parts/file-pick.tsx'
import { HopChoice } from '../../parts/hop-choice.tsx'

/** Torrent files that the node takes are at most this long. */
const MAX_TORRENT_BYTES = 16 * 1024 * 1024

/** What was dropped or pasted. */
export interface Addition {
  readonly files: readonly File[]
  readonly text: string
}

interface Failure {
  readonly of: string
  readonly reason: string
}

async function addOneFile(file: File, options: AddOptions): Promise<string> {
  if (file.size > MAX_TORRENT_BYTES) throw new Error('It is larger than any torrent file (16 MiB).')
  return addFile(file, options)
}

interface AddForm {
  readonly text: string
  readonly files: readonly File[]
  readonly options: AddOptions
}

/** Adds everything; what was refused, and the info hash of the last one that was not. */
async function addAll({ text, files, options }: AddForm): Promise<{ failures: Failure[]; last: string; done: number }> {
  const sources = text.split('\n').map(line => line.trim())
  const tasks = [
    ...sources.filter(line => line !== '').map(line => [line, () => addSource(line, options)] as const),
    ...files.map(file => [file.name, () => addOneFile(file, options)] as const),
  ]
  const failures: Failure[] = []
  let [last, done] = ['', 0]
  for (const [of, run] of tasks) {
    try {
      last = (await run()) || last
      done++
    } catch (error) {
      failures.push({ of, reason: textOf(error) })
    }
  }
  return { failures, last, done }
}

interface OptionFields {
  readonly destination: string
  readonly labels: string
  readonly sequential: boolean
  readonly forgets: boolean
  /** -1 = as the settings say. */
  readonly hops: number
}

const NOTHING_CHOSEN: OptionFields = { destination: '', labels: '', sequential: false, forgets: false, hops: -1 }

function optionsOf({ destination, labels, sequential, forgets, hops }: OptionFields): AddOptions {
  const list = labels
    .split(',')
    .map(label => label.trim())
    .filter(Boolean)
  return {
    ...(destination.trim() === '' ? {} : { destination: destination.trim() }),
    ...(list.length === 0 ? {} : { labels: list }),
    ...(sequential ? { sequential } : {}),
    ...(forgets ? { watch_and_forget: forgets } : {}),
    ...(hops < 0 ? {} : { anon_hops: hops, safe_seeding: hops > 0 }),
  }
}

function Options({ fields, set }: { fields: OptionFields; set: (fields: OptionFields) => void }) {
  return (
    <details class="more">
      <summary>Options</summary>
      <div class="more-fields">
        <Field
          label="Folder on the node"
          value={fields.destination}
          placeholder="as in the settings"
          set={destination => set({ ...fields, destination })}
        />
        <Field
          label="Labels"
          value={fields.labels}
          placeholder="films, linux"
          set={labels => set({ ...fields, labels })}
        />
        <Check
          label="Fetch pieces in their order"
          value={fields.sequential}
          set={sequential => set({ ...fields, sequential })}
        />
        <Check
          label="Watch and forget: fetch only what is watched, remove it hours after the last viewer"
          value={fields.forgets}
          set={forgets => set({ ...fields, forgets })}
        />
        <HopChoice hops={fields.hops} withDefault set={hops => set({ ...fields, hops })} />
      </div>
    </details>
  )
}

/** Adds downloads: magnet links, web addresses and paths, one a line, and torrent files that were dropped or chosen. */
export function AddDialog({ addition, onClose }: { addition: Addition; onClose: () => void }) {
  const [text, setText] = useState(addition.text)
  const [files, setFiles] = useState(addition.files)
  const [fields, setFields] = useState(NOTHING_CHOSEN)
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const [adding, setAdding] = useState(false)
  const field = useId()
  useEffect(() => {
    // Something more was dropped while the dialog was open.
    setFiles(old => [...old, ...addition.files.filter(file => !old.includes(file))])
    if (addition.text !== '') setText(old => (old.includes(addition.text) ? old : `${old}\n${addition.text}`.trim()))
  }, [addition])

  const submit = async (event: Event) => {
    event.preventDefault()
    setAdding(true)
    const result = await addAll({ text, files, options: optionsOf(fields) })
    setAdding(false)
    if (result.failures.length === 0) {
      onClose()
      if (result.done === 1 && result.last !== '') go({ page: 'downloads', infohash: result.last, tab: 'overview' })
      else session.notify(`${result.done} downloads added.`)
      return
    }
    const failed = new Set(result.failures.map(({ of }) => of))
    setFailures(result.failures)
    setFiles(files.filter(file => failed.has(file.name)))
    setText(
      text
        .split('\n')
        .filter(line => failed.has(line.trim()))
        .join('\n'),
    )
  }

  return (
    <Dialog title="Add downloads" onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <label for={field}>Magnet links, web addresses or paths on the node, one a line</label>
        <textarea
          id={field}
          rows={4}
          autofocus
          spellcheck={false}
          placeholder="magnet:?xt=urn:btih:…"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <FilePick files={files} hint="or drop them anywhere" setFiles={setFiles} />
        <Options fields={fields} set={setFields} />
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
          <button type="submit" class="primary" disabled={adding || (text.trim() === '' && files.length === 0)}>
            {adding ? 'Adding…' : 'Add'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
