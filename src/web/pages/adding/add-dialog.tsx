// Adds downloads: magnet links, web addresses and paths, one a line, and torrent files that were dropped or chosen;
// with what they have in common, and the files that are chosen where those were looked at. What the node refuses stays
// in the dialog with the reason beside it.

import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import '../../style/adding.css'
import { type AddFields, keepFolder, limitOf, linesOf, nameOf, NOTHING_SET, optionsOf } from '../../model/adding.ts'
import { textOf } from '../../node/api.ts'
import { addFile, addSource } from '../../node/commands.ts'
import { go, session } from '../../node/context.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FilePick } from '../../parts/file-pick.tsx'
import { text } from '../../texts/downloads/adding.ts'
import { text as common } from '../../texts/parts.ts'
import { AddOptions } from './add-options.tsx'
import { FolderChoice } from './folder-choice.tsx'
import { chosenBytes, SourceList } from './source-list.tsx'
import { type Looks, type Source, useLooks } from './use-looks.ts'

/** What was dropped, pasted or opened. */
export interface Addition {
  readonly files: readonly File[]
  readonly text: string
}

interface Failure {
  readonly source: Source
  readonly reason: string
}

/** How a link looks, in every language. */
const LINK_FORM = 'magnet:?xt=urn:btih:…'
/** A torrent file of more bytes is not sent. */
const MAX_TORRENT_BYTES = 16 * 1024 * 1024

function sourcesOf(links: string, files: readonly File[]): Source[] {
  return [
    ...linesOf(links).map(line => ({ key: line, name: nameOf(line), file: null })),
    ...files.map((file, i) => ({ key: `file ${i} ${file.size} ${file.name}`, name: file.name, file })),
  ]
}

async function addOne(source: Source, looks: Looks, fields: AddFields): Promise<string> {
  const { found, chosen } = looks.of(source)
  const all = found === undefined || chosen === undefined || chosen.size === found.files.length
  const options = { ...optionsOf(fields), ...(all ? {} : { selected_files: [...chosen] }) }
  if (source.file === null) return addSource(source.key, options)
  if (source.file.size > MAX_TORRENT_BYTES) throw new Error(text('tooLarge'))
  return addFile(source.file, options)
}

/** Adds everything; what was refused, and the info hash of the last one that was not. */
async function addAll(sources: readonly Source[], add: (source: Source) => Promise<string>) {
  const failures: Failure[] = []
  let last = ''
  for (const source of sources) {
    try {
      last = (await add(source)) || last
    } catch (error) {
      failures.push({ source, reason: textOf(error) })
    }
  }
  return { failures, last, done: sources.length - failures.length }
}

function Failures({ failures }: { failures: readonly Failure[] }) {
  if (failures.length === 0) return null
  return (
    <div role="alert">
      <ul class="faults">
        {failures.map(({ source, reason }) => (
          <li key={source.key}>
            <bdi class="fault-of">{source.name}</bdi>
            <span dir="auto">{reason}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface Added {
  readonly last: string
  readonly done: number
}

/** Where the page goes once all is added. */
function leave({ last, done }: Added, folder: string, onClose: () => void): void {
  if (folder.trim() !== '') keepFolder(localStorage, folder.trim())
  onClose()
  if (done === 1 && last !== '') go({ page: 'downloads', infohash: last, tab: 'overview' })
  else session.notify(text('added', { count: done }))
}

/** What is to be added, as it is typed, chosen and dropped. */
function useSources(addition: Addition) {
  const [links, setLinks] = useState(addition.text)
  const [files, setFiles] = useState(addition.files)
  useEffect(() => {
    // Something more was dropped while the dialog was open.
    setFiles(old => [...old, ...addition.files.filter(file => !old.includes(file))])
    if (addition.text !== '') setLinks(old => (old.includes(addition.text) ? old : `${old}\n${addition.text}`.trim()))
  }, [addition])
  const sources = useMemo(() => sourcesOf(links, files), [links, files])
  return { links, setLinks, files, setFiles, sources }
}

/** Adds downloads: magnet links, web addresses and paths, one a line, and torrent files that were dropped or chosen. */
export function AddDialog({ addition, onClose }: { addition: Addition; onClose: () => void }) {
  const { links, setLinks, files, setFiles, sources } = useSources(addition)
  const [fields, setFields] = useState(NOTHING_SET)
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const [adding, setAdding] = useState(false)
  const looks = useLooks(sources, fields.hops)
  const field = useId()
  const empty = sources.find(source => looks.of(source).chosen?.size === 0)
  const size = sources.reduce((sum, source) => sum + chosenBytes(looks.of(source)), 0)
  const limitsWrong = limitOf(fields.down) === null || limitOf(fields.up) === null

  const submit = async (event: Event) => {
    event.preventDefault()
    setAdding(true)
    const result = await addAll(sources, source => addOne(source, looks, fields))
    setAdding(false)
    setFailures(result.failures)
    if (result.failures.length === 0) {
      leave(result, fields.folder, onClose)
      return
    }
    const failed = new Set(result.failures.map(({ source }) => source.key))
    setFiles(sources.flatMap(({ key, file }) => (file !== null && failed.has(key) ? [file] : [])))
    setLinks(sources.flatMap(({ key, file }) => (file === null && failed.has(key) ? [key] : [])).join('\n'))
  }

  return (
    <Dialog title={text('title')} onClose={onClose}>
      <form class="dialog-form adding" onSubmit={event => void submit(event)}>
        <label for={field}>{text('links')}</label>
        <textarea
          id={field}
          rows={3}
          autofocus
          spellcheck={false}
          placeholder={LINK_FORM}
          value={links}
          onInput={event => setLinks(event.currentTarget.value)}
        />
        <FilePick files={[]} hint={text('dropHint')} setFiles={more => setFiles([...files, ...more])} />
        <SourceList
          sources={sources}
          looks={looks}
          leaveOut={file => setFiles(files.filter(other => other !== file))}
        />
        <FolderChoice folder={fields.folder} size={size} set={folder => setFields({ ...fields, folder })} />
        <AddOptions fields={fields} set={setFields} />
        <Failures failures={failures} />
        {empty !== undefined && <p class="help">{text('chooseOne', { name: empty.name })}</p>}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {common('cancel')}
          </button>
          <button
            type="submit"
            class="primary"
            disabled={adding || sources.length === 0 || empty !== undefined || limitsWrong}
          >
            {adding ? text('adding') : text('add')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
