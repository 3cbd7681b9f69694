// The help of the keyboard, and what is said of the app beside it, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  heading: 'Keys',
  everywhere: 'Everywhere',
  list: 'Downloads',
  player: 'Player',
  help: 'this help',
  search: 'search downloads',
  escape: 'close what is open, end the selection',
  move: 'to another row',
  pages: 'a page up, down',
  ends: 'to the first, last row',
  open: 'open the download',
  mark: 'select the row, or not',
  range: 'select up to here',
  all: 'select all',
  queue: 'move the selected in the queue',
  remove: 'remove the selected',
  paste: 'add a link or file that was copied',
  space: 'Space',
  enter: 'Enter',
  shift: 'Shift {{key}}',
  ctrl: 'Ctrl {{key}}',
  alt: 'Alt {{key}}',
  del: 'Delete',
  homeEnd: 'Home End',
  pageKeys: 'Page Up Page Down',
  esc: 'Esc',
  app: 'As an app',
  installable: 'The dashboard can be installed as an app: see the address bar or the menu of the browser.',
  insecure:
    'To install the dashboard as an app, the browser needs https (setting api.https_enabled) or the page opened as localhost.',
} as const

/** Its texts by their keys, as translations have them. */
export type KeysTexts = typeof english

/** A text of the help. */
export const text = textsOf('keys', english)
