// Where the market keeps its orders, and each swap its journal: texts that only their owner can read, secrets within
// them sealed.

/** Names are plain. AppErrors StateUnreadable, DiskFull, DiskError. */
export interface MarketFiles {
  /** The whole text; null: there is none. */
  read(name: string): Promise<string | null>
  /** Durable when settled; on the disk there is the old text or the new one, never half of it. */
  write(name: string, text: string): Promise<void>
  /** All names that begin so. */
  list(prefix: string): Promise<string[]>
  remove(name: string): Promise<void>
}

/** Seals secrets of swaps under the key of the node (a file of its own, mode 0600). */
export interface SecretSeal {
  /** Text of any form. */
  seal(secret: Uint8Array): string
  /** AppError StateUnreadable. */
  open(sealed: string): Uint8Array
}
