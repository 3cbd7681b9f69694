// What the dialog for adding says, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  title: 'Add downloads',
  links: 'Magnet links, web addresses or paths on the node, one a line',
  dropHint: 'or drop them anywhere',
  add: 'Add',
  adding: 'Adding…',
  added_one: '{{count, number}} download added.',
  added_other: '{{count, number}} downloads added.',
  tooLarge: 'It is larger than any torrent file (16 MiB).',
  sources: 'What is added',
  andMore_one: 'and {{count, number}} more',
  andMore_other: 'and {{count, number}} more',
  showFiles: 'Show files',
  chooseFilesOf: 'Choose files of {{name}}',
  chooseFiles: 'Choose files',
  tryAgain: 'Try again',
  looking: 'Looking for the files; this can take a minute…',
  stopLooking: 'Stop looking',
  lookHelp:
    'Show files asks trackers and peers, over as many hops as are chosen below. Adding without it fetches all files.',
  known: 'Already in your list. Adding it again only adds its trackers.',
  isPrivate: 'Private torrent',
  filesOf: 'Files of {{name}}',
  findFiles: 'Find files',
  selectAll: 'Select all',
  selectNone: 'Select none',
  noMatch: 'No files match.',
  chosen_one: '{{chosen, number}} of {{count, number}} file, {{size}} of {{all}}',
  chosen_other: '{{chosen, number}} of {{count, number}} files, {{size}} of {{all}}',
  chooseOne: 'Choose at least one file of {{name}}.',
  folder: 'Folder on the node',
  folderDefault: 'Default: {{path}}',
  browse: 'Browse…',
  recent: 'Recent folders',
  foldersIn: 'Folders in {{path}}',
  startFrom: 'Start from',
  up: 'Up to {{path}}',
  noFolders: 'There are no folders in it.',
  moreFolders: 'There are more folders than are shown; type the path.',
  newFolder: 'This folder will be created.',
  free: '{{free}} free',
  fits: '{{size}} of {{free}} free',
  tooFull: 'Not enough space: {{size}} chosen, {{free}} free.',
  options: 'Options',
  labels: 'Labels',
  labelsExample: 'films, linux',
  paused: 'Do not start yet',
  inOrder: 'Download in order (for watching)',
  forget: 'Watch and forget: fetch only what is watched, remove it hours after the last viewer',
  limitDown: 'Download limit, KiB/s',
  limitUp: 'Upload limit, KiB/s',
  limitHelp: 'Leave empty for no limit',
  limitWrong: 'Enter a number of KiB/s, or leave it empty.',
  magnets: 'Open magnet links with this page',
  magnetsHelp: 'The browser asks whether it may. Links then open this dialog; nothing is added by itself.',
  magnetsInsecure:
    'The browser allows this only where the dashboard is opened by https or on this machine (localhost).',
  magnetsUnknown: 'This browser cannot open magnet links with a page.',
  magnetsAsked: 'The browser was asked.',
} as const

/** Its texts by their keys, as translations have them. */
export type AddingTexts = typeof english

/** One of these texts. */
export const text = textsOf('adding', english)
