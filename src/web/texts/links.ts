// What is said of links that are given away, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  give: 'Give a link…',
  title: 'Give a link',
  make: 'Make and copy',
  for: 'For',
  forExample: 'the tablet, Anna',
  forHelp: 'Whoever has the link can play this without a key, and nothing else.',
  opens: 'It opens',
  aWeek: 'for a week',
  aMonth: 'for 30 days',
  aYear: 'for a year',
  always: 'until I take it back',
  oneDevice: 'For one device: the first that opens it, and no other',
  given: 'Links that were given',
  withoutEnd: 'without an end',
  until: 'until {{time}}',
  forDevice: 'for one device ({{device}})',
  notOpened: 'not opened yet',
  copyFor: 'Copy the link for {{name}}',
  codeFor: 'QR code of the link for {{name}}',
  link: 'Link',
  takeBack: 'Take back',
  taken: 'Taken back.',
  code: 'QR code',
  codeHelp: 'For the camera of a phone',
  codeOf: 'QR code of {{url}}',
  tooLong: 'This link is too long for a code.',
  whoever: 'Whoever points a camera at it can play this, without a key, at this address:',
  alone:
    'Another device cannot open this: the node listens on this machine alone. Let it listen in your network (setting api.http_host), and open the dashboard by the address that this machine has there.',
  unnamed:
    'Another device cannot open this: the link names this machine as only the machine itself does. Open the dashboard by the address or name that this machine has in your network.',
} as const

/** Its texts by their keys, as translations have them. */
export type LinksTexts = typeof english

/** One of these texts. */
export const text = textsOf('links', english)
