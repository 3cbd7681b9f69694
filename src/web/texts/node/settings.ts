// What the page of settings says around what the node says of each, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  settings: 'Settings',
  loading: 'Loading…',
  welcome: 'Show the welcome again',
  search: 'Search settings',
  allSettings: 'All settings',
  nothingFound: 'No settings match.',
  needsRestart: 'Used after the next start.',
  keptIn: 'Kept in this file of the node:',
  file: 'Settings as a file',
  exportFile: 'Export',
  importFile: 'Import…',
  fileHelp: 'What was set at this node, without passwords and keys. An import shows first what it would change.',
  notSettings: '{{name}} is not a file of settings that was exported here or at another node.',
  leftOut_one:
    '{{count, number}} setting of the file was left out: this node does not know it, or it cannot be changed here.',
  leftOut_other:
    '{{count, number}} settings of the file were left out: this node does not know them, or they cannot be changed here.',
  sameAsFile: 'The file would change nothing.',
  showChanges: 'What would change',
  fromTo: '{{before}} → {{after}}',
  sections: 'Sections',
  notShown: 'not shown',
  range: 'From {{from, number}} to {{to, number}}.',
  rangeIn: 'From {{from}} to {{to}}.',
  unitOf: 'Unit of {{name}}',
  notInBounds: 'Enter a number within the limits shown.',
  seconds: 'seconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
  weekGrid: 'Hours of the week',
  weekHelp:
    'Drag over the hours in which slow mode is on, and once more to take them out. By keyboard: arrow keys and Space, or Shift with arrow keys for many. The lines below say the same to the minute.',
  weekCell: '{{day}}, {{from}} to {{to}}',
  weekCellPart: '{{day}}, {{from}} to {{to}}, a part of it',
  weekUnread: 'Hours can be chosen again when this line has days and times: {{line}}',
  weekTooMany: 'Hours can be chosen again when there are at most {{count, number}} lines.',
  byFlag: 'set on the command line',
  byEnvironment: 'set in the environment',
  pending: 'in force after a restart',
  changes: 'Changes',
  changed_one: '{{count, number}} change',
  changed_other: '{{count, number}} changes',
  changedElsewhere_one:
    '{{count, number}} of these settings was changed elsewhere meanwhile. Nothing was saved: choose which value to keep, then save again.',
  changedElsewhere_other:
    '{{count, number}} of these settings were changed elsewhere meanwhile. Nothing was saved: choose which values to keep, then save again.',
  nowIs: 'Changed elsewhere meanwhile, and now: {{value}}',
  keepMine: 'Keep my value',
  takeTheirs: 'Use the new value',
  on: 'on',
  off: 'off',
  empty: 'empty',
  undo: 'Undo',
  save: 'Save',
  saved: 'Saved.',
  savedForRestart_one: 'Saved. {{count, number}} change is in force after a restart.',
  savedForRestart_other: 'Saved. {{count, number}} changes are in force after a restart.',
} as const

/** Its texts by their keys, as translations have them. */
export type SettingsTexts = typeof english

/** One of these texts. */
export const text = textsOf('settings', english)
