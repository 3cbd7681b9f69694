// Volumes (mounted file systems), as the owners of files on them see them: which answer, and which no longer do.

/** One volume that was used. */
export interface VolumeFacts {
  /** Where it is mounted. */
  readonly mount: string
  /** Calls have been waiting for its answer for longer than five seconds. */
  readonly stalled: boolean
  /** How long the oldest call has waited for its answer, ms; 0 = none waits. */
  readonly silentMs: number
  /** Calls in threads now. */
  readonly calls: number
  /** Calls that wait for their turn. */
  readonly waiting: number
  /** The state directory is on it: it is never held back, and never said to be stalled. */
  readonly stateDirectory: boolean
}

/** A volume has stopped to answer, or answers again. */
export interface VolumeChange {
  readonly mount: string
  readonly stalled: boolean
  /** How long it had not answered, ms. */
  readonly silentMs: number
}

/** Who looks at volumes. Nothing here touches a disk. */
export interface VolumeWatch {
  /** Where the volume of `path` (absolute) is mounted when that is stalled, else null. */
  stalledAt(path: string): string | null
  /**
   * Settles as `work` on files below `path` does; AppError VolumeStalled when that takes too long. The work goes on.
   */
  inTime<T>(path: string, work: Promise<T>): Promise<T>
  /** Every volume that was used. */
  facts(): VolumeFacts[]
  /** Calls `listener` at every change; answers how that ends. */
  onChange(listener: (change: VolumeChange) => void): () => void
}

/** How calls on files that a client named are made: each in its volume's queue, and bounded in time. */
export interface VolumeTurns {
  /**
   * Runs `call` when the volume of `path` has a turn. AppError VolumeStalled: it takes too long; it may still be done.
   */
  runInTime<T>(path: string, call: () => Promise<T>): Promise<T>
  /** Looks what is mounted now. */
  refresh(): Promise<void>
  /** The path lies on the volume of the state directory, or nothing is known of volumes. */
  isOwn(path: string): boolean
  stalledAt(path: string): string | null
}

/** Where nothing is known of volumes. */
export const noTurns: VolumeTurns = {
  runInTime: (_path, call) => call(),
  refresh: () => Promise.resolve(),
  isOwn: () => true,
  stalledAt: () => null,
}

/** The volume of a store's files, as far as who reads and writes has to know it. */
export interface StoreVolume {
  /** False while calls are out and none came back lately: further callers wait, holding nothing. */
  readonly answers: boolean
  /** False while writes there wait too long, or are too many: then no more blocks are requested from peers. */
  readonly takesMore: boolean
  readonly stalled: boolean
  /**
   * Resolves with the next answer of a call that is out; rejects with AppError VolumeStalled when that takes too long.
   */
  nextAnswer(): Promise<void>
  /** Settles as `work` does; rejects with AppError VolumeStalled when that takes too long. The work itself goes on. */
  inTime<T>(work: Promise<T>): Promise<T>
}
