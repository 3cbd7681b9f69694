// Plays a file in the page by its signed link, while it is still being downloaded. A new link is asked for when one has
// expired, and playing goes on where it was; another time, and on another device, where it was left.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { DownloadFile } from '../../../client/core-routes.ts'
import { addressOf } from '../../model/place.ts'
import { files as filesOf, leftAt } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { recordOf } from '../../node/session.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/player.ts'
import { Played } from './played.tsx'

/** Plays a file in the page by its signed link, while it is still being downloaded. */
export function PlayerPage({ infohash, file: index }: { infohash: string; file: number }) {
  const record = recordOf(session, infohash)
  const ask = async (signal: AbortSignal) => {
    const [files, left] = await Promise.all([filesOf(infohash, signal), leftAt(infohash, signal)])
    return { files, left }
  }
  const { value, problem, refresh } = useAnswer(ask, [infohash, index, record?.total_pieces ?? 0], 0)
  const files = value?.files ?? []
  const place = `${infohash}/${index}`
  const [link, setLink] = useState<{ readonly place: string; readonly file: DownloadFile } | null>(null)
  // A new link loads the film again: it is taken where one was asked for, and not because the list has told more.
  const wanted = useRef(false)
  const stage = useRef<HTMLDivElement>(null)
  const found = files.find(each => each.index === index) ?? null
  // Padding files have numbers and are no files for people: the one behind is meant (hybrids have one behind each).
  const isMissing = files.length > 0 && found === null
  const behind = isMissing ? files.find(each => each.index > index) : undefined
  // Kept while another link is asked for, but not of another file.
  const shown = link?.place === place ? link.file : found
  const renew = () => {
    wanted.current = true
    refresh()
  }
  useEffect(() => {
    if (found === null || (link?.place === place && !wanted.current)) return
    wanted.current = false
    setLink({ place, file: found })
  }, [value, place])
  useEffect(() => {
    if (behind !== undefined) location.replace(addressOf({ page: 'play', infohash, file: behind.index }))
  }, [behind?.index])
  return (
    <section class="player" aria-labelledby="player-name">
      <header class="player-head">
        <a
          class="button quiet"
          href={addressOf({ page: 'downloads', infohash, tab: 'files' })}
          aria-label={text('back')}
        >
          <Icon name="back" />
        </a>
        <h1 id="player-name">
          <bdi>{shown?.name.split('/').at(-1) ?? record?.name ?? text('player')}</bdi>
        </h1>
      </header>
      <div class="stage" ref={stage}>
        {shown === null ? (
          <p class="nothing muted">{problem || (isMissing ? text('noFile') : text('finding'))}</p>
        ) : (
          <Played
            key={place}
            infohash={infohash}
            file={shown}
            files={files}
            left={value?.left.find(({ fileindex }) => fileindex === index) ?? null}
            stage={stage}
            renew={renew}
          />
        )}
      </div>
    </section>
  )
}
