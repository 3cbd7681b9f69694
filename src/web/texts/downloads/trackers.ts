// What is said of the trackers of a download, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  trackers: 'Trackers',
  source: 'Source of peers',
  seeds: 'Seeds',
  leeches: 'Leeches',
  peers: 'Peers',
  commands: 'Commands',
  tier: 'Tier {{tier, number}}',
  tierOwn: 'Tier {{tier, number}}, of its own',
  next: 'next in {{time}}',
  nextNow: 'due now',
  remove: 'Remove',
  removeOne: 'Remove {{url}}',
  trackerRemoved: 'Tracker removed.',
  trackerAdded: 'Tracker added.',
  trackerChanged: 'Tracker changed.',
  trackerAddress: 'Address of a tracker',
  add: 'Add',
  announce: 'Announce now',
  announceTo: 'Announce now to {{url}}',
  announced: 'The trackers are asked.',
  notAnnounced: 'No tracker was asked: the download does not run, or was announced just now.',
  edit: 'Edit tracker',
  editOne: 'Edit {{url}}',
  address: 'Address',
  addressHelp: 'Trackers of a private torrent keep their host: only the rest of the address may change.',
  asked: 'Asked',
  askedHelp: 'Tier 0 is asked first, the next one when none of it answers.',
  save: 'Save',
} as const

/** Its texts by their keys, as translations have them. */
export type TrackersTexts = typeof english

/** One of these texts. */
export const text = textsOf('trackers', english)
