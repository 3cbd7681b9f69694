// What is asked after the first sign-in, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  heading: 'Welcome to Tributary',
  about: 'Four things before the first download. Each can be skipped, and changed later in the settings.',
  save: 'Save',
  skip: 'Skip',
  saved: 'Saved. Add your first download.',
  folders: 'Where downloads go',
  folderHeld: 'They go to {{path}}, which was set on the command line or in the environment.',
  line: 'Speed of your line',
  lineHelp: 'As your provider states it. Left empty, nothing is limited that is not limited now.',
  down: 'Download',
  up: 'Upload',
  unit: 'Unit',
  share: 'Tributary will use up to {{down}} down and {{up}} up; the rest stays free for others.',
  unlimited: 'any speed',
  notRate: 'This is not a speed. Enter a number, or nothing for no limit.',
  lineHeld: 'Limits were set on the command line or in the environment, and cannot be changed here.',
  start: 'Start with the system',
  startService: 'A service is started by the system once this command was run on it (the Debian package does so):',
  startContainer: 'A container needs a restart policy; the compose file that comes with Tributary has one:',
  startOwn:
    'Tributary runs as a program of your own. This command, in a terminal of your user, lets systemd start it from the next start of the machine on:',
  copy: 'Copy the command',
  command: 'The command',
  health: 'Is everything there?',
  looking: 'Checking…',
  healthy: 'Everything that Tributary needs from this machine is in order.',
  more_one: 'And {{count, number}} more.',
  more_other: 'And {{count, number}} more.',
  doctor: 'Open Doctor',
} as const

/** Its texts by their keys, as translations have them. */
export type WelcomeTexts = typeof english

/** A text of the welcome. */
export const text = textsOf('welcome', english)
