// What is done to downloads that were chosen in the list, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  actions: 'Actions',
  chosen_one: '{{count, number}} download',
  chosen_other: '{{count, number}} downloads',
  resume: 'Resume',
  stop: 'Stop',
  recheck: 'Recheck',
  announce: 'Announce now',
  queueTop: 'To the top of the queue',
  queueUp: 'Up in the queue',
  queueDown: 'Down in the queue',
  queueBottom: 'To the end of the queue',
  queuePlace: 'It is number {{place, number}} of the queue now.',
  queueMoved_one: '{{count, number}} download is moved in the queue.',
  queueMoved_other: '{{count, number}} downloads are moved in the queue.',
  queueSame: 'The queue was in this order already.',
  labels: 'Labels…',
  move: 'Move to folder…',
  limits: 'Limits…',
  goals: 'Seeding goals…',
  hops: 'Anonymity…',
  magnets: 'Copy magnet links',
  torrents: 'Save torrent files',
  remove: 'Remove…',
  labelsTitle: 'Labels',
  moveTitle: 'Move to folder',
  limitsTitle: 'Limits',
  goalsTitle: 'Seeding goals',
  hopsTitle: 'Anonymity',
  addLabels: 'Add labels',
  takeLabels: 'Take labels away',
  commas: 'Separated by commas.',
  folder: 'Folder',
  folderHelp: 'A folder of the node. Files are moved there in the background.',
  down: 'Download speed',
  up: 'Upload speed',
  ratio: 'Seed to ratio',
  minutes: 'Seed for minutes',
  closesAll: 'Every connection is closed before one of the new kind opens. What is there stays.',
  change: 'Change',
  moveFiles: 'Move',
  changed: 'Changed.',
  moving: 'Moving in the background.',
  announced_one: 'The trackers of {{count, number}} download are asked.',
  announced_other: 'The trackers of {{count, number}} downloads are asked.',
  announcedSome:
    'The trackers of {{asked, number}} of {{total, number}} downloads are asked. The others do not run, or were asked just before.',
  magnetsCopied_one: '{{count, number}} magnet link copied.',
  magnetsCopied_other: '{{count, number}} magnet links copied.',
  tooLarge: 'These torrent files are too large to be saved together. Choose fewer.',
} as const

/** Its texts by their keys, as translations have them. */
export type ActionTexts = typeof english

/** A text of these actions. */
export const text = textsOf('actions', english)
