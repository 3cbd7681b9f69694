// A block that a peer or a web seed is asked for.

/** A block to ask for; `begin` and `length` in bytes within the piece. */
export interface BlockRequest {
  readonly piece: number
  readonly block: number
  readonly begin: number
  readonly length: number
}
