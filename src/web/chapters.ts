// The chapters that have a part in the dashboard: the one list of them. A chapter whose folder and lines are gone is
// gone; those that need it go with it.

import type { ChapterPages } from './chapter-pages.ts'
import type { FilmSource, ForecastSource } from './film-source.ts'
import { pages as channels } from '../chapters/channels/web/pages.tsx'
import { pages as circuits } from '../chapters/circuits/web/pages.tsx'
import { pages as dlna } from '../chapters/dlna/web/pages.tsx'
import { filmFacts as media, filmForecast as mediaForecast } from '../chapters/media/web/film-facts.ts'
import { pages as wallets } from '../chapters/wallets/web/pages.tsx'
import { pages as market } from '../chapters/market/web/pages.tsx'

/** Pages of all chapters. */
export const chapterPages: readonly ChapterPages[] = [
  // In the order of the navigation.
  channels,
  circuits,
  wallets,
  market,
  dlna,
]

/** What tells of films. */
export const filmSources: readonly FilmSource[] = [
  // Asked in this order.
  media,
]

/** What tells from when on a film plays. */
export const forecastSources: readonly ForecastSource[] = [
  // The first is asked, and no other.
  mediaForecast,
]
