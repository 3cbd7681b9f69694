// What a media server keeps from one run to the next.

/** A small text that is replaced whole. */
export interface ServerFile {
  /** Null: there is none. AppError StateUnreadable. */
  read(): Promise<string | null>
  /** What settled is on the disk. AppErrors DiskFull, DiskError. */
  write(text: string): Promise<void>
}
