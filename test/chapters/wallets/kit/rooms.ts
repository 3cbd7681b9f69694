// The rooms of wallets: what each may import from other rooms and layers, and which touch the world.

/** Room -> what it may import; a trailing `.ts` names one file. */
export const rooms: Record<string, readonly string[]> = {
  'chapters/wallets': [
    'app/chapter.ts',
    'chapters/wallets/cli',
    'chapters/wallets/http',
    'chapters/wallets/wiring',
    'services/events/event-table.ts',
  ],
  'chapters/wallets/cli': [
    'cli/chapter-commands.ts',
    'cli/command-run.ts',
    'cli/node-client.ts',
    'cli/plain-command.ts',
    'cli/secret-input.ts',
    'cli/show.ts',
    'client/routes.ts',
    'chapters/wallets/client',
  ],
  'chapters/wallets/client': ['client/routes.ts', 'chapters/wallets/http'],
  'chapters/wallets/core': ['base'],
  'chapters/wallets/http': ['base', 'http/route.ts', 'chapters/wallets/service'],
  'chapters/wallets/io': [
    'base',
    'io/files/owner-folder.ts',
    'io/net/guarded-agent.ts',
    'io/net/routed-connector.ts',
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
  'chapters/wallets/web': ['web', 'chapters/wallets/client'],
  'chapters/wallets/wiring': [
    'base',
    'ports',
    'io',
    'node',
    'chapters/wallets/io',
    'chapters/wallets/ports',
    'chapters/wallets/service',
  ],
}

/** Rooms that may touch time, randomness, environment, disk and network themselves. */
export const edges: readonly string[] = [
  'chapters/wallets/cli',
  'chapters/wallets/io',
  'chapters/wallets/web',
  'chapters/wallets/wiring',
]
