// Torrent files of this machine that were chosen, each of which can be left out again.

import { useId } from 'preact/hooks'
import { Icon } from './icons.tsx'
import { text } from '../texts/parts.ts'

interface FilePickProps {
  readonly files: readonly File[]
  /** Shown beside the button. */
  readonly hint?: string
  setFiles(files: readonly File[]): void
}

/** Torrent files of this machine that were chosen, each of which can be left out again. */
export function FilePick({ files, hint = '', setFiles }: FilePickProps) {
  const field = useId()
  return (
    <>
      <div class="file-pick">
        <label for={field} class="button">
          <Icon name="plus" size={16} /> {text('chooseFiles')}
        </label>
        <input
          id={field}
          class="visually-hidden"
          type="file"
          multiple
          accept=".torrent,application/x-bittorrent"
          onChange={event => {
            setFiles([...files, ...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
        {hint !== '' && <span class="muted">{hint}</span>}
      </div>
      {files.length > 0 && (
        <ul class="chosen">
          {files.map(file => (
            <li key={file.name}>
              <bdi>{file.name}</bdi>
              <button
                type="button"
                class="quiet"
                aria-label={text('leaveOut', { name: file.name })}
                onClick={() => setFiles(files.filter(other => other !== file))}
              >
                <Icon name="close" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
