// The rooms of the chapters: what each may import, which chapters need which, and what of them the core still names (to become
// entries of the chapters' faces). A trailing `.ts` names one file.

/** Room -> what it may import from other rooms and layers. */
export const chapterRooms: Record<string, readonly string[]> = {
  'chapters/wallets/cli': [
    'cli/command-run.ts',
    'cli/node-client.ts',
    'cli/plain-command.ts',
    'cli/secret-input.ts',
    'cli/show.ts',
  ],
  'chapters/wallets/core': ['base'],
  'chapters/wallets/http': ['base', 'http/route.ts'],
  'chapters/wallets/io': [
    'base',
    'io/guarded-agent.ts',
    'io/owner-folder.ts',
    'io/routed-connector.ts',
    'chapters/wallets/ports',
  ],
  'chapters/wallets/ports': ['chapters/wallets/core'],
  'chapters/wallets/service': [
    'base',
    'ports',
    'services/keyed-queue.ts',
    'chapters/wallets/core',
    'chapters/wallets/ports',
  ],
  'chapters/wallets/wiring': [
    'base',
    'ports',
    'io',
    'node',
    'services',
    'chapters/wallets/io',
    'chapters/wallets/ports',
    'chapters/wallets/service',
  ],
}

/** Chapter -> chapters it is built upon. */
export const chaptersNeeded: Record<string, readonly string[]> = {
  wallets: [],
}

/** Imports of chapters' files in each layer of the core: they may become fewer. */
export const coreIntoChapters: Record<string, number> = {
  cli: 1,
  http: 2,
  market: 22,
  node: 9,
  ports: 3,
  services: 42,
  wallet: 5,
  wire: 2,
}

/** Rooms that may touch time, randomness, environment, disk and network themselves. */
export const edgeRooms: ReadonlySet<string> = new Set([
  'chapters/wallets/cli',
  'chapters/wallets/io',
  'chapters/wallets/wiring',
])
