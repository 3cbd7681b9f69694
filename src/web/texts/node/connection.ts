// What is said of the connection to the node, and what it tells at once, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  unreachable: 'The node does not answer. Is it running?',
  strangeAnswer: 'The node answered {{status}}, without saying why.',
  ended: 'The node ended the connection.',
  keyChanged: 'The node does not accept this key any more. Enter the one it has now.',
  finished: 'Finished: {{name}}',
  failed: 'Error: {{error}}',
  notMoved: 'Files were not moved: {{error}}',
  // Notifications of the browser.
  finishedTitle: 'Download finished',
  failedTitle: 'Download stopped by an error',
  notMovedTitle: 'Files were not moved',
  stalledTitle: 'A disk does not answer',
  // An error of the node: what its code means, and what it said itself.
  withDetail: '{{text}} ({{detail}})',
} as const

/** Its texts by their keys, as translations have them. */
export type ConnectionTexts = typeof english

/** One of these texts. */
export const text = textsOf('connection', english)
