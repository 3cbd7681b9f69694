// The rooms of HLS: what each may import from other rooms and layers, and which touch the world.

/** Room -> what it may import; a trailing `.ts` names one file. */
export const rooms: Record<string, readonly string[]> = {
  'chapters/hls': [
    'app/chapter.ts',
    'node/state/kept-files.ts',
    'services/events/event-table.ts',
    'chapters/hls/cli',
    'chapters/hls/http',
    'chapters/hls/wiring',
  ],
  'chapters/hls/cli': [
    'cli/chapter-commands.ts',
    'cli/chosen.ts',
    'cli/command-run.ts',
    'client/core-routes.ts',
    'chapters/media/cli',
  ],
  'chapters/hls/coders': [],
  'chapters/hls/convert': [
    'base',
    'chapters/hls/coders',
    'chapters/hls/core',
    'chapters/media/core',
    'chapters/media/probe',
  ],
  'chapters/hls/core': ['base', 'wire/subtitles/*.ts', 'chapters/media/core'],
  'chapters/hls/http': [
    'base',
    'http/route.ts',
    'http/routes/infohash.ts',
    'chapters/hls/core',
    'chapters/hls/service',
  ],
  'chapters/hls/io': [
    'base',
    'io/worker-url.ts',
    'ports',
    'chapters/hls/convert',
    'chapters/hls/core',
    'chapters/hls/ports',
    'chapters/media/io',
    'chapters/media/ports',
    'chapters/media/probe',
  ],
  'chapters/hls/ports': ['chapters/hls/convert', 'chapters/hls/core', 'chapters/media/ports'],
  'chapters/hls/service': [
    'base',
    'ports',
    'services/diagnostics/metric-families.ts',
    'services/diagnostics/metrics-api.ts',
    'services/downloads/streams-api.ts',
    'wire/subtitles/*.ts',
    'chapters/hls/convert',
    'chapters/hls/core',
    'chapters/hls/ports',
    'chapters/media/core',
    'chapters/media/ports',
    'chapters/media/service',
  ],
  'chapters/hls/wiring': [
    'ports',
    'io/clock.ts',
    'node',
    'services/downloads/downloads.ts',
    'chapters/hls/io',
    'chapters/hls/service',
    'chapters/media/service',
    'chapters/media/wiring',
  ],
  'chapters/hls/workers': ['chapters/hls/convert', 'chapters/media/io/task-time.ts', 'chapters/media/probe'],
}

/** Rooms that may touch time, randomness, environment, disk and network themselves. */
export const edges: readonly string[] = [
  'chapters/hls/cli',
  // It loads machine code.
  'chapters/hls/coders',
  'chapters/hls/io',
  'chapters/hls/wiring',
  'chapters/hls/workers',
]
