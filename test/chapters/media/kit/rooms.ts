// The rooms of media: what each may import from other rooms and layers, and which touch the world.

/** Room -> what it may import; a trailing `.ts` names one file. */
export const rooms: Record<string, readonly string[]> = {
  'chapters/media': [
    'app/chapter.ts',
    'chapters/media/cli',
    'chapters/media/http',
    'chapters/media/wiring',
    'services/events/event-table.ts',
  ],
  'chapters/media/cli': [
    'cli/chapter-commands.ts',
    'cli/chosen.ts',
    'cli/command-run.ts',
    'cli/node-client.ts',
    'cli/output-file.ts',
    'cli/show.ts',
    'cli/units.ts',
    'client/core-routes.ts',
    'wire/subtitles/*.ts',
    'chapters/media/client',
  ],
  'chapters/media/client': ['client/routes.ts', 'chapters/media/http'],
  'chapters/media/core': ['base', 'wire/subtitles/*.ts'],
  'chapters/media/http': [
    'base',
    'http/route.ts',
    'http/routes/infohash.ts',
    'wire/subtitles/*.ts',
    'chapters/media/service',
  ],
  'chapters/media/io': [
    'base',
    'io/files/owner-folder.ts',
    'io/worker-url.ts',
    'ports',
    'chapters/media/core',
    'chapters/media/ports',
    'chapters/media/probe',
  ],
  'chapters/media/ports': ['chapters/media/core', 'chapters/media/probe'],
  'chapters/media/probe': ['base', 'chapters/media/core'],
  'chapters/media/service': [
    'base',
    'ports',
    'http/media-types.ts',
    'services/downloads/streams-api.ts',
    'torrent/streams/film-facts.ts',
    'torrent/streams/forecast.ts',
    'chapters/media/core',
    'chapters/media/ports',
    'chapters/media/probe',
  ],
  'chapters/media/web': ['web', 'wire/subtitles/*.ts', 'chapters/media/client'],
  'chapters/media/wiring': [
    'base',
    'ports',
    'node',
    'services/downloads/downloads.ts',
    'chapters/media/io',
    'chapters/media/service',
  ],
  'chapters/media/workers': ['chapters/media/io/task-time.ts', 'chapters/media/probe'],
}

/** Rooms that may touch time, randomness, environment, disk and network themselves. */
export const edges: readonly string[] = [
  'chapters/media/cli',
  'chapters/media/io',
  'chapters/media/web',
  'chapters/media/wiring',
  'chapters/media/workers',
]
