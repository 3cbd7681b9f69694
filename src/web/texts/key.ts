// What the page says that asks for the key, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  heading: 'Open the dashboard',
  key: 'API key',
  open: 'Open',
  asking: 'Signing in…',
  wrong: 'This is not the key of this node. Check for missing characters.',
  kept: 'This browser keeps the key until you sign out.',
  noKey: 'No key at hand?',
  link: 'On the machine of the node, this makes a link that signs you in once:',
  keyShow: 'With {{other}} in place of {{command}}, the key itself is printed.',
  terminal: 'At a terminal',
  debian: 'Debian package',
  container: 'Container',
} as const

/** Its texts by their keys, as translations have them. */
export type KeyTexts = typeof english

/** A text of the page. */
export const text = textsOf('key', english)
