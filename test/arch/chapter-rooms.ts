// The rooms of the chapters: what each may import, which chapters need which, and what of them the core still names (to become
// entries of the chapters' faces). A trailing `.ts` names one file.

/** Room -> what it may import from other rooms and layers. */
export const chapterRooms: Record<string, readonly string[]> = {
  'chapters/market/chains': [
    'base',
    'chapters/market/ports',
    'chapters/market/wire',
    'chapters/wallets/core',
    'chapters/wallets/ports',
    'chapters/wallets/service',
  ],
  'chapters/market/cli': [
    'cli/command-run.ts',
    'cli/node-client.ts',
    'cli/plain-command.ts',
    'cli/secret-input.ts',
    'cli/show.ts',
  ],
  'chapters/market/core': [
    'base',
    'ports',
    'overlay/index.ts',
    'chapters/market/mesh',
    'chapters/market/ports',
    'chapters/market/wire',
    'chapters/wallets/core',
    'chapters/wallets/ports',
  ],
  'chapters/market/http': ['base', 'http/route.ts', 'services/api.ts'],
  'chapters/market/io': ['base', 'io/owner-folder.ts', 'chapters/market/ports'],
  'chapters/market/mesh': ['base', 'wire', 'ports', 'overlay/index.ts', 'chapters/market/core', 'chapters/market/wire'],
  'chapters/market/ports': ['chapters/market/wire', 'chapters/wallets/core'],
  'chapters/market/service': [
    'base',
    'services/events.ts',
    'services/keyed-queue.ts',
    'chapters/market/core',
    'chapters/market/ports',
    'chapters/market/wire',
    'chapters/wallets/core',
    'chapters/wallets/ports',
  ],
  'chapters/market/swap': [
    'base',
    'ports',
    'chapters/market/ports',
    'chapters/market/wire',
    'chapters/wallets/core',
    'chapters/wallets/ports',
  ],
  'chapters/market/wire': ['base', 'wire', 'chapters/wallets/core'],
  'chapters/market/wiring': [
    'base',
    'wire',
    'ports',
    'io',
    'node',
    'overlay',
    'services',
    'chapters/market/chains',
    'chapters/market/core',
    'chapters/market/io',
    'chapters/market/mesh',
    'chapters/market/ports',
    'chapters/market/service',
    'chapters/market/swap',
    'chapters/market/wire',
    'chapters/wallets/core',
    'chapters/wallets/io',
    'chapters/wallets/ports',
    'chapters/wallets/wiring',
  ],
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
  market: ['wallets'],
  wallets: [],
}

/** Imports of chapters' files in each layer of the core: they may become fewer. */
export const coreIntoChapters: Record<string, number> = {
  cli: 2,
  http: 3,
  node: 5,
  services: 3,
  web: 6,
}

/** Rooms that may touch time, randomness, environment, disk and network themselves. */
export const edgeRooms: ReadonlySet<string> = new Set([
  'chapters/market/cli',
  'chapters/market/io',
  'chapters/market/wiring',
  'chapters/wallets/cli',
  'chapters/wallets/io',
  'chapters/wallets/wiring',
])
