// The context of the catalogue: what all parts of its thread work with.

import type { CatalogueHappening } from '../ports/channel-catalogue.ts'
import type { Ed25519 } from '../../../ports/ed25519.ts'
import type { Verify } from '../wire/record-signature.ts'
import type { Sql } from './sql.ts'

/** The context of the catalogue: what all parts of its thread work with. */
export interface CatalogueContext {
  readonly sql: Sql
  /** Seconds since 1970. */
  nowS(): number
  /** Random bytes. */
  random(count: number): Uint8Array
  readonly ed25519: Ed25519
  readonly verify: Verify
  /**
   * Grows whenever a record by the owner of a channel may have come, gone or changed its role: rules are made of these.
   */
  readonly ownersWords: { changes: number }
  /** Notes what happened; told when the job is committed. */
  tell(happening: CatalogueHappening): void
  /** Counts something that was refused. */
  refuse(reason: string, count?: number): void
}
