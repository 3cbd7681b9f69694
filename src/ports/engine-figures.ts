// Figures of a running engine, for those who watch the node. Sums only grow while the process runs.

/** Of all torrents. */
export interface SessionFigures {
  /** How many are in each status. */
  readonly torrents: ReadonlyMap<string, number>
  /** Payload since the start, also of torrents that were removed. */
  readonly downBytes: number
  readonly upBytes: number
  readonly piecesVerified: number
  /** With a wrong hash. */
  readonly piecesFailed: number
  readonly peersConnected: number
  /** Outgoing connections before their handshake. */
  readonly peersHalfOpen: number
}

/** Jobs of one kind since the start, times in milliseconds. */
export interface JobFigures {
  readonly count: number
  /** From the post to a worker taking it up. */
  readonly waitMs: number
  /** Inside the job. */
  readonly runMs: number
}

/** Worker threads and what waits for them. */
export interface PoolFigures {
  readonly threads: number
  readonly queuedJobs: number
  /** Callers that wait until their job is admitted. */
  readonly waiting: number
  readonly workersLost: number
  readonly openFiles: number
  /** File operations that wait for a thread of libuv. */
  readonly lanesWaiting: number
  /** By what pieces are hashed: a path of the machine code, or `node`. */
  readonly hash: string
  readonly jobs: Readonly<Partial<Record<string, JobFigures>>>
}

/** An arena of shared memory. */
export interface ArenaFigures {
  readonly id: string
  readonly slotCount: number
  readonly freeCount: number
}

/** Everything together. */
export interface EngineFigures {
  readonly session: SessionFigures
  readonly pool: PoolFigures
  readonly arenas: readonly ArenaFigures[]
}
