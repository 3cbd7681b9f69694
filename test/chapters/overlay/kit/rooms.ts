// The rooms of the overlay: what each may import from other rooms and layers, and which touch the world.

/** Room -> what it may import; a trailing `.ts` names one file. */
export const rooms: Record<string, readonly string[]> = {
  'chapters/overlay': ['app/chapter.ts', 'chapters/overlay/wiring', 'services/events/event-table.ts'],
  'chapters/overlay/core': ['base', 'wire', 'ports', 'chapters/overlay/wire'],
  'chapters/overlay/io': ['base', 'ports', 'chapters/overlay/ports', 'chapters/overlay/wire'],
  'chapters/overlay/ports': ['ports', 'chapters/overlay/wire'],
  'chapters/overlay/sealing': [
    'base',
    'ports',
    'io/random.ts',
    'io/worker-url.ts',
    'pools/arena.ts',
    'pools/contract/batch.ts',
    'pools/contract/jobs.ts',
    'pools/pool.ts',
    'chapters/overlay/io',
    'chapters/overlay/ports',
    'chapters/overlay/wire',
  ],
  'chapters/overlay/wire': ['base', 'wire'],
  'chapters/overlay/wiring': [
    'base',
    'ports',
    'io',
    'node',
    'chapters/overlay/core',
    'chapters/overlay/io',
    'chapters/overlay/ports',
    'chapters/overlay/sealing',
  ],
  'chapters/overlay/workers': ['pools/contract/jobs.ts', 'pools/jobs/run-batch.ts', 'chapters/overlay/sealing'],
}

/** Rooms that may touch time, randomness, environment, disk and network themselves. */
export const edges: readonly string[] = [
  'chapters/overlay/io',
  'chapters/overlay/sealing',
  'chapters/overlay/wiring',
  'chapters/overlay/workers',
]
