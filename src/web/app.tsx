// The frame of the dashboard: navigation, the page of the place, messages. Torrent files and links that are dropped or
// pasted anywhere open the dialog for adding.

import { useEffect, useState } from 'preact/hooks'
import { chapterPages } from './chapters.ts'
import { areSources } from './model/adding.ts'
import type { ChapterPlace } from './model/place.ts'
import { plainRate } from './model/format.ts'
import { Navigation } from './navigation.tsx'
import { narrow, offeredLink, place, session } from './node/context.ts'
import { sendRemovals } from './node/removals.ts'
import type { Addition } from './pages/adding/add-dialog.tsx'
import { DownloadsPage } from './pages/downloads/downloads-page.tsx'
import { KeyPage } from './pages/node/key-page.tsx'
import { Brand } from './parts/brand.tsx'
import { Icon } from './parts/icons.tsx'
import { keepFocus } from './parts/kept-focus.ts'
import { LaterPage } from './parts/later-page.tsx'
import { ConnectionLine, Notices } from './parts/notices.tsx'
import { RateGraph } from './parts/rate-graph.tsx'
import { text } from './texts/frame.ts'

function Rates({ showKeys }: { showKeys: () => void }) {
  const { down, up } = session.totals.value
  const state = session.connection.value.state
  return (
    <div class="rates">
      <RateGraph height={56} bare />
      <p>
        <span class="rate-down">
          <Icon name="down" size={14} />
          <span class="visually-hidden">{text('down')} </span>
          {plainRate(down)}
        </span>
        <span class="rate-up">
          <Icon name="up" size={14} />
          <span class="visually-hidden">{text('up')} </span>
          {plainRate(up)}
        </span>
      </p>
      {!narrow.value && <LaterPage load={loadLimits} shown={{}} />}
      <p class="node-line">
        <span class={`dot ${state}`} />
        {text(state)}
        {session.version.value !== '' && <span class="muted"> · {session.version.value}</span>}
        <button type="button" class="quiet" title={text('keys')} aria-label={text('keys')} onClick={showKeys}>
          ?
        </button>
        <button
          type="button"
          class="quiet"
          title={text('signOut')}
          aria-label={text('signOut')}
          onClick={() => void sendRemovals().then(() => session.leave())}
        >
          <Icon name="door" size={16} />
        </button>
      </p>
    </div>
  )
}

const loadLimits = async () => (await import('./pages/node/limits.tsx')).Limits
// What not everybody opens comes when it is shown.
const loadSettings = async () => (await import('./pages/node/settings-page.tsx')).SettingsPage
const loadStatistics = async () => (await import('./pages/node/statistics-page.tsx')).StatisticsPage
const loadEvents = async () => (await import('./pages/node/events-page.tsx')).EventsPage
const loadDoctor = async () => (await import('./pages/node/doctor-page.tsx')).DoctorPage
const loadKeys = async () => (await import('./pages/keys-dialog.tsx')).KeysDialog
const loadAdding = async () => (await import('./pages/adding/add-dialog.tsx')).AddDialog
const loadWelcome = async () => (await import('./pages/node/welcome.tsx')).Welcome
const loadPlayer = async () => (await import('./pages/player/player-page.tsx')).PlayerPage

const endWelcome = () => {
  session.welcome.value = ''
}

function PageOfChapter({ chapter, parts }: ChapterPlace) {
  const pages = chapterPages.find(({ id }) => id === chapter)
  return pages === undefined ? null : <LaterPage key={chapter} load={pages.loadPage} shown={{ parts }} />
}

function Page({ add }: { add: (addition: Addition) => void }) {
  const at = place.value
  switch (at.page) {
    case 'downloads':
      return <DownloadsPage infohash={at.infohash} tab={at.tab} add={() => add({ files: [], text: '' })} />
    case 'play':
      return <LaterPage load={loadPlayer} shown={{ infohash: at.infohash, file: at.file }} />
    case 'chapter':
      return <PageOfChapter {...at} />
    case 'statistics':
      return <LaterPage load={loadStatistics} shown={{}} />
    case 'events':
      return <LaterPage load={loadEvents} shown={{}} />
    case 'doctor':
      return <LaterPage load={loadDoctor} shown={{}} />
    case 'settings':
      return <LaterPage load={loadSettings} shown={{}} />
  }
}

/** Calls `add` with what is dropped or pasted anywhere; true while something is dragged over the page. */
function useOffers(add: (addition: Addition) => void): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const isOffer = (event: DragEvent) => /Files|text\/(uri-list|plain)/.test(event.dataTransfer?.types.join() ?? '')
    const drag = (event: DragEvent) => {
      if (!isOffer(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      // A part of the page has taken it.
      if (event.defaultPrevented || !isOffer(event)) return
      event.preventDefault()
      add({ files: [...(event.dataTransfer?.files ?? [])], text: event.dataTransfer?.getData('text') ?? '' })
    }
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return
      const text = event.clipboardData?.getData('text') ?? ''
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length > 0 || areSources(text)) add({ files, text: files.length > 0 ? '' : text })
    }
    const removals = [
      listen('dragover', drag),
      listen('dragleave', leave),
      listen('drop', drop),
      listen('paste', paste),
    ]
    return () => {
      for (const remove of removals) remove()
    }
  }, [add])
  return over
}

function listen<K extends keyof DocumentEventMap>(type: K, run: (event: DocumentEventMap[K]) => void): () => void {
  document.addEventListener(type, run)
  return () => document.removeEventListener(type, run)
}

/** Calls `show` when somebody asks by `?` which keys there are, and writes nothing. */
function useKeyHelp(show: () => void): void {
  useEffect(
    () =>
      listen('keydown', event => {
        const { key, ctrlKey, metaKey, altKey, target } = event
        const writes = target instanceof Element && target.matches('input, textarea, select, [contenteditable]')
        if (key !== '?' || ctrlKey || metaKey || altKey || writes || document.querySelector('dialog[open]')) return
        event.preventDefault()
        show()
      }),
    [],
  )
}

function Frame() {
  const [keys, showKeys] = useState(false)
  useKeyHelp(() => showKeys(true))
  useEffect(() => keepFocus(document), [])
  const [addition, setAddition] = useState<Addition | null>(null)
  const over = useOffers(setAddition)
  const link = offeredLink.value
  useEffect(() => {
    if (link === '') return
    offeredLink.value = ''
    setAddition({ files: [], text: link })
  }, [link])
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('#content')?.focus()}>
        {text('skip')}
      </button>
      <header class="side">
        <Brand />
        <Navigation />
        <Rates showKeys={() => showKeys(true)} />
      </header>
      <main id="content" tabIndex={place.value.page === 'downloads' ? -1 : 0}>
        <ConnectionLine />
        <Page add={setAddition} />
      </main>
      {over && <div class="drop-here">{text('dropToAdd')}</div>}
      {addition !== null && <LaterPage load={loadAdding} shown={{ addition, onClose: () => setAddition(null) }} />}
      {keys && <LaterPage load={loadKeys} shown={{ onClose: () => showKeys(false) }} />}
      {session.welcome.value !== '' && (
        <LaterPage load={loadWelcome} shown={{ isAsked: session.welcome.value === 'asked', onClose: endWelcome }} />
      )}
      <Notices />
    </div>
  )
}

/** The whole page. */
export function App() {
  return session.key.value === null ? (
    <>
      <KeyPage key={session.keyProblem.value} />
      <Notices />
    </>
  ) : (
    <Frame />
  )
}
