// The groups that `tributary --help` shows commands in: what people do most comes first.

import type { Command } from 'commander'

const OTHERS = 'More:'
const GROUPS: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['Downloads:', ['add', 'ls', 'top', 'watch', 'info', 'explain', 'pause', 'resume', 'rm', 'move', 'recheck']],
  [
    'A download in detail:',
    ['limit', 'queue', 'rates', 'files', 'rename', 'peers', 'trackers', 'hops', 'magnet', 'torrent-file'],
  ],
  ['Films:', ['play', 'stream-url', 'links', 'watching', 'watched', 'media', 'subtitles', 'hls', 'dlna']],
  ['Make, find, publish:', ['create', 'torrent-info', 'torrent-files', 'folders', 'search', 'channels', 'updates']],
  ['Anonymity and payments:', ['circuits', 'wallets', 'market']],
  [
    'The node:',
    ['start', 'open', 'settings', 'slow', 'schedule', 'bans', 'key', 'doctor', 'log', 'events', 'shutdown'],
  ],
  ['Its state directory:', ['import', 'backup', 'restore']],
  [
    'For scripts and programs:',
    [
      'call',
      'api',
      'metrics',
      'state',
      'variables',
      'health',
      'stats',
      'debug',
      'keys',
      'create-there',
      'completions',
      'completion',
      'man',
    ],
  ],
]

/** Puts the commands of the program into their groups, in the order of those; others stay behind them. */
export function groupCommands(program: Command): void {
  const order = new Map(GROUPS.flatMap(([heading, names]) => names.map(name => [name, heading] as const)))
  const names = [...order.keys()]
  const place = (command: Command): number => {
    const at = names.indexOf(command.name())
    return at === -1 ? names.length : at
  }
  // Groups come in the order in which commands do.
  const commands = program.commands as Command[]
  commands.sort((a, b) => place(a) - place(b))
  for (const command of commands) command.helpGroup(order.get(command.name()) ?? OTHERS)
  program.commandsGroup(OTHERS).configureHelp({
    // `[options]` behind each name says nothing; `tributary NAME --help` lists them.
    subcommandTerm: command => `${command.name()} ${command.usage().replace(/^\[options\] ?/, '')}`.trim(),
  })
}
