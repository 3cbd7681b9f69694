// Plays a file in the page by its signed link, while it is still being downloaded. Subtitles that lie in the torrent
// can be chosen. A new link is asked for when one has expired, and playing goes on where it was; another time, and on
// another device, where it was left.

import { useEffect, useRef, useState } from 'preact/hooks'
import { bytes, percent, rate } from '../../model/format.ts'
import { SUBTITLE_NAME, toWebVtt } from '../../model/subtitles.ts'
import type { DownloadFile, WatchingRecord } from '../../../client/core-routes.ts'
import { files as filesOf, leftAt } from '../../node/commands.ts'
import { addressOf } from '../../model/place.ts'
import { session } from '../../node/context.ts'
import { recordOf } from '../../node/session.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { Icon } from '../../parts/icons.tsx'
import { ContinueChoice } from './continue-choice.tsx'
import { Film } from './film.tsx'
import { usePlaceReports } from './use-place-reports.ts'
import { WatchedButton } from './watched-button.tsx'
import { WaysOut } from './ways-out.tsx'

interface Subtitle {
  readonly name: string
  /** Of a Blob in this page. */
  readonly url: string
}

function subtitlesFor(files: readonly DownloadFile[]): readonly DownloadFile[] {
  return files.filter(file => SUBTITLE_NAME.test(file.name) && file.size < 4 * 1024 * 1024).slice(0, 32)
}

async function loadSubtitle(file: DownloadFile): Promise<Subtitle> {
  const answer = await session.node.open({ method: 'GET', path: file.stream_url, body: undefined })
  const url = URL.createObjectURL(new Blob([toWebVtt(await answer.text())], { type: 'text/vtt' }))
  return { name: file.name.split('/').at(-1) ?? '', url }
}

function SubtitleChoice({
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

interface PlayedProps {
  readonly infohash: string
  readonly file: DownloadFile
  readonly left: WatchingRecord | null
  readonly subtitles: readonly DownloadFile[]
  renew(): void
}

function Played({ infohash, file, left, subtitles, renew }: PlayedProps) {
  const video = useRef<HTMLVideoElement>(null)
  const [known] = useState(left)
  const goesOn = known?.continue_at ?? 0
  const [startSec, setStart] = useState<number | null>(goesOn > 0 ? null : 0)
  const [subtitle, setSubtitle] = useState<Subtitle | null>(null)
  usePlaceReports(video, infohash, file.index, startSec)
  useEffect(
    () => () => {
      if (subtitle !== null) URL.revokeObjectURL(subtitle.url)
    },
    [subtitle],
  )
  return (
    <>
      <div class="film">
        <Film file={file} video={video} startSec={startSec} renew={renew}>
          {subtitle !== null && (
            <track key={subtitle.url} default kind="subtitles" label={subtitle.name} src={subtitle.url} />
          )}
        </Film>
        {startSec === null && <ContinueChoice place={goesOn} choose={setStart} />}
      </div>
      <div class="button-line">
        <WatchedButton infohash={infohash} file={file.index} watched={known?.watched ?? false} />
        <WaysOut file={file} position={() => video.current?.currentTime || goesOn} />
        {subtitles.length > 0 && <SubtitleChoice files={subtitles} choose={setSubtitle} />}
        <span class="muted number">
          {bytes(file.size)}
          {comingOf(infohash)}
        </span>
      </div>
    </>
  )
}

function comingOf(infohash: string): string {
  const record = recordOf(session, infohash)
  if (record === null) return ''
  const here = record.progress < 1 ? ` · ${percent(record.progress)} here` : ''
  return record.speed_down >= 1 ? `${here} · ↓ ${rate(record.speed_down)}` : here
}

/** Plays a file in the page by its signed link, while it is still being downloaded. */
export function PlayerPage({ infohash, file: index }: { infohash: string; file: number }) {
  const record = recordOf(session, infohash)
  const ask = async (signal: AbortSignal) => {
    const [files, left] = await Promise.all([filesOf(infohash, signal), leftAt(infohash, signal)])
    return { files, left }
  }
  const { value, problem, refresh } = useAnswer(ask, [infohash, record?.total_pieces ?? 0], 0)
  const files = value?.files ?? []
  const [link, setLink] = useState<DownloadFile | null>(null)
  const found = files.find(each => each.index === index) ?? null
  useEffect(() => {
    if (found !== null) setLink(found)
  }, [value])
  return (
    <section class="player" aria-labelledby="player-name">
      <header class="player-head">
        <a class="button quiet" href={addressOf({ page: 'downloads', infohash, tab: 'files' })} aria-label="Back">
          <Icon name="back" />
        </a>
        <h1 id="player-name">
          <bdi>{link?.name.split('/').at(-1) ?? record?.name ?? 'Player'}</bdi>
        </h1>
      </header>
      {link === null ? (
        <p class="nothing muted">{problem || 'Finding the file…'}</p>
      ) : (
        <Played
          infohash={infohash}
          file={link}
          left={value?.left.find(({ fileindex }) => fileindex === index) ?? null}
          subtitles={subtitlesFor(files)}
          renew={refresh}
        />
      )}
    </section>
  )
}
