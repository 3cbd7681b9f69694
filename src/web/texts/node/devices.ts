// Devices that are signed in, and signing in on a phone, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  heading: 'Devices and keys',
  about:
    'Every browser that was signed in by a link, and every program with a key of its own. Removing one signs it out.',
  none: 'None: only the key of the node itself is in use.',
  thisOne: 'This browser',
  bound: 'Only downloads with the label {{label}}',
  since: 'since {{date}}',
  remove: 'Remove {{name}}',
  removed: '{{name}} is signed out.',
  signIn: 'Sign in on a phone',
  mayField: 'The phone may',
  mayWatch: 'watch what is there',
  mayAdd: 'watch, add and remove downloads',
  mayAdmin: 'everything but spend money',
  show: 'Show the code',
  code: 'QR code that signs a phone in',
  scan: 'Point the camera of the phone at it within ten minutes. It works once, at {{host}}.',
  waiting: 'Waiting for the phone…',
  used: '{{name}} is signed in.',
  spent: 'The code was tried from another network, or taken back. Show a new one.',
  expired: 'The code is too old. Show a new one.',
  alone:
    'A phone cannot reach this node: it listens on this machine alone. Set api.http_host to an address of this machine in your network (or 0.0.0.0) below, restart the node, and open the dashboard by that address.',
  unnamed:
    'It is not known by which address a phone reaches this node. Open the dashboard by the address or name that this machine has in your network, or set api.host_names below.',
  unencrypted: 'The connection is not encrypted: do this in networks that you trust.',
} as const

/** Its texts by their keys, as translations have them. */
export type DevicesTexts = typeof english

/** A text about devices. */
export const text = textsOf('devices', english)
