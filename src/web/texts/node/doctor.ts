// What the Doctor page says, in English. The findings themselves are the node's.

import { textsOf } from '../../language/texts.ts'

const english = {
  heading: 'Doctor',
  about: 'What the node needs from this machine, and whether it has it. Looking changes nothing.',
  examine: 'Check again',
  examining: 'Checking…',
  healthy: 'Everything is in order. Checked at {{time}}.',
  problems_one: 'One problem. Checked at {{time}}.',
  problems_other: '{{count, number}} problems. Checked at {{time}}.',
  warnings_one: 'Nothing stops the node; one thing to look at. Checked at {{time}}.',
  warnings_other: 'Nothing stops the node; {{count, number}} things to look at. Checked at {{time}}.',
  problemGroup: 'Problems',
  warningGroup: 'To look at',
  okGroup: 'In order',
  problem: 'Problem',
  warning: 'Warning',
  ok: 'OK',
  advice: 'What to do:',
  certificate: 'Certificate',
  clock: 'Clock',
  database: 'Database',
  doctor: 'Doctor',
  hash: 'Checking of pieces',
  media: 'Films',
  mounts: 'Disks',
  openFiles: 'Open files',
  overlay: 'Anonymity',
  permissions: 'Folders',
  ports: 'Ports',
  program: 'Program',
  settings: 'Settings',
} as const

/** Its texts by their keys, as translations have them. */
export type DoctorTexts = typeof english

/** A text of the Doctor page. */
export const text = textsOf('doctor', english)
