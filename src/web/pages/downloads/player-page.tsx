// Plays a file in the page by its signed link, while it is still being downloaded. Subtitles that lie in the torrent
// can be chosen. A new link is asked for when one has expired, and playing goes on where it was.

import { useEffect, useRef, useState } from 'preact/hooks'
import { bytes, percent, rate } from '../../model/format.ts'
import { SUBTITLE_NAME, toWebVtt } from '../../model/subtitles.ts'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { files as filesOf, playerLink } from '../../node/commands.ts'
import { addressOf as linkTo } from '../../node/api.ts'
import { addressOf } from '../../model/place.ts'
import { session } from '../../node/context.ts'
import { recordOf } from '../../node/session.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icons.tsx'

/** A new link is asked for when one that worked fails; a file that cannot be played fails at once again. */
const RETRY_AFTER_MS = 10_000

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

function whyNot(error: MediaError | null): string {
  if (error?.code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED || error?.code === MediaError.MEDIA_ERR_DECODE)
    return 'This browser cannot play the format. Copy the link into VLC or mpv: they play everything.'
  return 'The film stopped: the node does not send any more. It goes on when the connection is back.'
}

interface VideoProps {
  readonly file: DownloadFile
  readonly subtitle: Subtitle | null
  /** Asks for a new link. */
  renew(): void
}

function Video({ file, subtitle, renew }: VideoProps) {
  const video = useRef<HTMLVideoElement>(null)
  const [problem, setProblem] = useState('')
  const position = useRef(0)
  const renewedMs = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const element = video.current
    if (element === null || renewedMs.current === Number.NEGATIVE_INFINITY) return
    element.load()
    element.currentTime = position.current
    void element.play().catch(() => undefined)
  }, [file])
  const failed = () => {
    const now = performance.now()
    if (now - renewedMs.current < RETRY_AFTER_MS) return setProblem(whyNot(video.current?.error ?? null))
    renewedMs.current = now
    renew()
    return undefined
  }
  return (
    <>
      <video
        ref={video}
        class="video"
        controls
        autoplay
        playsInline
        src={linkTo(file.stream_url)}
        onTimeUpdate={event => {
          position.current = event.currentTarget.currentTime
          if (problem !== '') setProblem('')
        }}
        onError={failed}
      >
        {subtitle !== null && (
          <track key={subtitle.url} default kind="subtitles" label={subtitle.name} src={subtitle.url} />
        )}
      </video>
      {problem !== '' && (
        <p class="fault" role="alert">
          <Icon name="warn" size={16} /> {problem}
        </p>
      )}
    </>
  )
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

/** Plays a file in the page by its signed link, while it is still being downloaded. */
export function PlayerPage({ infohash, file: index }: { infohash: string; file: number }) {
  const record = recordOf(session, infohash) ?? null
  const [subtitle, setSubtitle] = useState<Subtitle | null>(null)
  const {
    value: files,
    problem,
    refresh,
  } = useAnswer(signal => filesOf(infohash, signal), [infohash, record?.total_pieces ?? 0], 0)
  const [link, setLink] = useState<DownloadFile | null>(null)
  const found = files?.find(each => each.index === index) ?? null
  /** A new link starts the film at its beginning: only the first is taken, and those asked for. */
  const wanted = useRef(true)
  const renew = () => {
    wanted.current = true
    refresh()
  }
  useEffect(() => {
    if (found === null || !wanted.current) return
    wanted.current = false
    setLink(found)
  }, [files])
  useEffect(
    () => () => {
      if (subtitle !== null) URL.revokeObjectURL(subtitle.url)
    },
    [subtitle],
  )
  const subtitles = subtitlesFor(files ?? [])
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
        <>
          <Video file={link} subtitle={subtitle} renew={renew} />
          <div class="button-line">
            <CopyButton label="Copy player link" what="Player link" icon="link" text={() => playerLink(link)} />
            {subtitles.length > 0 && <SubtitleChoice files={subtitles} choose={setSubtitle} />}
            <span class="muted number">
              {bytes(link.size)}
              {record !== null && record.progress < 1 && ` · ${percent(record.progress)} here`}
              {record !== null && record.speed_down >= 1 && ` · ↓ ${rate(record.speed_down)}`}
            </span>
          </div>
        </>
      )}
    </section>
  )
}
