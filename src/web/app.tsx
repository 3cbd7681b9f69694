// The frame of the dashboard: navigation, the page of the place, messages. Torrent files and links that are dropped or
// pasted anywhere open the dialog for adding.

import { useEffect, useState } from 'preact/hooks'
import { addressOf, channelsHome, home, marketHome, type Place, walletsHome } from './model/place.ts'
import { plainRate } from './model/format.ts'
import { place, session } from './node/context.ts'
import { AddDialog, type Addition } from './pages/downloads/add-dialog.tsx'
import { ChannelPage } from '../chapters/channels/web/pages/channel-page.tsx'
import { ChannelsPage } from '../chapters/channels/web/pages/channels-page.tsx'
import { CircuitsPage } from '../chapters/circuits/web/pages/circuits-page.tsx'
import { DownloadsPage } from './pages/downloads/downloads-page.tsx'
import { EventsPage } from './pages/node/events-page.tsx'
import { KeyPage } from './pages/node/key-page.tsx'
import { MarketPage } from '../chapters/market/web/pages/market-page.tsx'
import { PlayerPage } from './pages/downloads/player-page.tsx'
import { SettingsPage } from './pages/node/settings-page.tsx'
import { StatisticsPage } from './pages/node/statistics-page.tsx'
import { WalletPage } from '../chapters/wallets/web/pages/wallet-page.tsx'
import { WalletsPage } from '../chapters/wallets/web/pages/wallets-page.tsx'
import { Brand } from './parts/brand.tsx'
import { Icon, type IconName } from './parts/icons.tsx'
import { ConnectionLine, Notices } from './parts/notices.tsx'
import { RateGraph } from './parts/rate-graph.tsx'

interface Destination {
  readonly name: string
  readonly icon: IconName
  readonly place: Place
}

const destinations: readonly Destination[] = [
  { name: 'Downloads', icon: 'list', place: home },
  { name: 'Channels', icon: 'channel', place: channelsHome },
  { name: 'Circuits', icon: 'circuit', place: { page: 'circuits' } },
  { name: 'Wallets', icon: 'wallet', place: walletsHome },
  { name: 'Market', icon: 'market', place: marketHome },
  { name: 'Statistics', icon: 'chart', place: { page: 'statistics' } },
  { name: 'Events', icon: 'bell', place: { page: 'events' } },
  { name: 'Settings', icon: 'gear', place: { page: 'settings' } },
]

function Navigation() {
  const now = { play: 'downloads', channel: 'channels' }[place.value.page as string] ?? place.value.page
  return (
    <nav aria-label="Pages">
      <ul class="nav">
        {destinations.map(({ name, icon, place: to }) => (
          <li key={name}>
            <a href={addressOf(to)} aria-current={to.page === now ? 'page' : undefined}>
              <Icon name={icon} />
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Rates() {
  const { down, up } = session.totals.value
  const state = session.connection.value.state
  const words = { connecting: 'Connecting', live: 'Connected', lost: 'Not connected' }
  return (
    <div class="rates">
      <RateGraph height={56} bare />
      <p>
        <span class="rate-down">
          <Icon name="down" size={14} />
          <span class="visually-hidden">Down: </span>
          {plainRate(down)}
        </span>
        <span class="rate-up">
          <Icon name="up" size={14} />
          <span class="visually-hidden">Up: </span>
          {plainRate(up)}
        </span>
      </p>
      <p class="node-line">
        <span class={`dot ${state}`} />
        {words[state]}
        {session.version.value !== '' && <span class="muted"> · {session.version.value}</span>}
        <button type="button" class="quiet" title="Sign out" aria-label="Sign out" onClick={() => session.signOut()}>
          <Icon name="door" size={16} />
        </button>
      </p>
    </div>
  )
}

function Page({ add }: { add: (addition: Addition) => void }) {
  const at = place.value
  switch (at.page) {
    case 'downloads':
      return <DownloadsPage infohash={at.infohash} tab={at.tab} add={() => add({ files: [], text: '' })} />
    case 'play':
      return <PlayerPage key={`${at.infohash}/${at.file}`} infohash={at.infohash} file={at.file} />
    case 'channels':
      return <ChannelsPage list={at.list} query={at.query} />
    case 'channel':
      return <ChannelPage key={at.channel} channel={at.channel} tab={at.tab} />
    case 'wallets':
      return at.coin === '' ? <WalletsPage /> : <WalletPage key={at.coin} coin={at.coin} />
    case 'market':
      return <MarketPage tab={at.tab} />
    case 'circuits':
      return <CircuitsPage />
    case 'statistics':
      return <StatisticsPage />
    case 'events':
      return <EventsPage />
    case 'settings':
      return <SettingsPage />
  }
}

/** Whether a text that was pasted is meant for the node. */
function isSource(text: string): boolean {
  return /^\s*(magnet:\?|https?:\/\/\S+$|[0-9a-f]{40}\s*$)/i.test(text)
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
      if (!isOffer(event)) return
      event.preventDefault()
      add({ files: [...(event.dataTransfer?.files ?? [])], text: event.dataTransfer?.getData('text') ?? '' })
    }
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return
      const text = event.clipboardData?.getData('text') ?? ''
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length > 0 || isSource(text)) add({ files, text: files.length > 0 ? '' : text })
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

function Frame() {
  const [addition, setAddition] = useState<Addition | null>(null)
  const over = useOffers(setAddition)
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('#content')?.focus()}>
        Skip to content
      </button>
      <header class="side">
        <Brand />
        <Navigation />
        <Rates />
      </header>
      <main id="content" tabIndex={place.value.page === 'downloads' ? -1 : 0}>
        <ConnectionLine />
        <Page add={setAddition} />
      </main>
      {over && <div class="drop-here">Drop to add</div>}
      {addition !== null && <AddDialog addition={addition} onClose={() => setAddition(null)} />}
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
