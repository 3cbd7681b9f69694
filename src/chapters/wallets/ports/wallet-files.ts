// Where wallets keep what they must not forget: small files of their own, readable only by their owner.

/** Names are those of plain files. AppErrors StateUnreadable, DiskFull, DiskError. */
export interface WalletFiles {
  /** The whole text; null: there is no such file. */
  read(name: string): Promise<string | null>
  /** Durable when settled; on the disk there is the old text or the new one, never half of it. */
  write(name: string, text: string): Promise<void>
  /** Adds a line at the end. Durable when settled. */
  append(name: string, line: string): Promise<void>
  /** The last lines, the oldest first. */
  tail(name: string, lines: number): Promise<string[]>
}
