// What stands around every page, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  connecting: 'Connecting',
  live: 'Connected',
  lost: 'Not connected',
  down: 'Down:',
  up: 'Up:',
  keys: 'Keys (?)',
  signOut: 'Sign out',
  skip: 'Skip to content',
  dropToAdd: 'Drop to add',
  pages: 'Pages',
  downloads: 'Downloads',
  player: 'Player',
  statistics: 'Statistics',
  events: 'Events',
  doctor: 'Doctor',
  settings: 'Settings',
  more: 'More',
  allPages: 'All pages',
  fewerPages: 'Fewer pages',
  notLoaded: 'This page could not be loaded. Reload the dashboard.',
} as const

/** Its texts by their keys, as translations have them. */
export type FrameTexts = typeof english

/** A text around the pages. */
export const text = textsOf('frame', english)
