// Where on the node the files go: typed, one of those that were used lately, or found by going through folders; and
// whether what was chosen fits there.

import { useEffect, useId, useState } from 'preact/hooks'
import { below, recentFolders } from '../../model/adding.ts'
import { bytes } from '../../model/format.ts'
import { folderAt, type NodeFolder } from '../../node/adding.ts'
import { textOf } from '../../node/api.ts'
import { text } from '../../texts/downloads/adding.ts'

/** What is typed is asked for when nothing was typed for so long. */
const TYPED_MS = 300

interface FolderChoiceProps {
  /** '' = where new downloads go. */
  readonly folder: string
  /** Bytes that are chosen; 0 = not known yet. */
  readonly size: number
  set(folder: string): void
}

interface Answer {
  readonly folder: NodeFolder | null
  readonly problem: string
}

const NO_ANSWER: Answer = { folder: null, problem: '' }

/** The folder of the node at a path; what was said before stays until there is an answer. */
function useFolder(path: string): Answer {
  const [answer, setAnswer] = useState(NO_ANSWER)
  useEffect(() => {
    if (path !== '' && !path.startsWith('/')) {
      setAnswer(NO_ANSWER)
      return undefined
    }
    const ending = new AbortController()
    const ask = () =>
      folderAt(path, ending.signal).then(
        folder => setAnswer({ folder, problem: '' }),
        (error: unknown) => {
          if (!ending.signal.aborted) setAnswer({ folder: null, problem: textOf(error) })
        },
      )
    const timer = setTimeout(() => void ask(), path === '' ? 0 : TYPED_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [path])
  return answer
}

function Room({ answer: { folder, problem }, size }: { answer: Answer; size: number }) {
  if (problem !== '') return <span class="fault">{problem}</span>
  if (folder === null) return null
  const { free_bytes: left, exists } = folder
  const room =
    left === null
      ? null
      : size > left
        ? text('tooFull', { size: bytes(size), free: bytes(left) })
        : size > 0
          ? text('fits', { size: bytes(size), free: bytes(left) })
          : text('free', { free: bytes(left) })
  return (
    <>
      {room !== null && <span class={left !== null && size > left ? 'fault' : ''}>{room}</span>}
      {!exists && <span>{text('newFolder')}</span>}
    </>
  )
}

function FolderButton({ path, name = path, set }: { path: string; name?: string; set: (path: string) => void }) {
  return (
    <li>
      <button type="button" class="quiet folder" onClick={() => set(path)}>
        <bdi>{name}</bdi>
      </button>
    </li>
  )
}

function Browser({ folder, set }: { folder: NodeFolder; set: (path: string) => void }) {
  const { path, parent, folders, more, roots } = folder
  return (
    <div class="folder-list">
      <p class="help">{text('startFrom')}</p>
      <ul class="folder-roots">
        {roots.map(root => (
          <FolderButton key={root} path={root} set={set} />
        ))}
      </ul>
      {parent !== null && (
        <button type="button" class="quiet folder" onClick={() => set(parent)}>
          {text('up', { path: parent })}
        </button>
      )}
      <ul class="folder-names" aria-label={text('foldersIn', { path })} tabIndex={0}>
        {folders.map(name => (
          <FolderButton key={name} path={below(path, name)} name={name} set={set} />
        ))}
      </ul>
      {folders.length === 0 && <p class="help">{text('noFolders')}</p>}
      {more && <p class="help">{text('moreFolders')}</p>}
    </div>
  )
}

/** Where on the node the files go. */
export function FolderChoice({ folder, size, set }: FolderChoiceProps) {
  const id = useId()
  const [browsing, setBrowsing] = useState(false)
  const usual = useFolder('')
  const typed = useFolder(folder.trim())
  const [recent] = useState(() => recentFolders(localStorage))
  const path = usual.folder?.path ?? ''
  return (
    <div class="field">
      <label for={id}>{text('folder')}</label>
      <div class="folder-line">
        <input
          id={id}
          value={folder}
          placeholder={path === '' ? '' : text('folderDefault', { path })}
          spellcheck={false}
          aria-describedby={`${id}-room`}
          onInput={event => set(event.currentTarget.value)}
        />
        <button type="button" aria-expanded={browsing} onClick={() => setBrowsing(!browsing)}>
          {text('browse')}
        </button>
      </div>
      <span id={`${id}-room`} class="help folder-room" role="status" dir="auto">
        <Room answer={typed} size={size} />
      </span>
      {recent.length > 0 && (
        <ul class="folder-roots" aria-label={text('recent')}>
          {recent.map(each => (
            <FolderButton key={each} path={each} set={set} />
          ))}
        </ul>
      )}
      {browsing && typed.folder !== null && <Browser folder={typed.folder} set={set} />}
    </div>
  )
}
