// The ways to the pages: those of the core, and between them those of the chapters that are in use, or of all. A phone
// has a bar with as many as its width holds, and the others behind its last button.

import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { isInUse } from './chapter-ways.ts'
import { chapterPages } from './chapters.ts'
import { addressOf, chapterPlace, home, type Place } from './model/place.ts'
import { chapterUse, showAllChapters, switchesNow } from './node/chapter-use.ts'
import { narrow, place } from './node/context.ts'
import { Icon, Sign, strokesOf } from './parts/icons.tsx'
import { LaterPage } from './parts/later-page.tsx'
import { text } from './texts/frame.ts'

/** A phone has no room for them beside the speeds. */
const loadLimits = async () => (await import('./pages/node/limits.tsx')).Limits

interface Destination {
  readonly name: string
  readonly strokes: string
  readonly to: Place
}

const downloads: Destination = { name: text('downloads'), strokes: strokesOf('list'), to: home }
const ofNode: readonly Destination[] = [
  { name: text('statistics'), strokes: strokesOf('chart'), to: { page: 'statistics' } },
  { name: text('events'), strokes: strokesOf('bell'), to: { page: 'events' } },
  { name: text('settings'), strokes: strokesOf('gear'), to: { page: 'settings' } },
]

/** Where a phone has no room for it in its bar. */
const doctor: Destination = { name: text('doctor'), strokes: strokesOf('pulse'), to: { page: 'doctor' } }

/** What of the navigation a place belongs to. */
function headOf(at: Place): string {
  if (at.page === 'chapter') return at.chapter
  return at.page === 'play' ? 'downloads' : at.page
}

function Ways({ to, class: style }: { to: readonly Destination[]; class: string }) {
  const now = headOf(place.value)
  return (
    <ul class={style}>
      {to.map(({ name, strokes, to: target }) => (
        <li key={name}>
          <a href={addressOf(target)} aria-current={headOf(target) === now ? 'page' : undefined}>
            <Sign strokes={strokes} />
            {name}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Of the chapters those that are in use, the one that is open, or all. */
function waysOfChapters(): { readonly ways: readonly Destination[]; readonly areSomeUnused: boolean } {
  const use = chapterUse.value
  const now = headOf(place.value)
  const used = new Set(chapterPages.filter(pages => pages.id === now || isInUse(pages, use, switchesNow.value)))
  return {
    ways: chapterPages
      .filter(pages => use.all || used.has(pages))
      .map(({ id, name, strokes }) => ({ name, strokes, to: chapterPlace(id) })),
    areSomeUnused: used.size < chapterPages.length,
  }
}

/** Shows the ways to chapters that nobody uses, and hides them. */
function AllPages() {
  const { all } = chapterUse.value
  return (
    <button type="button" class="nav-all" onClick={() => showAllChapters(!all)}>
      {all ? text('fewerPages') : text('allPages')}
    </button>
  )
}

/** The last of the bar: what it has no room for, over the page. */
function MoreWays({ to, areSomeUnused }: { to: readonly Destination[]; areSomeUnused: boolean }) {
  const id = useId()
  const sheet = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const at = place.value
  const isHere = to.some(({ to: target }) => headOf(target) === headOf(at))
  useEffect(() => sheet.current?.hidePopover(), [at])
  return (
    <>
      <button
        type="button"
        class="nav-more"
        popovertarget={id}
        aria-expanded={open}
        aria-current={isHere ? 'true' : undefined}
      >
        <Icon name="more" />
        {text('more')}
      </button>
      <div ref={sheet} id={id} popover="auto" class="sheet" onToggle={event => setOpen(event.newState === 'open')}>
        <Ways to={to} class="nav-rest" />
        {areSomeUnused && <AllPages />}
        <LaterPage load={loadLimits} shown={{}} />
      </div>
    </>
  )
}

/** The ways to the pages. */
export function Navigation() {
  const { ways, areSomeUnused } = waysOfChapters()
  return (
    <nav aria-label={text('pages')}>
      {narrow.value ? (
        <>
          <Ways to={[downloads, ...ofNode]} class="nav" />
          <MoreWays to={[...ways, doctor]} areSomeUnused={areSomeUnused} />
        </>
      ) : (
        <>
          <Ways to={[downloads, ...ways, ...ofNode, doctor]} class="nav" />
          {areSomeUnused && <AllPages />}
        </>
      )}
    </nav>
  )
}
