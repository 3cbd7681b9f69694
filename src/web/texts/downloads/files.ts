// What is said of the files of a download, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  asking: 'Asking the node…',
  notKnown: 'Its files are known when its metadata has come.',
  chosen_one: '{{count, number}} file, {{chosen, number}} chosen',
  chosen_other: '{{count, number}} files, {{chosen, number}} chosen',
  fetchAll: 'Fetch all',
  skipAll: 'Skip all',
  playlist: 'Playlist',
  search: 'Search files',
  order: 'Order of files',
  byName: 'By name, in folders',
  bySize: 'Largest first',
  byProgress: 'Least complete first',
  nothingFound: 'No file is called so.',
  files: 'Files',
  open: 'Open folder {{name}}',
  close: 'Close folder {{name}}',
  priority: 'Priority of {{name}}',
  mixed: 'Mixed',
  skip: 'Skip',
  low: 'Low',
  normal: 'Normal',
  high: 'High',
  leftAt: 'left at {{place}}',
  watched: 'watched',
  someChosen: '{{chosen, number}} of {{all, number}} chosen',
  rename: 'Rename',
  renameOne: 'Rename {{name}}',
  newName: 'New name',
  renameHelp: 'On the disk of the node. Fetching and sharing go on.',
  linkTitle: 'Copy a link for any player',
  linkOf: 'Copy player link of {{name}}',
  playerLink: 'Player link',
  play: 'Play {{name}}',
  save: 'Save {{name}}',
} as const

/** Its texts by their keys, as translations have them. */
export type FilesTexts = typeof english

/** One of these texts. */
export const text = textsOf('files', english)
