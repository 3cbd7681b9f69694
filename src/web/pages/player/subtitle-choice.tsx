// Subtitles that lie in the torrent.

import type { DownloadFile } from '../../../client/core-routes.ts'
import { SUBTITLE_NAME, toWebVtt } from '../../model/subtitles.ts'
import { session } from '../../node/context.ts'

/** One that is shown. */
export interface Subtitle {
  readonly name: string
  /** Of a Blob in this page. */
  readonly url: string
}

/** Files of a torrent that can be. */
export function subtitlesFor(files: readonly DownloadFile[]): readonly DownloadFile[] {
  return files.filter(file => SUBTITLE_NAME.test(file.name) && file.size < 4 * 1024 * 1024).slice(0, 32)
}

async function loadSubtitle(file: DownloadFile): Promise<Subtitle> {
  const answer = await session.node.open({ method: 'GET', path: file.stream_url, body: undefined })
  const url = URL.createObjectURL(new Blob([toWebVtt(await answer.text())], { type: 'text/vtt' }))
  return { name: file.name.split('/').at(-1) ?? '', url }
}

/** A choice of them. */
export function SubtitleChoice({
  files,
  choose,
}: {
  files: readonly DownloadFile[]
  choose: (subtitle: Subtitle | null) => void
}) {
  const change = async (index: string) => {
    const file = files.find(each => String(each.index) === index)
    if (file === undefined) return choose(null)
    await session.attempt(async () => choose(await loadSubtitle(file)))
    return undefined
  }
  if (files.length === 0) return null
  return (
    <label class="subtitle-choice">
      Subtitles
      <select onChange={event => void change(event.currentTarget.value)}>
        <option value="">None</option>
        {files.map(file => (
          <option key={file.index} value={file.index}>
            {file.name}
          </option>
        ))}
      </select>
    </label>
  )
}
