// One download: what it does and why, its files, peers and trackers, and what can be asked of it.

import { useRef } from 'preact/hooks'
import type { Download } from '../../../client/core-routes.ts'
import { canResume, stateText, toneOf } from '../../model/download-groups.ts'
import { percent } from '../../model/format.ts'
import { MEDIA, NO_MEDIA } from '../../model/media-names.ts'
import { addressOf, type DetailTab, detailTabs } from '../../model/place.ts'
import { details, files as filesOf } from '../../node/commands.ts'
import { go, session } from '../../node/context.ts'
import { glanceOf, recordOf } from '../../node/session.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { Icon } from '../../parts/icons.tsx'
import { LaterPage } from '../../parts/later-page.tsx'
import { ProgressBar } from '../../parts/progress-bar.tsx'
import { StateButtons } from '../../parts/state-buttons.tsx'
import { text } from '../../texts/downloads/detail.ts'
import { DetailOptions } from './detail-options.tsx'
import { DetailOverview } from './detail-overview.tsx'
import { PanelEdge } from './panel-edge.tsx'

// With the tree and what is done to files: who opens a download for other parts does without.
const loadFiles = async () => (await import('./detail-files.tsx')).DetailFiles
const loadPeers = async () => (await import('./detail-peers.tsx')).DetailPeers
const loadTrackers = async () => (await import('./detail-trackers.tsx')).DetailTrackers

/** How often peers and pieces of the one download that is looked at are asked for. */
const DETAIL_MS = 2000

/** What it is given. */
export interface DetailPageProps {
  readonly infohash: string
  readonly tab: DetailTab
  remove(): void
}

/** Plays the largest film or song, of those that are chosen if there is one; without any it shows the files. */
async function playFirst(infohash: string): Promise<void> {
  await session.attempt(async () => {
    const media = (await filesOf(infohash)).filter(file => MEDIA.test(file.name))
    const [largest] = media.toSorted((a, b) => Number(b.included) - Number(a.included) || b.size - a.size)
    if (largest === undefined) go({ page: 'downloads', infohash, tab: 'files' })
    else go({ page: 'play', infohash, file: largest.index })
  })
}

function Commands({ record, remove }: { record: Download; remove: () => void }) {
  const { infohash } = record
  const resumes = canResume(record)
  return (
    <div class="commands" role="toolbar" aria-label={text('commands')}>
      <StateButtons infohashes={[infohash]} resume={resumes ? 'primary' : 'none'} stop={!resumes} remove={remove}>
        {record.total_pieces > 0 && !NO_MEDIA.test(record.name) && (
          <button type="button" onClick={() => void playFirst(infohash)}>
            <Icon name="film" size={16} /> {text('play')}
          </button>
        )}
      </StateButtons>
    </div>
  )
}

function Tabs({ infohash, tab }: { infohash: string; tab: DetailTab }) {
  return (
    <nav class="tabs" aria-label={text('parts')}>
      {detailTabs.map(name => (
        <a
          key={name}
          href={addressOf({ page: 'downloads', infohash, tab: name })}
          aria-current={name === tab ? 'page' : undefined}
        >
          {text(name)}
        </a>
      ))}
    </nav>
  )
}

function Part({ record, tab }: { record: Download; tab: DetailTab }) {
  const { infohash } = record
  const detailed = useAnswer(signal => details(infohash, signal), [infohash], DETAIL_MS)
  switch (tab) {
    case 'overview':
      return <DetailOverview record={record} pieces={detailed.value?.pieces ?? ''} />
    case 'files':
      return <LaterPage load={loadFiles} shown={{ record }} />
    case 'peers':
      return <LaterPage load={loadPeers} shown={{ record, peers: detailed.value?.peers ?? null }} />
    case 'trackers':
      return <LaterPage load={loadTrackers} shown={{ record }} />
    case 'options':
      return <DetailOptions key={infohash} record={record} />
  }
}

/** One download: what it does and why, its files, peers and trackers, and what can be asked of it. */
export function DetailPage({ infohash, tab, remove }: DetailPageProps) {
  const found = recordOf(session, infohash)
  const record = found ?? null
  const seen = record ?? glanceOf(session, infohash)
  const name = seen === null ? text('download') : seen.name === '' ? infohash : seen.name
  const heading = useRef<HTMLHeadingElement>(null)
  const close = () => go({ page: 'downloads', infohash: '', tab: 'overview' })
  return (
    <section class="detail" aria-labelledby="detail-name">
      <PanelEdge />
      <header class="detail-head">
        <button type="button" class="quiet detail-close" aria-label={text('close')} onClick={close}>
          <Icon name="close" />
        </button>
        <h2 id="detail-name" ref={heading} tabIndex={-1}>
          <bdi>{name}</bdi>
        </h2>
        {record !== null && (
          <>
            <p class="detail-state">
              <span class={`state ${toneOf(record)}`}>{stateText(record)}</span>
              <span class="number">{percent(record.progress)}</span>
            </p>
            <ProgressBar value={record.progress} tone={toneOf(record)} label={text('progress')} />
            <Commands record={record} remove={remove} />
          </>
        )}
      </header>
      {record === null ? (
        <p class="nothing muted">{found === null ? text('unknown') : text('loading')}</p>
      ) : (
        <>
          <Tabs infohash={infohash} tab={tab} />
          <div class="detail-part">
            <Part record={record} tab={tab} />
          </div>
        </>
      )}
    </section>
  )
}
