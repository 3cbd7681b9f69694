// Keys of the interface beside the first one: they are stored hashed, each with scopes (decisions part 1).

/** What a key may open; a key may have several. */
export type KeyScope = 'read' | 'stream' | 'add' | 'admin' | 'spend' | 'owner'

/** All scopes, for checks and documentation. */
export const KEY_SCOPES: readonly KeyScope[] = ['read', 'stream', 'add', 'admin', 'spend', 'owner']

/** A further key. */
export interface StoredKey {
  readonly name: string
  /** SHA-256 of the key. */
  readonly hash: Uint8Array
  readonly scopes: readonly KeyScope[]
  /** It opens nothing but downloads that have this label (decision 0572); null: it is not bound. */
  readonly label: string | null
}

/** What a key that is bound to a label may have. */
export const BOUND_SCOPES: readonly KeyScope[] = ['read', 'stream', 'add']

/** The further keys as they are now. */
export interface KeyList {
  /** Cheap: asked with every request whose key is not the first one. */
  current(): readonly StoredKey[]
}
