// Mutable items of the DHT (BEP 44), as services see them: found with their signature checked, and stored.

/** An item whose signature was checked. `value` is raw bencode; keys have 32 bytes, signatures 64. */
export interface SignedItem {
  readonly key: Uint8Array
  /** Empty for none. */
  readonly salt: Uint8Array
  /** From 0 to 2^63 - 1. */
  readonly seq: bigint
  readonly value: Uint8Array
  readonly signature: Uint8Array
}

/** An item that was found; `copies`: nodes that had this very one. */
export interface FoundSignedItem extends SignedItem {
  readonly copies: number
}

/** The DHT's store of mutable items. */
export interface MutableItems {
  /** The newest one; null when no node had any. Takes some seconds. */
  find(key: Uint8Array, salt: Uint8Array): Promise<FoundSignedItem | null>
  /** Stores it with the nodes nearest to it, for two hours: how many took it, and a newer item if one was met. */
  store(item: SignedItem): Promise<{ readonly stored: number; readonly newer: FoundSignedItem | null }>
}

/** The same where only the target is known: the SHA-1 of a key, which is the id of a channel. */
export interface TargetedItems extends MutableItems {
  /**
   * The newest item without salt whose key has this SHA-1 (20 bytes); null when no node had any. Takes some seconds.
   */
  findTarget(target: Uint8Array): Promise<FoundSignedItem | null>
}
