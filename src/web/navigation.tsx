// The ways to the pages: those of the core, and between them those of the chapters.

import { chapterPages } from './chapters.ts'
import { addressOf, chapterPlace, home, type Place } from './model/place.ts'
import { place } from './node/context.ts'
import { Sign, strokesOf } from './parts/icons.tsx'
import { text } from './texts/frame.ts'

interface Destination {
  readonly name: string
  readonly strokes: string
  readonly to: Place
}

const destinations: readonly Destination[] = [
  { name: text('downloads'), strokes: strokesOf('list'), to: home },
  ...chapterPages.map(({ id, name, strokes }) => ({ name, strokes, to: chapterPlace(id) })),
  { name: text('statistics'), strokes: strokesOf('chart'), to: { page: 'statistics' } },
  { name: text('events'), strokes: strokesOf('bell'), to: { page: 'events' } },
  { name: text('settings'), strokes: strokesOf('gear'), to: { page: 'settings' } },
]

/** What of the navigation a place belongs to. */
function headOf(at: Place): string {
  if (at.page === 'chapter') return at.chapter
  return at.page === 'play' ? 'downloads' : at.page
}

/** The ways to the pages: those of the core, and between them those of the chapters. */
export function Navigation() {
  const now = headOf(place.value)
  return (
    <nav aria-label={text('pages')}>
      <ul class="nav">
        {destinations.map(({ name, strokes, to }) => (
          <li key={name}>
            <a href={addressOf(to)} aria-current={headOf(to) === now ? 'page' : undefined}>
              <Sign strokes={strokes} />
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
