// The rooms of the media server: what each may import from other rooms and layers, and which touch the world.

/** Room -> what it may import; a trailing `.ts` names one file. */
export const rooms: Record<string, readonly string[]> = {
  'chapters/dlna': [
    'app/chapter.ts',
    'chapters/dlna/cli',
    'chapters/dlna/http',
    'chapters/dlna/wiring',
    'services/events/event-table.ts',
  ],
  'chapters/dlna/cli': ['cli/chapter-commands.ts', 'cli/plain-command.ts', 'cli/show.ts', 'chapters/dlna/client'],
  'chapters/dlna/client': ['client/routes.ts', 'chapters/dlna/http'],
  'chapters/dlna/core': ['http/media-types.ts', 'http/playlist/sidecars.ts'],
  'chapters/dlna/http': ['http/route.ts', 'chapters/dlna/service'],
  'chapters/dlna/io': ['base', 'wire', 'chapters/dlna/ports'],
  'chapters/dlna/ports': ['base'],
  'chapters/dlna/service': [
    'base',
    'wire',
    'ports',
    'http/further-listener.ts',
    'http/header-block.ts',
    'http/stream-plan.ts',
    'services/downloads/*-api.ts',
    'chapters/dlna/core',
    'chapters/dlna/ports',
    'chapters/dlna/wire',
  ],
  'chapters/dlna/web': ['web', 'chapters/dlna/client'],
  'chapters/dlna/wire': ['base', 'wire'],
  'chapters/dlna/wiring': ['base', 'io/files/owner-folder.ts', 'node', 'chapters/dlna/io', 'chapters/dlna/service'],
}

/** Rooms that may touch time, randomness, environment, disk and network themselves. */
export const edges: readonly string[] = [
  'chapters/dlna/cli',
  'chapters/dlna/io',
  'chapters/dlna/web',
  'chapters/dlna/wiring',
]
