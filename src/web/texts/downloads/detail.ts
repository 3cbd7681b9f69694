// What the page of a download says, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  download: 'Download',
  close: 'Close',
  commands: 'This download',
  play: 'Play',
  parts: 'Parts of this download',
  overview: 'Overview',
  files: 'Files',
  peers: 'Peers',
  trackers: 'Trackers',
  options: 'Options',
  progress: 'Progress',
  panelWidth: 'Width of this panel',
  panelWidthHelp: 'Drag, or use the arrow keys; a double click or Enter brings back the usual width.',
  unknown: 'The node has no such download.',
  loading: 'Loading…',
  // Overview.
  anonymity: 'Anonymity',
  circuits: 'Circuits',
  down: 'Down',
  up: 'Up',
  left: 'Left',
  complete: 'complete',
  size: 'Size',
  downloaded: 'Downloaded',
  uploaded: 'Uploaded',
  ratio: 'Ratio',
  availability: 'Availability',
  seeds: 'Seeds',
  ofKnown: '{{connected, number}} of {{known, number}}',
  pieces: 'Pieces',
  added: 'Added',
  folder: 'Folder',
  movingTo: '{{from}} → {{to}}',
  infohash: 'Info hash',
  infohashV2: 'Info hash v2',
  copyMagnet: 'Copy magnet link',
  magnetLink: 'Magnet link',
  saveTorrent: 'Save torrent file',
  resumeOverwriting: 'Resume, overwriting…',
  overwriteTitle: 'Overwrite files',
  overwriteHelp:
    'Files in its places that are not of this download are written over. What they hold cannot be brought back.',
  keepFiles: 'Keep the files',
  overwrite: 'Overwrite',
  overwriting: 'Resumed, overwriting.',
  // Options.
  limitDown: 'Download speed',
  limitUp: 'Upload speed',
  inForce: 'In force now: {{rate}}.',
  noneInForce: 'No limit is in force.',
  seedToRatio: 'Seed to ratio',
  seedForMinutes: 'Seed for minutes',
  labels: 'Labels',
  commas: 'Separated by commas.',
  folderHelp: 'Its files are moved there in the background.',
  sequential: 'Download in order (for watching)',
  superSeeding: 'Super-seeding: each new peer hears of a few pieces only',
  forget:
    'Watch and forget: fetch only what is watched, remove the download and the files that it made hours after the last viewer',
  undo: 'Undo',
  save: 'Save',
  change: 'Change',
  changed: 'Changed.',
  closesAll: 'Every connection is closed before one of the new kind opens. What is there stays.',
  seenAlready: 'Peers of the open network have seen this download already.',
} as const

/** Its texts by their keys, as translations have them. */
export type DetailTexts = typeof english

/** One of these texts. */
export const text = textsOf('detail', english)
