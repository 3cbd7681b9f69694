// The list of downloads and what narrows it, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  show: 'Show',
  filters: 'Filters',
  shownOnly: 'Shown only',
  showAllAgain: ', show all again',
  search: 'Search',
  searchLabel: 'Search names and labels',
  searchHelp: 'Words of the name, or label:films, tracker:example.org, folder:/srv, state:seeding, size>1GiB',
  unknownState: 'No state is called {{word}}. States: {{states}}.',
  unreadableSize: '{{word}} is not a size. Write it as size>1.5GiB.',
  tooManyWords: 'These are too many words: only the first are searched for.',
  tooLong: 'This is too long: only its beginning is searched for.',
  add: 'Add',
  order: 'Order',
  sortBy: 'Sort by',
  descending: 'Descending',
  name: 'Name',
  progress: 'Progress',
  state: 'State',
  size: 'Size',
  downRate: 'Down',
  upRate: 'Up',
  left: 'Left',
  peers: 'Peers',
  ratio: 'Ratio',
  added: 'Added',
  problems: 'Problems',
  labels: 'Labels',
  trackers: 'Trackers',
  folders: 'Folders',
  noLabel: 'No label',
  noTracker: 'No tracker',
  noFolder: 'No folder',
  showAll: 'Show all {{count, number}}',
  showFewer: 'Show fewer',
  all: 'All',
  active: 'Active',
  downloading: 'Downloading',
  seeding: 'Seeding',
  completed: 'Completed',
  stopped: 'Stopped',
  queued: 'Queued',
  checking: 'Checking',
  metadata: 'Finding metadata',
  circuits: 'Building circuits',
  allocating: 'Allocating',
  moving: 'Moving files',
  trouble: 'Trouble',
  errored: 'Error',
  stalled: 'Disk does not answer',
  noData: 'No data yet.',
} as const

/** Its texts by their keys, as translations have them. */
export type ListTexts = typeof english

/** A text of the list. */
export const text = textsOf('list', english)
