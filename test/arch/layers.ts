// The folders of src and what each may import: the one list behind imports.test.ts and the table of src/README.md.

/** Layer -> what it may import from other layers; a trailing `.ts` names one file, or files by a `*`. */
export const allowedImports: Record<string, readonly string[]> = {
  base: [],
  wire: ['base'],
  ports: ['base', 'wire'],
  torrent: ['base', 'wire', 'ports'],
  tracker: ['base', 'wire', 'ports'],
  dht: ['base', 'wire', 'ports'],
  utp: ['base', 'wire', 'ports'],
  lsd: ['base', 'wire', 'ports'],
  portmap: ['base', 'wire', 'ports'],
  services: ['base', 'wire', 'ports', 'torrent'],
  http: ['base', 'ports', 'services/api.ts', 'services/*-api.ts', 'services/events/event-table.ts'],
  // Of http types alone: imports.test.ts.
  client: ['base', 'http'],
  io: ['base', 'wire', 'ports'],
  pools: ['base', 'wire', 'ports', 'io'],
  records: ['base', 'wire', 'ports'],
  node: [
    'base',
    'wire',
    'ports',
    'torrent',
    'tracker',
    'dht',
    'utp',
    'lsd',
    'portmap',
    'services',
    'http',
    'io',
    'pools',
    'records',
  ],
  app: ['node', 'http', 'cli'],
  cli: ['base', 'client', 'node', 'app', 'io/process/machine-code.ts'],
  // Texts and times of subtitles, filters of the list, and the week's table, which node and page read.
  web: ['client', 'wire/subtitles/*.ts', 'wire/list/*.ts', 'base/week-table.ts'],
  build: ['io/process/machine-code.ts', 'io/process/machine-code-digests.ts'],
}

/** Layers that may touch time, randomness, environment, disk and network themselves. */
export const edgeFolders: ReadonlySet<string> = new Set(['io', 'pools', 'records', 'node', 'cli', 'web', 'build'])
