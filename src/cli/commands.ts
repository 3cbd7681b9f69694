// All commands: arguments to a node that runs in this process, or to one that runs elsewhere. It decides nothing but
// where a value comes from; what is slow to load is loaded after --help and --version had their chance.

import { Command, InvalidArgumentError, Option } from 'commander'
import type { KeyOrder } from '../node/state/key-command.ts'
import { readVersion } from '../node/version.ts'
import { settingOf, settingsOf, type SettingText, type StartFlags } from './start-flags.ts'
import { runStart, type Work } from './start-node.ts'
import { bytesOf } from './units.ts'

function collectSetting(text: string, earlier: readonly SettingText[]): readonly SettingText[] {
  const found = settingOf(text)
  if (found === null) throw new InvalidArgumentError('It must be SECTION.OPTION=VALUE.')
  return [...earlier, found]
}

/** What runs when the arguments were read: what they were read with is gone by then, and a key with it. */
let work: Work | null = null

function start(flags: StartFlags): void {
  work = runStart(flags)
}

function doctor(flags: Omit<StartFlags, 'apiKeyFile'> & { json?: boolean }): void {
  const order = { stateDir: flags.stateDir ?? null, flags: settingsOf(flags), json: flags.json === true }
  work = async () => {
    const [{ runDoctor }, { loadChapters }] = await Promise.all([
      import('../node/doctor/doctor.ts'),
      import('../app/chapters.ts'),
    ])
    return runDoctor({ ...order, chapters: await loadChapters() })
  }
}

interface KeyFlags {
  stateDir?: string
  scope: string[]
  label?: string
}

function keyWork(flags: Pick<KeyFlags, 'stateDir'>, order: KeyOrder): void {
  const stateDir = flags.stateDir ?? null
  work = async () => (await import('../node/state/key-command.ts')).runKeyCommand(stateDir, order)
}

function settings(flags: Omit<StartFlags, 'apiKeyFile'> & { all?: boolean; json?: boolean }): void {
  const order = {
    stateDir: flags.stateDir ?? null,
    flags: settingsOf(flags),
    all: flags.all === true,
    json: flags.json === true,
  }
  work = async () => {
    const [{ runShowSettings }, { loadChapters }] = await Promise.all([
      import('../node/settings/show-settings.ts'),
      import('../app/chapters.ts'),
    ])
    return runShowSettings({ ...order, chapters: await loadChapters() })
  }
}

interface CreateFlags {
  output?: string
  format: 'v1' | 'v2' | 'hybrid'
  v1?: true
  pieceLength?: number
  tracker: string[][]
  webSeed: string[]
  private?: boolean
  source?: string
  comment?: string
  creator?: string | false
  date?: number | false
  threads?: number
  quiet?: boolean
}

function wholeNumber(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

function byteCount(text: string): number {
  const bytes = bytesOf(text)
  if (bytes === null) throw new InvalidArgumentError('It must be bytes, or end in KiB or MiB.')
  return bytes
}

function collectTier(text: string, earlier: string[][]): string[][] {
  return [...earlier, text.split(',')]
}

function collect(text: string, earlier: string[]): string[] {
  return [...earlier, text]
}

async function create(path: string, flags: CreateFlags): Promise<void> {
  const { runCreate } = await import('../node/create-torrent.ts')
  process.exitCode = await runCreate({
    output: flags.output ?? null,
    threads: flags.threads ?? null,
    quiet: flags.quiet === true,
    request: {
      path,
      format: flags.v1 === true ? 'v1' : flags.format,
      trackers: flags.tracker,
      web_seeds: flags.webSeed,
      private: flags.private === true,
      ...(flags.pieceLength !== undefined && { piece_length: flags.pieceLength }),
      ...(flags.source !== undefined && { source: flags.source }),
      ...(flags.comment !== undefined && { comment: flags.comment }),
      ...(flags.creator !== undefined && { created_by: flags.creator === false ? '' : flags.creator }),
      ...(flags.date !== undefined && { creation_date: flags.date === false ? 0 : flags.date }),
    },
  })
}

/**
 * The commands. Made for one use and then dropped: it holds the arguments, and a key among them must not stay in
 * memory.
 */
function commands(): Command {
  const program = new Command('tributary')
    .description(
      'A headless peer-to-peer content node: downloads, seeds and streams torrents over a local HTTP interface.',
    )
    .version(readVersion())
  addStartCommand(program, start)
  addDoctorCommand(program)
  addSettingsCommand(program)
  addKeyCommands(program)
  addCreateCommand(program)
  return program
}

/** The command `start`, whose `action` gets the flags. */
export function addStartCommand(program: Command, action: (flags: StartFlags) => void): void {
  program
    .command('start')
    .description('Run the node until SIGINT or SIGTERM.')
    .option('--state-dir <dir>', 'folder for everything the node remembers (env: TRIBUTARY_STATE_DIR)')
    .option('--port <n>', 'port of the HTTP interface, 0 = a free one (env: CORE_API_PORT)')
    .option('--host <addr>', 'address of the HTTP interface')
    .addOption(
      new Option('--api-key <key>', 'key of the HTTP interface, visible in ps (env: CORE_API_KEY)').conflicts(
        'apiKeyFile',
      ),
    )
    .option('--api-key-file <file>', 'file whose first line is the key')
    .option('--log-level <level>', 'debug, info, warn or error')
    .option('--set <section.option=value>', 'any setting; may be repeated', collectSetting, [])
    .addHelpText(
      'after',
      '\nA flag wins over the environment, that over the configuration file, that over the default.',
    )
    .action(action)
}

function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Look at what a node needs, running or not: what is wrong, and what to do. Changes nothing.')
    .option('--state-dir <dir>', 'as of start (env: TRIBUTARY_STATE_DIR)')
    .option('--port <n>', 'as of start (env: CORE_API_PORT)')
    .option('--host <addr>', 'as of start')
    .option('--set <section.option=value>', 'as of start; may be repeated', collectSetting, [])
    .option('--json', 'one JSON object: {healthy, findings: [{state, check, text, advice}]}')
    .addHelpText('after', '\nExit code: 0 all is well (warnings may be there), 1 there is a problem.')
    .action(doctor)
}

function addSettingsCommand(program: Command): void {
  program
    .command('settings')
    .description(
      'Show the settings a start would have, and where each comes from. No node has to run; nothing is written.',
    )
    .enablePositionalOptions()
    .option('--state-dir <dir>', 'as of start (env: TRIBUTARY_STATE_DIR)')
    .option('--set <section.option=value>', 'as of start; may be repeated', collectSetting, [])
    .option('--all', 'those that have their default value too')
    .option('--json', 'as GET /settings/effective')
    .action(settings)
}

function addKeyCommands(program: Command): void {
  const key = program
    .command('key')
    .description('The key of the node, and keys beside it, each with scopes. A node that runs takes notice.')
  key
    .command('show')
    .description('Print the first key, as it stands in the settings: whoever has it can do everything.')
    .option('--state-dir <dir>', 'as of start (env: TRIBUTARY_STATE_DIR)')
    .action((flags: KeyFlags) => keyWork(flags, { kind: 'show' }))
  key
    .command('add')
    .description('Make a key and print it: this once.')
    .argument('<name>', 'how it is called')
    .requiredOption('-s, --scope <scope,...>', 'read, stream, add, admin, spend, owner', (text: string) =>
      text.split(','),
    )
    .option('--label <name>', 'it opens nothing but downloads of this label; scopes read, stream, add')
    .option('--state-dir <dir>', 'as of start (env: TRIBUTARY_STATE_DIR)')
    .action((name: string, { label, ...flags }: KeyFlags) =>
      keyWork(flags, { kind: 'add', name, scopes: flags.scope, label: label ?? null }),
    )
  key
    .command('list')
    .description('Name, scopes, date and label of each key.')
    .option('--state-dir <dir>', 'as of start (env: TRIBUTARY_STATE_DIR)')
    .action((flags: KeyFlags) => keyWork(flags, { kind: 'list' }))
  key
    .command('remove')
    .description('Take a key back: it opens nothing any more.')
    .argument('<name>')
    .option('--state-dir <dir>', 'as of start (env: TRIBUTARY_STATE_DIR)')
    .action((name: string, flags: KeyFlags) => keyWork(flags, { kind: 'remove', name }))
}

function addCreateCommand(program: Command): void {
  program
    .command('create')
    .description('Make a torrent file of a file or folder. No node has to run.')
    .argument('<path>', 'the file or folder; links in it are left out')
    .option('-o, --output <file>', 'where to write it: never over a file; - = standard output; default: <path>.torrent')
    .addOption(new Option('--format <kind>', 'kind of torrent').choices(['v1', 'v2', 'hybrid']).default('hybrid'))
    .option('--v1', 'short for --format v1: for clients that cannot read hybrid torrents')
    .option('--piece-length <bytes>', 'a power of two from 16KiB to 128MiB; default: by size', byteCount)
    .option('-t, --tracker <url,...>', 'a tier of trackers; may be repeated', collectTier, [])
    .option('-w, --web-seed <url>', 'an http(s) source of the content; may be repeated', collect, [])
    .option('-p, --private', 'peers only from its trackers')
    .option('--source <text>', 'text in the info dictionary that sets it apart')
    .option('-c, --comment <text>', 'a comment')
    .option('--creator <text>', 'who made it; default: this program')
    .option('--no-creator', 'do not say who made it')
    .option('--date <seconds>', 'date of creation, Unix time; default: now', wholeNumber)
    .option('--no-date', 'no date of creation')
    .option('--threads <n>', 'threads that hash; default: one a core, at most four', wholeNumber)
    .option('-q, --quiet', 'show no progress')
    .addHelpText(
      'after',
      '\nThe info hash depends on names and bytes, format, piece length, --private and --source alone.',
    )
    .action(create)
}

/** Commands that need nothing of those that talk to a node: a start must not wait for them. */
const ALONE = new Set(['start', 'doctor', 'create', 'key', '--version', '-V'])

/** Reads the arguments of the process and takes them out of it: null where all is done by then. */
export async function readArguments(): Promise<Work | null> {
  const program = commands()
  if (!ALONE.has(process.argv[2] ?? '')) {
    const [{ addNodeCommands }, { loadChapters }] = await Promise.all([
      import('./node-commands.ts'),
      import('../app/chapters.ts'),
    ])
    const chapters = await loadChapters()
    addNodeCommands(program, await Promise.all(chapters.map(chapter => chapter.commands())))
  }
  await program.parseAsync()
  process.argv.splice(2)
  return work
}
